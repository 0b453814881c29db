//! `russet lab parallel`: the paper's table of learning in parallel.

use std::num::NonZero;
use std::process::ExitCode;

use anyhow::{Context, Result};
use russet::settings::Settings;
use russet_lab::study::{ParallelRow, ParallelSettings, ParallelTable, StudyError, parallel_table};

use crate::args::ParallelArgs;
use crate::interrupt::{self, Interrupted};
use crate::output::{UsageError, count, figure, note, say, size, table};

pub(crate) fn run(args: &ParallelArgs) -> Result<ExitCode> {
    Settings { alpha: args.alpha as f32, ..Settings::default() }.check()?;
    if args.mpi.is_some() && !cfg!(feature = "mpi") {
        return Err(UsageError("--mpi needs a russet that is built with --features mpi".to_owned()).into());
    }
    let words = |launcher: &String| launcher.split_whitespace().map(str::to_owned).collect();
    interrupt::watch()?;
    let settings = ParallelSettings {
        data: args.data.clone(),
        test: args.test.clone(),
        russet: std::env::current_exe().context("cannot find the program itself")?,
        ranks: args.ranks.iter().copied().map(NonZero::get).collect(),
        passes: args.passes,
        alpha: args.alpha,
        launcher: args.mpi.as_ref().map_or_else(Vec::new, words),
    };
    let mut tell = |title: &str| {
        if !args.quiet {
            note(title);
        }
    };
    let found = parallel_table(&settings, &mut tell, interrupt::flag()).map_err(|error| match error {
        StudyError::Interrupted => Interrupted.into(),
        error => anyhow::Error::from(error),
    })?;
    if args.json {
        say(&format!("{}\n", serde_json::to_string(&found)?))?;
    } else {
        say(&text(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(found: &ParallelTable) -> String {
    let header = ["method", "ranks", "test AUC", "test error", "seconds", "communicating", "sent", "paper's AUC"];
    let row = |row: &ParallelRow| {
        vec![
            row.method.to_owned(),
            row.ranks.to_string(),
            figure(row.auc),
            figure(row.test_error),
            format!("{:.2}", row.seconds),
            format!("{:.2}", row.seconds_communicating),
            size(row.bytes_sent),
            figure(Some(row.paper_auc)),
        ]
    };
    let passes = match found.passes {
        1 => "1 pass".to_owned(),
        passes => format!("{passes} passes"),
    };
    format!(
        "{}, {passes}, apple with alpha {}; {}{}\n\n{}\nThe paper's are for data and a cluster of its own.\n",
        found.data,
        found.alpha,
        count(found.rows.len() as u64, "run"),
        if found.mpi { " over MPI" } else { "" },
        table(&header, &found.rows.iter().map(row).collect::<Vec<_>>()),
    )
}
