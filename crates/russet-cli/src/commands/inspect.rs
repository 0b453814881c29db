//! `russet inspect`: what a model has learned, by name.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use russet::classes::Models;
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
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    classes: &'a [String],
    terms: Vec<ClassTerm<'a>>,
}

/// A term, with its class if there are more than two.
#[derive(Serialize)]
struct ClassTerm<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(flatten)]
    term: Term,
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

/// The strongest terms of all models.
fn strongest(models: &Models, top: usize) -> Vec<ClassTerm<'_>> {
    let named = |(class, term): (usize, Term)| ClassTerm { class: models.names().get(class).map(String::as_str), term };
    models.terms(top).into_iter().map(named).collect()
}

fn tree(models: &Models) -> Result<String> {
    if models.first().parents().is_none() {
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
    let of_class = |(name, model): (Option<&str>, &russet::Model)| {
        let rows: Vec<_> = model.tree().into_iter().map(row).collect();
        let heading = name.map_or(String::new(), |name| format!("class {name}\n"));
        heading + &table(&["parent", "after epoch", "weight", "active"], &rows)
    };
    Ok(models.named().map(of_class).collect::<Vec<_>>().join("\n"))
}

fn json(models: &Models, top: usize) -> Result<String> {
    let tally = models.tally();
    let (base, products) = models.weight_counts();
    Ok(serde_json::to_string(&Json {
        settings: models.settings(),
        task: models.task(),
        examples: tally.examples,
        progressive_error: models.progressive_error(),
        progressive_loss: tally.mean_loss(),
        features: models.first().features().len(),
        weights: base + products,
        classes: models.names(),
        terms: strongest(models, top),
    })?)
}

fn description(models: &Models) -> String {
    let settings = models.settings();
    let tally = &models.tally();
    let (base, products) = models.weight_counts();
    let text = format!(
        "{:?} expansion, {} loss, learning rate {}, {} bits\n{} examples, progressive loss {}, error {}\n{} features, {} weights\n",
        settings.expansion,
        settings.loss.name(),
        settings.learning_rate,
        settings.bits,
        thousands(tally.examples),
        figure(tally.mean_loss()),
        figure(models.progressive_error()),
        thousands(models.first().features().len() as u64),
        thousands((base + products) as u64),
    );
    match models.names() {
        [] => text,
        names => format!("{text}{} classes, one against the rest: {}\n", names.len(), names.join(", ")),
    }
}

fn csv(models: &Models, top: usize) -> Result<String> {
    let mut text = Vec::new();
    if models.only().is_none() {
        text.extend_from_slice(b"class,");
    }
    text.extend_from_slice(b"name,weight,effect,degree,epoch,active\n");
    for ClassTerm { class, term } in strongest(models, top) {
        if let Some(class) = class {
            write_field(class.as_bytes(), b',', &mut text)?;
            text.push(b',');
        }
        let [degree, epoch] = [term.degree.map(|degree| degree as u64), term.epoch.map(u64::from)].map(number);
        let active = number(term.active);
        write_field(term.name.as_bytes(), b',', &mut text)?;
        writeln!(text, ",{},{},{degree},{epoch},{active}", term.weight, term.effect)?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The strongest terms, a line each: `sex=female * class=3rd  -0.31  degree 2  epoch 3  active in 9%`.
pub(crate) fn terms_table(models: &Models, top: usize) -> String {
    // The epoch is of interest only where the feature set grows.
    let (grows, several) = (models.first().parents().is_some(), models.only().is_none());
    let cells = |ClassTerm { class, term }: &ClassTerm<'_>| {
        let mut cells: Vec<String> = class.iter().map(|class| format!("{class}:")).collect();
        cells.extend([term.name.clone(), weight(term.effect), labelled("degree", term.degree)]);
        cells.extend(grows.then(|| labelled("epoch", term.epoch)));
        cells.push(labelled("active in", term.active.map(percent)));
        cells
    };
    let lines: Vec<Vec<String>> = strongest(models, top).iter().map(cells).collect();
    let lines: Vec<&[String]> = lines.iter().map(Vec::as_slice).collect();
    // Only the weights are numbers without a word before them.
    columns(&lines, |column| column != 1 + usize::from(several))
}

/// A figure with the word for it; nothing where it is not known.
fn labelled(label: &str, figure: Option<impl Display>) -> String {
    figure.map_or(String::new(), |figure| format!("{label} {figure}"))
}

fn number(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
