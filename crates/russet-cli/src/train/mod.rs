//! `russet train`: from data to a model.

mod ahead;
mod beside;
mod board;
mod course;
mod length;
pub(crate) mod parallel;
mod place;
mod scratch;
mod source;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use russet::Model;
use russet::classes::{Learners, Models};
use russet::settings::Settings;
use russet_data::{Inputs, ReadOptions};

use crate::args::TrainArgs;
use crate::output::{UsageError, WriteError, count, note, say};
use crate::{data, interrupt, model_file};
use board::Board;
use course::{Course, Ended, Training};
use length::Length;
use place::Place;
use source::Sources;
use summary::{Ranks, Summary};

pub(crate) fn run(args: &TrainArgs) -> Result<ExitCode> {
    let started = Instant::now();
    interrupt::watch()?;
    if let Some(code) = parallel::run(args, started)? {
        return Ok(code);
    }
    let inputs = args.data.inputs()?;
    check_inputs(args, &inputs)?;
    check_outputs(args, &inputs)?;
    let (model, place) = begin(args)?;
    let options = args.data.options(true);
    let schema = model_file::schema(&model, &options.csv)?;
    let options = data::with_all_classes(options, &inputs, schema.is_some())?;
    let options = ReadOptions { schema, hash_blocks: args.output.is_some() || place.is_some(), ..options };
    let course = Course::plan(args, &inputs, &options, place.as_ref())?;
    let length = Length::find(args, &inputs, &options, &course, &model)?;
    let mut training = prepare(args, &inputs, options, (course, length), model, place)?;
    match training.run()? {
        Ended::Interrupted => stop(args, &mut training),
        Ended::Finished => finish(args, &inputs, training, started),
    }
}

/// What is tested with, if it is not a part of the data.
fn test_inputs(args: &TrainArgs) -> Result<Option<Inputs>> {
    Ok(args.test.as_ref().map(|test| Inputs::find(std::slice::from_ref(test))).transpose()?)
}

/// What can be found out of the data now rather than after hours of training.
fn check_inputs(args: &TrainArgs, inputs: &Inputs) -> Result<()> {
    Ok(test_inputs(args)?.as_ref().unwrap_or(inputs).check()?)
}

/// The same for what will be written.
fn check_outputs(args: &TrainArgs, inputs: &Inputs) -> Result<()> {
    let test = test_inputs(args)?.unwrap_or_else(|| inputs.clone());
    if let Some(folder) = &args.checkpoint {
        std::fs::create_dir_all(folder).map_err(|cause| WriteError::file(folder, cause))?;
        data::check_output(Some(&checkpoint_file(folder)), inputs)?;
    }
    for path in [&args.output, &args.cache].into_iter().flatten() {
        data::check_output(Some(path), inputs)?;
        data::check_output(Some(path), &test)?;
    }
    if args.output.is_some() && args.output == args.cache {
        return Err(UsageError("the output and the cache are the same file".to_owned()).into());
    }
    Ok(())
}

/// Where in a folder the checkpoint is that `--checkpoint` writes.
fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join("checkpoint.model")
}

/// A checkpoint by its own name or that of its folder.
fn checkpoint_in(path: &Path) -> PathBuf {
    if path.is_dir() { checkpoint_file(path) } else { path.to_owned() }
}

/// The model to start from: an empty one, or the one to resume with its place in the data.
fn begin(args: &TrainArgs) -> Result<(Models, Option<Place>)> {
    let Some(path) = &args.resume.as_deref().map(checkpoint_in) else {
        let settings = args.learn.applied_to(&Settings::default());
        args.learn.without_effect(&settings)?;
        let mut model = Model::new(settings.check()?);
        model_file::choose_cpu(&mut model)?;
        return Ok((model.into(), None));
    };
    let mut model = model_file::load(path)?;
    let wanted = args.learn.applied_to(model.settings());
    if wanted != **model.settings() {
        let difference =
            place::difference(&serde_json::to_value(&wanted)?, &serde_json::to_value(&**model.settings())?);
        return Err(
            UsageError(format!("{}: the model was trained with other settings: {difference}", path.display())).into()
        );
    }
    let place = Place::take_from(&mut model)?;
    Ok((model, place))
}

fn prepare(
    args: &TrainArgs,
    inputs: &Inputs,
    options: ReadOptions,
    (course, length): (Course, Length),
    model: Models,
    place: Option<Place>,
) -> Result<Training> {
    let several_threads = options.threads > 1;
    let resumed_in_text = place.as_ref().is_some_and(Place::in_first_text_pass);
    let sources = Sources::new(inputs, options, args.cache.as_deref(), course.passes, resumed_in_text, args.quiet)?;
    let board = Board::new(args.quiet, course.passes, model.tally());
    let mut learner = Learners::resume(model);
    length.begin(&mut learner);
    Ok(Training {
        learner,
        beside: None,
        several_threads,
        course,
        length,
        sources,
        board,
        resume_at: place,
        output: args.output.clone(),
        checkpoint_every: args.checkpoint_every,
        checkpoints: args.checkpoint.clone(),
        skipped: data::Skipped::default(),
        seconds: 0.0,
        position: Place::default(),
    })
}

/// After Ctrl-C: says what was done and saves a checkpoint, if there is somewhere to save it.
fn stop(args: &TrainArgs, training: &mut Training) -> Result<ExitCode> {
    let learned = training.learner.examples();
    let learned = count(learned, "example");
    match &args.output {
        Some(path) => {
            training.checkpoint()?;
            let path = path.display();
            note(format_args!("interrupted after {learned}; the checkpoint is in {path}: go on with --resume {path}"));
        }
        None => note(format_args!("interrupted after {learned}; nothing is saved, as there was no --output")),
    }
    Ok(ExitCode::from(interrupt::EXIT_CODE))
}

fn finish(args: &TrainArgs, inputs: &Inputs, mut training: Training, started: Instant) -> Result<ExitCode> {
    training.board.finish();
    let test = training.course.learned_per_pass.map(|learned| (inputs.clone(), learned));
    let Training { learner, skipped, seconds, .. } = training;
    conclude(args, test, Trained { model: learner.into_models(), skipped, seconds, ranks: Ranks::default() }, started)
}

/// What comes out of a training.
struct Trained {
    model: Models,
    skipped: data::Skipped,
    /// The time spent reading and learning.
    seconds: f64,
    ranks: Ranks,
}

/// Saves the model, evaluates it and tells what it came to. `kept`: data to test with, unless a file is named, and how many of its
/// examples were learned from.
fn conclude(args: &TrainArgs, kept: Option<(Inputs, u64)>, trained: Trained, started: Instant) -> Result<ExitCode> {
    let Trained { model, skipped, seconds, ranks } = trained;
    if let Some(path) = &args.output {
        model_file::save(&model, path)?;
    }
    if !args.quiet {
        skipped.report();
    }
    let test = match &args.test {
        Some(file) => Some((Inputs::find(std::slice::from_ref(file))?, 0)),
        None => kept,
    };
    let scores = match test {
        Some((inputs, from)) => {
            let (scores, skipped) = data::evaluate(&model, &inputs, args.data.options(true), from)?;
            if !args.quiet {
                skipped.report();
            }
            Some(scores)
        }
        None => None,
    };
    let total_seconds = started.elapsed().as_secs_f64();
    let summary = Summary { model: &model, scores, train_seconds: seconds, total_seconds, ranks };
    if args.json {
        say(&format!("{}\n", summary.json()?))?;
    }
    if !args.quiet {
        let text = summary.text(args.output.as_deref(), args.top);
        if args.json {
            note(text.trim_end());
        } else {
            say(&text)?;
        }
    }
    // The program ends here: the system has the memory back sooner than piece by piece.
    std::mem::forget(model);
    Ok(ExitCode::SUCCESS)
}
