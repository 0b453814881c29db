//! `russet train`: from data to a model.

mod ahead;
mod beside;
mod board;
mod course;
mod length;
mod parallel;
mod place;
mod source;
mod summary;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use russet::Model;
use russet::classes::{Learners, Models};
use russet::settings::Settings;
use russet_data::{Inputs, ReadOptions};

use crate::args::TrainArgs;
use crate::output::{UsageError, count, note, say};
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
    let inputs = args.data.inputs()?;
    parallel::check(args, &inputs)?;
    check_first(args, &inputs)?;
    if args.threads.get() > 1 {
        return parallel::run(args, &inputs, begin(args)?.0.first(), started);
    }
    let (model, place) = begin(args)?;
    let schema = model_file::schema(&model, &args.data.options(true).csv)?;
    let options = data::with_all_classes(args.data.options(true), &inputs, schema.is_some())?;
    let options = ReadOptions { schema, hash_blocks: args.output.is_some() || place.is_some(), ..options };
    let course = Course::plan(args, &inputs, &options, place.as_ref())?;
    let length = Length::find(args, &inputs, &options, &course, &model)?;
    let mut training = prepare(args, &inputs, options, (course, length), model, place)?;
    match training.run()? {
        Ended::Interrupted => stop(args, &mut training),
        Ended::Finished => finish(args, &inputs, training, started),
    }
}

/// What can be found out now rather than after hours of training.
fn check_first(args: &TrainArgs, inputs: &Inputs) -> Result<()> {
    let test = match &args.test {
        Some(test) => Inputs::find(std::slice::from_ref(test))?,
        None => inputs.clone(),
    };
    test.check()?;
    for path in [&args.output, &args.cache].into_iter().flatten() {
        data::check_output(Some(path), inputs)?;
        data::check_output(Some(path), &test)?;
    }
    if args.output.is_some() && args.output == args.cache {
        return Err(UsageError("the output and the cache are the same file".to_owned()).into());
    }
    Ok(())
}

/// The model to start from: an empty one, or the one to resume with its place in the data.
fn begin(args: &TrainArgs) -> Result<(Models, Option<Place>)> {
    let Some(path) = &args.resume else {
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
    Ok(ExitCode::SUCCESS)
}
