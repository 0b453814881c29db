//! `russet lab`: experiments with the learner.

mod theory;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::{LabArgs, LabCommand};

pub(crate) fn run(args: &LabArgs) -> Result<ExitCode> {
    match &args.experiment {
        LabCommand::Theory(args) => theory::run(args),
    }
}
