//! Completion scripts and manual pages, both made from the command line's declaration.

use std::io;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs, ManArgs};

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "russet", &mut script);
    io::Write::write_all(&mut io::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    match &args.out {
        None => clap_mangen::Man::new(Arguments::command()).render(&mut io::stdout())?,
        Some(folder) => clap_mangen::generate_to(Arguments::command(), folder)
            .with_context(|| format!("cannot write to {}", folder.display()))?,
    }
    Ok(ExitCode::SUCCESS)
}
