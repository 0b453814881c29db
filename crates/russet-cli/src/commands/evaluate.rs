//! `russet evaluate`: how well a model predicts labelled data.

use std::process::ExitCode;

use anyhow::Result;
use russet::metrics::{Scores, Task};

use crate::args::EvaluateArgs;
use crate::output::{figure, say, thousands};
use crate::{data, interrupt, model_file};

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    interrupt::watch()?;
    let model = model_file::load(&args.model)?;
    let (scores, skipped) = data::evaluate(&model, &args.data.inputs()?, args.data.options(true), 0)?;
    skipped.report();
    if args.json {
        say(&format!("{}\n", serde_json::to_string(&scores)?))?;
    } else {
        say(&text(&scores))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(scores: &Scores) -> String {
    let (error, mean) = match scores.task {
        Task::Classification => ("error (share of mistakes)", "probability"),
        Task::Regression => ("error (mean squared)", "prediction"),
    };
    let means = (figure(scores.mean_prediction), figure(scores.mean_label));
    let calibration = match scores.mean_prediction {
        Some(_) => format!("mean {mean} {}, mean label {}", means.0, means.1),
        None => figure(None),
    };
    let mut lines = vec![
        ("examples", thousands(scores.examples)),
        (error, figure(scores.error)),
        ("loss", figure(scores.loss)),
        ("log loss", figure(scores.log_loss)),
        ("AUC", figure(scores.auc)),
        ("squared error", figure(scores.squared_error)),
        ("absolute error", figure(scores.absolute_error)),
        ("R2", figure(scores.r2)),
        ("calibration", calibration),
    ];
    lines.retain(|(_, value)| value != "-");
    lines.into_iter().map(|(name, value)| format!("{name:<26} {value}\n")).collect()
}
