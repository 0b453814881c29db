//! The program `russet`: reads its arguments, runs one command, says what went wrong.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod data;
mod interrupt;
mod model_file;
mod output;
mod train;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use commands::{completions, convert, evaluate, inspect, lab, predict, tune};

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Train(args) => train::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::man(&args),
    };
    result.unwrap_or_else(|error| output::fail(&error))
}
