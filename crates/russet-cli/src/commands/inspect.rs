//! `russet inspect`: what a model has learned, by name.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use russet::Model;
use russet::metrics::Task;
use russet::model::{Branch, Term};
use russet::settings::Settings;
use russet_data::write::write_field;
use serde::Serialize;

use crate::args::InspectArgs;
use crate::model_file;
use crate::output::{UsageError, columns, figure, percent, say, table, thousands, weight};

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    settings: &'a Settings,
    task: Task,
    examples: u64,
    progressive_error: Option<f64>,
    progressive_loss: Option<f64>,
    features: usize,
    weights: usize,
    terms: &'a [Term],
}

pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode> {
    let model = model_file::load(&args.model)?;
    if args.tree {
        say(&tree(&model)?)?;
    } else if args.csv {
        say(&csv(&model, args.top)?)?;
    } else if args.json {
        say(&format!("{}\n", json(&model, args.top)?))?;
    } else {
        say(&format!("{}\n{}", description(&model), terms_table(&model, args.top)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tree(model: &Model) -> Result<String> {
    if model.parents().is_none() {
        return Err(UsageError("--tree is for models with the expansion apple".to_owned()).into());
    }
    let row = |branch: Branch| {
        vec![
            format!("{}{}", "  ".repeat(branch.depth), branch.name),
            branch.epoch.to_string(),
            weight(branch.effect),
            branch.active.map_or("-".to_owned(), percent),
        ]
    };
    let rows: Vec<_> = model.tree().into_iter().map(row).collect();
    Ok(table(&["parent", "after epoch", "weight", "active"], &rows))
}

fn json(model: &Model, top: usize) -> Result<String> {
    let terms = model.terms(top);
    let (base, products) = model.weight_counts();
    Ok(serde_json::to_string(&Json {
        settings: model.settings(),
        task: model.task(),
        examples: model.progress().tally.examples,
        progressive_error: model.progressive_error(),
        progressive_loss: model.progress().tally.mean_loss(),
        features: model.features().len(),
        weights: base + products,
        terms: &terms,
    })?)
}

fn description(model: &Model) -> String {
    let settings = model.settings();
    let tally = &model.progress().tally;
    let (base, products) = model.weight_counts();
    format!(
        "{:?} expansion, {} loss, learning rate {}, {} bits\n{} examples, progressive loss {}, error {}\n{} features, {} weights\n",
        settings.expansion,
        settings.loss.name(),
        settings.learning_rate,
        settings.bits,
        thousands(tally.examples),
        figure(tally.mean_loss()),
        figure(model.progressive_error()),
        thousands(model.features().len() as u64),
        thousands((base + products) as u64),
    )
}

fn csv(model: &Model, top: usize) -> Result<String> {
    let mut text = b"name,weight,effect,degree,epoch,active\n".to_vec();
    for term in model.terms(top) {
        let [degree, epoch] = [term.degree.map(|degree| degree as u64), term.epoch.map(u64::from)].map(number);
        let active = number(term.active);
        write_field(term.name.as_bytes(), b',', &mut text)?;
        writeln!(text, ",{},{},{degree},{epoch},{active}", term.weight, term.effect)?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The strongest terms, a line each: `sex=female * class=3rd  -0.31  degree 2  epoch 3  active in 9%`.
pub(crate) fn terms_table(model: &Model, top: usize) -> String {
    // The epoch is of interest only where the feature set grows.
    let grows = model.parents().is_some();
    let cells = |term: &Term| {
        let mut cells = vec![term.name.clone(), weight(term.effect), labelled("degree", term.degree)];
        cells.extend(grows.then(|| labelled("epoch", term.epoch)));
        cells.push(labelled("active in", term.active.map(percent)));
        cells
    };
    let lines: Vec<Vec<String>> = model.terms(top).iter().map(cells).collect();
    let lines: Vec<&[String]> = lines.iter().map(Vec::as_slice).collect();
    // Only the weights are numbers without a word before them.
    columns(&lines, |column| column != 1)
}

/// A figure with the word for it; nothing where it is not known.
fn labelled(label: &str, figure: Option<impl Display>) -> String {
    figure.map_or(String::new(), |figure| format!("{label} {figure}"))
}

fn number(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
