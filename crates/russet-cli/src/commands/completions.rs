//! Completion scripts and manual pages, both made from the command line's declaration.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::output::{WriteError, say};

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "russet", &mut script);
    say(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    match &args.out {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            say(&String::from_utf8_lossy(&page))?;
        }
        Some(folder) => {
            clap_mangen::generate_to(Arguments::command(), folder).map_err(|cause| WriteError::file(folder, cause))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
