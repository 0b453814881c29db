//! The program `russet`: reads its arguments, runs one command, says what went wrong.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod data;
mod interrupt;
mod lines;
mod model_file;
mod output;
mod train;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use commands::{completions, convert, evaluate, inspect, lab, predict, tune};
use train::parallel::launcher;

fn main() -> ExitCode {
    // Of many processes that were started with the same flags, one says what is wrong with them.
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if launcher::leaves_speaking_to_another() => std::process::exit(error.exit_code()),
        Err(error) => error.exit(),
    };
    let result = match arguments.command {
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
