//! `--threads N`: ranks are threads of this process.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use russet::parallel::{CollectiveError, ParallelError, ThreadCollective};

use super::{Part, Plan, Rank, cache};
use crate::args::TrainArgs;
use crate::data::Skipped;
use crate::train::{Trained, check_outputs, conclude};

/// Trains on all ranks.
pub(super) fn run(args: &TrainArgs, started: Instant) -> Result<ExitCode> {
    let plan = Plan::new(args)?;
    check_outputs(args, &plan.inputs)?;
    let ranks = args.threads.get();
    let mut skipped = Skipped::default();
    let parts = match &args.cache {
        None => Part::deal(&plan.inputs, &plan.options, ranks)?,
        Some(path) => {
            skipped = cache::make(args, path, &plan)?;
            let (inputs, options) = cache::reading(path, &plan.options);
            Part::deal(&inputs, &options, ranks)?
        }
    };
    let learning = Instant::now();
    let results = thread::scope(|scope| {
        let start = |(mut collective, part): (ThreadCollective, Part)| {
            let plan = &plan;
            scope.spawn(move || Rank::new(args, plan, part, &mut collective)?.run())
        };
        let threads: Vec<_> = ThreadCollective::new(ranks).into_iter().zip(parts).map(start).collect();
        threads.into_iter().map(|rank| rank.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut trained = first(results)?;
    trained.skipped.merge(&skipped);
    conclude(args, None, Trained { seconds: learning.elapsed().as_secs_f64(), ..trained }, started)
}

/// What the first rank came to, which is what all did, or what ended the first that failed of itself.
fn first(results: Vec<Result<Trained>>) -> Result<Trained> {
    let released = |error: &anyhow::Error| {
        let left = |error: &ParallelError| matches!(error, ParallelError::Collective(CollectiveError::Left { .. }));
        error.downcast_ref().is_some_and(left)
    };
    let (mut trained, mut errors) = (None, Vec::new());
    for result in results {
        match result {
            Ok(found) => drop(trained.get_or_insert(found)),
            Err(error) => errors.push(error),
        }
    }
    errors.sort_by_key(released);
    match (errors.into_iter().next(), trained) {
        (Some(error), _) => Err(error),
        (None, Some(trained)) => Ok(trained),
        (None, None) => bail!("no rank has finished"),
    }
}
