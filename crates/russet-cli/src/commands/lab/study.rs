//! `russet lab DIR`: the paper's study, and what came of it in a few lines.

use std::num::NonZero;
use std::process::ExitCode;

use anyhow::{Context, Result};
use russet::settings::{ExpansionKind, Settings as Learning, SettingsError};
use russet_lab::study::{self, Method, Program, Run, SetResults, Settings, Study, StudyError};
use serde::Serialize;

use super::board::Board;
use crate::args::StudyArgs;
use crate::interrupt::{self, Interrupted};
use crate::output::{UsageError, count, figure, note, say, table, thousands};

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    /// The file with everything.
    results: &'a str,
    sets: usize,
    /// Names of the sets that could not be studied.
    unusable: Vec<&'a str>,
    runs_done: usize,
    runs_known: usize,
}

pub(crate) fn run(args: &StudyArgs) -> Result<ExitCode> {
    check(args)?;
    interrupt::watch()?;
    let board = Board::new(args.quiet);
    let study = study::run(&settings(args)?, &board, interrupt::flag());
    board.finish();
    let study = study.map_err(|error| explained(args, error))?;
    study::write(&study.results, &args.out)?;
    russet_lab::report::write(&study.results, &args.out)?;
    report(args, &study)?;
    let studied = study.results.sets.iter().any(|set| !set.runs.is_empty());
    Ok(if studied { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Refuses rates and alphas that every run would refuse.
fn check(args: &StudyArgs) -> Result<(), SettingsError> {
    let refused =
        |parameter, settings: Learning| settings.check().err().map(|error| SettingsError { parameter, ..error });
    let apple = || Learning { expansion: ExpansionKind::Apple, ..Learning::default() };
    let rates = args.rates.iter().map(|rate| ("rates", Learning { learning_rate: *rate as f32, ..apple() }));
    let alphas = args.alphas.iter().map(|alpha| ("alphas", Learning { alpha: *alpha as f32, ..apple() }));
    rates.chain(alphas).find_map(|(parameter, settings)| refused(parameter, settings)).map_or(Ok(()), Err)
}

fn settings(args: &StudyArgs) -> Result<Settings> {
    let peers =
        [(Program::Vw, args.with_vw), (Program::Lightgbm, args.with_lightgbm), (Program::Sklearn, args.with_sklearn)];
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    Ok(Settings {
        data: args.data.clone(),
        out: args.out.clone(),
        russet: std::env::current_exe().context("cannot find the program itself")?,
        rates: args.rates.clone(),
        alphas: args.alphas.clone(),
        budget: args.budget,
        jobs: args.jobs.map_or_else(cores, NonZero::get),
        shuffle: args.shuffle,
        only: args.sets.clone(),
        paper: args.preset.is_some(),
        peers: peers.into_iter().filter(|(_, wanted)| *wanted).map(|(peer, _)| peer).collect(),
        environment: args.venv.clone(),
    })
}

/// What a study's error means for the user.
fn explained(args: &StudyArgs, error: StudyError) -> anyhow::Error {
    match error {
        StudyError::Interrupted => {
            if !args.quiet {
                let out = args.out.display();
                note(format_args!("finished runs are kept in {out}; the same command goes on from there"));
            }
            Interrupted.into()
        }
        StudyError::UnknownSet { .. } => UsageError(format!("--sets: {error}")).into(),
        error => error.into(),
    }
}

fn report(args: &StudyArgs, study: &Study) -> Result<()> {
    let sets = &study.results.sets;
    let results = args.out.join("results.json").display().to_string();
    if args.json {
        let unusable = sets.iter().filter(|set| set.problem.is_some()).map(|set| set.name.as_str()).collect();
        let json =
            Json { results: &results, sets: sets.len(), unusable, runs_done: study.done, runs_known: study.known };
        say(&format!("{}\n", serde_json::to_string(&json)?))?;
    }
    if args.quiet {
        return Ok(());
    }
    let (done, known) = (count(study.done as u64, "run"), thousands(study.known as u64));
    let headline = russet_lab::report::headline(&study.results).russet.sentence();
    let page = args.out.join("index.html").display().to_string();
    let text = format!(
        "{}\n{headline}\n\n{done}, {known} taken from before; results are in {results}, the page is {page}\n",
        summary(sets)
    );
    if args.json {
        note(text.trim_end());
        return Ok(());
    }
    say(&text)
}

/// A line for each data set: test errors, and apple's time as a multiple of linear's.
fn summary(sets: &[SetResults]) -> String {
    let header = ["set", "examples", "features", "lin", "quad", "cubic", "apple", "time/lin"];
    let row = |set: &SetResults| {
        let of = |method, alpha| {
            let same = |run: &&Run| (run.program, run.method, run.alpha) == (Program::Russet, method, alpha);
            set.runs.iter().find(same)
        };
        let (lin, apple) = (of(Method::Lin, None), of(Method::Apple, Some(1.0)));
        let runs = [lin, of(Method::Quad, None), of(Method::Cubic, None), apple];
        let time = lin.zip(apple).map(|(lin, apple)| apple.train_seconds / lin.train_seconds);
        let mut cells = vec![set.name.clone(), thousands(set.train_examples + set.test_examples)];
        cells.push(format!("{:.1}", set.features_per_example));
        cells.extend(runs.map(|run| figure(run.map(|run| run.test_error))));
        cells.push(time.map_or("-".to_owned(), |time| format!("{time:.1}")));
        cells
    };
    let usable = sets.iter().filter(|set| set.problem.is_none());
    let mut text = table(&header, &usable.map(row).collect::<Vec<_>>());
    for set in sets {
        text.extend(set.problem.iter().map(|problem| format!("{}: {problem}\n", set.name)));
        for skipped in &set.skipped {
            let alpha = skipped.alpha.map_or(String::new(), |alpha| format!(" {alpha}"));
            let (program, method) = (skipped.program, skipped.method);
            text += &format!("{}: without {program} {method}{alpha}: {}\n", set.name, skipped.reason);
        }
    }
    text
}
