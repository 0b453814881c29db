//! `russet lab`: experiments with the learner.

mod board;
mod parallel;
mod study;
mod theory;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{LabArgs, LabCommand};

pub(crate) fn run(args: &LabArgs) -> Result<ExitCode> {
    match &args.experiment {
        Some(LabCommand::Theory(args)) => theory::run(args),
        Some(LabCommand::Parallel(args)) => parallel::run(args),
        None => study::run(&args.study),
    }
}
