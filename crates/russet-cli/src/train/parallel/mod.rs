//! The course of a training on several ranks, each with its part of the data.

mod cache;
pub(crate) mod launcher;
#[cfg(feature = "mpi")]
mod mpi;
mod part;
mod rank;
mod threads;

use std::num::NonZero;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use russet::Model;
use russet::parallel;
use russet_data::{Input, Inputs, ReadOptions};

use super::course::Course;
use super::place::Place;
use crate::args::TrainArgs;
use crate::model_file;
use crate::output::UsageError;

use part::Part;
use rank::Rank;

/// Trains on several ranks, if that is asked for by a flag or by what has started the program.
pub(super) fn run(args: &TrainArgs, started: Instant) -> Result<Option<ExitCode>> {
    if launcher::is_there() {
        #[cfg(not(feature = "mpi"))]
        if let Some(code) = launcher::refuse()? {
            return Ok(Some(code));
        }
        #[cfg(feature = "mpi")]
        if let Some(collective) = mpi::join()? {
            return Ok(Some(mpi::run(args, collective, started)));
        }
    }
    if args.threads.get() > 1 {
        return threads::run(args, started).map(Some);
    }
    let given = [("--sync-every", args.sync_every.is_some()), ("--average", args.average.is_some())];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(UsageError(format!("{flag} is for --threads above 1")).into()),
        None => Ok(None),
    }
}

/// What all ranks begin with.
struct Plan {
    course: Course,
    /// What was asked for, before anything was read.
    options: ReadOptions,
    inputs: Inputs,
    model: Model,
    place: Option<Place>,
    /// True if something has been learned already; a checkpoint may be from before the first example.
    goes_on: bool,
}

impl Plan {
    /// Reads flags, data and the model to go on with, as far as all ranks do.
    fn new(args: &TrainArgs) -> Result<Plan> {
        let inputs = args.data.inputs()?;
        check(args, &inputs)?;
        super::check_inputs(args, &inputs)?;
        let (models, place) = super::begin(args)?;
        let model = models.only().cloned().ok_or_else(part::several_classes)?;
        if let Err(error) = parallel::check(model.settings()) {
            return Err(UsageError(error.to_string()).into());
        }
        if place.as_ref().is_some_and(|place| place.blocks > 0) {
            let message = "this checkpoint is of the middle of a pass, from which one rank alone can go on";
            return Err(UsageError(message.to_owned()).into());
        }
        let options = args.data.options(true);
        let schema = model_file::schema(&models, &options.csv)?;
        let options = ReadOptions { schema, threads: args.data.readers.map_or(1, NonZero::get), ..options };
        let course = Course::plan(args, &inputs, &options, place.as_ref())?;
        let begun = place.as_ref().is_none_or(|place| place.pass > 0 || place.ranks.is_some());
        let goes_on = args.resume.is_some() && (begun || model.progress().tally.examples > 0);
        Ok(Plan { course, options, inputs, model, place, goes_on })
    }
}

/// Refuses flags that do not go with several ranks.
fn check(args: &TrainArgs, inputs: &Inputs) -> Result<()> {
    let refuse = |message: String| Err(UsageError(message).into());
    let given = [
        ("--checkpoint-every", args.checkpoint_every.is_some(), "; --checkpoint saves at the end of each pass"),
        ("--holdout", args.holdout.is_some(), ""),
        ("--examples", args.examples.is_some(), ""),
    ];
    match given.iter().find(|(_, given, _)| *given) {
        Some((flag, _, instead)) => refuse(format!("{flag} cannot be used with more than one rank{instead}")),
        None if inputs.iter().any(|input| *input == Input::Standard) => {
            refuse("more than one rank needs files: standard input cannot be dealt out".to_owned())
        }
        None if !inputs.can_reread() && inputs.check().is_ok() => {
            refuse("more than one rank needs files: a pipe cannot be dealt out".to_owned())
        }
        None => Ok(()),
    }
}
