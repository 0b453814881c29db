//! `russet inspect`: what a model has learned, by name.

use std::process::ExitCode;

use anyhow::Result;
use russet::Model;
use russet::metrics::Task;
use russet::model::{Branch, Term};
use russet::settings::Settings;
use serde::Serialize;

use crate::args::InspectArgs;
use crate::model_file;
use crate::output::{UsageError, figure, say, table, thousands};

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
            format!("{:+.4}", branch.effect),
        ]
    };
    let rows: Vec<_> = model.tree().into_iter().map(row).collect();
    Ok(table(&["parent", "after epoch", "effect"], &rows))
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

/// The strongest terms, lined up.
pub(crate) fn terms_table(model: &Model, top: usize) -> String {
    let rows: Vec<Vec<String>> = model.terms(top).iter().map(row).collect();
    let header = ["term", "weight", "effect", "degree", "epoch"];
    // The epoch is of interest only where the feature set grows.
    let columns = if model.parents().is_some() { 5 } else { 4 };
    table(&header[..columns], &rows.iter().map(|row| row[..columns].to_vec()).collect::<Vec<_>>())
}

fn row(term: &Term) -> Vec<String> {
    let signed = |value: f32| format!("{value:+.4}");
    let degree = term.degree.map_or("-".to_owned(), |degree| degree.to_string());
    let epoch = term.epoch.map_or("-".to_owned(), |epoch| epoch.to_string());
    vec![term.name.clone(), signed(term.weight), signed(term.effect), degree, epoch]
}
