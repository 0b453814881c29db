//! `mpirun -n N russet train`: ranks are processes, on as many machines as there are.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Error, Result, bail};
use russet::parallel::{Collective, CollectiveError, ParallelError};
use russet_data::Fingerprint;
use russet_mpi::MpiCollective;

use super::{Part, Plan, Rank, cache};
use crate::args::TrainArgs;
use crate::data::Skipped;
use crate::interrupt;
use crate::output::{self, UsageError, note};
use crate::train::{Trained, check_outputs, conclude};

/// Connects with the other processes that were started, if there are any.
pub(super) fn join() -> Result<Option<MpiCollective>> {
    let collective = MpiCollective::join()?;
    Ok((collective.ranks() > 1).then_some(collective))
}

/// Trains on all ranks. One that fails ends them all, and one says why.
pub(super) fn run(args: &TrainArgs, mut collective: MpiCollective, started: Instant) -> ExitCode {
    match train(args, &mut collective, started) {
        Ok(code) => code,
        Err(error) => end(&collective, &error),
    }
}

fn train(args: &TrainArgs, collective: &mut MpiCollective, started: Instant) -> Result<ExitCode> {
    if args.threads.get() > 1 {
        let message = "--threads cannot be used under an MPI launcher: start more ranks instead";
        return Err(UsageError(message.to_owned()).into());
    }
    let plan = Plan::new(args)?;
    if collective.rank() == 0 {
        check_outputs(args, &plan.inputs)?;
    }
    compare(args, &plan, collective)?;
    let (part, made) = part(args, &plan, collective)?;
    let learning = Instant::now();
    let mut trained = Rank::new(args, &plan, part, collective)?.run()?;
    trained.skipped.merge(&made);
    if collective.rank() == 0 {
        conclude(args, None, Trained { seconds: learning.elapsed().as_secs_f64(), ..trained }, started)?;
    }
    // The others stay until the first has written everything: should it fail, they end with it.
    collective.barrier()?;
    Ok(ExitCode::SUCCESS)
}

/// What this rank reads. A cache is made by the first, while the others wait.
fn part(args: &TrainArgs, plan: &Plan, collective: &mut MpiCollective) -> Result<(Part, Skipped)> {
    let (rank, ranks) = (collective.rank(), collective.ranks());
    let (parts, made) = match &args.cache {
        None => (Part::deal(&plan.inputs, &plan.options, ranks)?, Skipped::default()),
        Some(path) => {
            let mut made = Skipped::default();
            if rank == 0 {
                made = cache::make(args, path, plan)?;
            }
            collective.barrier()?;
            let (inputs, options) = cache::reading(path, &plan.options);
            (Part::deal(&inputs, &options, ranks)?, made)
        }
    };
    match parts.into_iter().nth(rank) {
        Some(part) => Ok((part, made)),
        None => bail!("there is no part for this rank"),
    }
}

/// Makes sure that all ranks were started alike and see the same data.
fn compare(args: &TrainArgs, plan: &Plan, collective: &mut MpiCollective) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let said = format!("{version} {args:?}");
    let seen = format!("{:?} {:?}", Fingerprint::of(&plan.inputs), plan.course.settings);
    for (own, what) in [(said, "was started with other arguments or another russet"), (seen, "sees other data files")] {
        let gathered = collective.gather(own.as_bytes())?;
        if let Some(rank) = gathered.iter().position(|theirs| theirs != &gathered[0]) {
            bail!("rank {rank} {what} than rank 0");
        }
    }
    Ok(())
}

/// Ends all ranks, having said why.
fn end(collective: &MpiCollective, error: &Error) -> ExitCode {
    let Some((message, code)) = output::failure(error) else { return ExitCode::SUCCESS };
    let (said, code) = match failure_of_another(error) {
        Some(theirs) => (format!("error: {message}"), theirs),
        None if code == interrupt::EXIT_CODE => (message.clone(), code),
        // What is wrong with the flags is so on all ranks.
        None if code == output::USAGE => (format!("error: {message}"), code),
        None => (format!("error: rank {} on {}: {message}", collective.rank(), collective.host()), code),
    };
    collective.fail(&message, code);
    note(said);
    collective.abort(code)
}

/// The exit code that another rank asks for, if that is what the error is about.
fn failure_of_another(error: &Error) -> Option<u8> {
    let of_parallel = || match error.downcast_ref() {
        Some(ParallelError::Collective(error)) => Some(error),
        _ => None,
    };
    match error.downcast_ref().or_else(of_parallel) {
        Some(CollectiveError::Failed { code, .. }) => Some(*code),
        _ => None,
    }
}
