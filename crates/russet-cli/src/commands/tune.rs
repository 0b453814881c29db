//! `russet tune`: several learning rates, and for apple several values of alpha, side by side in one pass over the data.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use anyhow::{Result, anyhow, bail};
use crossbeam_channel::{Receiver, Sender, bounded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use russet::Model;
use russet::classes::{Learners, Models};
use russet::settings::{Checked, ExpansionKind, Settings, SettingsError, StepKind};
use russet_data::{OnError, Parsed, Schema, Stream, count_examples};
use serde::Serialize;

use crate::args::TuneArgs;
use crate::data::{self, Skipped};
use crate::output::{UsageError, figure, note, say, table};
use crate::{interrupt, model_file};

/// One candidate's result.
#[derive(Serialize)]
struct Candidate {
    learning_rate: f32,
    /// For apple.
    alpha: Option<f32>,
    progressive_error: Option<f64>,
    progressive_loss: Option<f64>,
    #[serde(skip)]
    model: Models,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    examples: u64,
    learning_rate: f32,
    alpha: Option<f32>,
    progressive_error: Option<f64>,
    progressive_loss: Option<f64>,
    candidates: &'a [Candidate],
}

/// Blocks that may wait for the slowest learner.
const AHEAD: usize = 4;

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode> {
    interrupt::watch()?;
    let inputs = args.data.inputs()?;
    data::check_output(args.output.as_deref(), &inputs)?;
    let settings = args.learn.applied_to(&Settings::default());
    args.learn.without_effect(&settings)?;
    if settings.step == StepKind::Sgd {
        return Err(
            UsageError("tune has nothing to search with --step sgd: its rate is 1/(l2 (t+1))".to_owned()).into()
        );
    }
    let candidates = combinations(args, &settings)?;
    let options = data::with_all_classes(args.data.options(true), &inputs, false)?;
    let mut stream = Stream::open_unless(&inputs, options.clone(), interrupt::flag())?;
    data::check_table_flags(&options.csv, stream.format())?;
    let schema = stream.schema().cloned();
    let length = match settings.expansion {
        ExpansionKind::Apple if inputs.can_reread() => Some(count_examples(&inputs, &options)?),
        _ => None,
    };
    let (results, skipped) = race(&candidates, &mut stream, length, options.on_error, args.quiet)?;
    interrupt::check()?;
    if !args.quiet {
        skipped.report();
    }
    report(args, &results, schema.as_ref())
}

/// Every rate with every alpha.
fn combinations(args: &TuneArgs, settings: &Settings) -> Result<Vec<Checked>, SettingsError> {
    if let Some(alpha) = args.alphas.first().filter(|_| settings.expansion != ExpansionKind::Apple) {
        let expected = "left out unless the expansion is apple";
        return Err(SettingsError { parameter: "alphas", value: alpha.to_string(), expected });
    }
    let alphas = if args.alphas.is_empty() { &[settings.alpha] } else { args.alphas.as_slice() };
    let pairs = alphas.iter().flat_map(|alpha| args.grid.iter().map(move |rate| (*alpha, *rate)));
    let candidates = pairs.map(|(alpha, learning_rate)| Settings { alpha, learning_rate, ..settings.clone() }.check());
    candidates.collect::<Result<_, _>>().map_err(|error| name_the_flag(args, error))
}

/// A rate out of range came from the grid, not from --learning-rate; an alpha perhaps from --alphas.
fn name_the_flag(args: &TuneArgs, error: SettingsError) -> SettingsError {
    let parameter = match error.parameter {
        "learning-rate" => "grid",
        "alpha" if !args.alphas.is_empty() => "alphas",
        other => other,
    };
    SettingsError { parameter, ..error }
}

/// Feeds every block to all learners, each in a thread of its own.
fn race(
    candidates: &[Checked],
    stream: &mut Stream,
    length: Option<u64>,
    on_error: OnError,
    quiet: bool,
) -> Result<(Vec<Candidate>, Skipped)> {
    let bar = progress_bar(quiet);
    let schema = stream.schema().cloned();
    let classes = schema.as_ref().and_then(|schema| schema.label.classes.as_deref()).unwrap_or_default();
    let mut skipped = Skipped::default();
    let finished = thread::scope(|scope| -> Result<Vec<(Models, Skipped)>> {
        let (mut lanes, mut learners) = (Vec::new(), Vec::new());
        for settings in candidates {
            let (lane, blocks) = bounded::<Arc<Parsed>>(AHEAD);
            lanes.push(lane);
            learners.push(scope.spawn(move || learn_all(settings, classes, length, &blocks, on_error)));
        }
        let read = feed(&lanes, stream, &mut skipped, &bar);
        // Without lanes the learners come to their end.
        drop(lanes);
        let models = learners.into_iter().map(|learner| learner.join().map_err(|_| anyhow!("a learner panicked"))?);
        let models = models.collect::<Result<Vec<_>>>()?;
        read.map(|()| models)
    })?;
    bar.finish_and_clear();
    // All learners refuse the same labels: one of them tells for all.
    if let Some((_, refused)) = finished.first() {
        skipped.merge(refused);
    }
    let candidate = |(model, _): (Models, Skipped)| Candidate {
        learning_rate: model.settings().learning_rate,
        alpha: model.first().parents().map(|_| model.settings().alpha),
        progressive_error: model.progressive_error(),
        progressive_loss: model.tally().mean_loss(),
        model,
    };
    Ok((finished.into_iter().map(candidate).collect(), skipped))
}

fn feed(lanes: &[Sender<Arc<Parsed>>], stream: &mut Stream, skipped: &mut Skipped, bar: &ProgressBar) -> Result<()> {
    while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
        skipped.add(&mut parsed);
        let parsed = Arc::new(*parsed);
        // A learner that has stopped for an error says so when it is joined.
        let alive = lanes.iter().filter(|lane| lane.send(Arc::clone(&parsed)).is_ok()).count();
        if alive < lanes.len() || interrupt::asked() {
            break;
        }
        bar.set_position((stream.progress().fraction().unwrap_or(0.0) * 1000.0) as u64);
    }
    Ok(())
}

fn learn_all(
    settings: &Checked,
    classes: &[String],
    length: Option<u64>,
    blocks: &Receiver<Arc<Parsed>>,
    on_error: OnError,
) -> Result<(Models, Skipped)> {
    let mut model = Model::new(settings.clone());
    model_file::choose_cpu(&mut model)?;
    let mut learner = Learners::resume(model.into());
    learner.separate(classes)?;
    if let Some(length) = length {
        learner.set_course_length(length);
    }
    let mut skipped = Skipped::default();
    for parsed in blocks {
        let mut start = 0;
        while let Err(error) = learner.learn_range(&parsed.batch, start..parsed.batch.len()) {
            let message = format!("{}:{}:1: {}", parsed.block.name, error.line, error.problem);
            if on_error == OnError::Stop {
                return Err(anyhow!(message));
            }
            skipped.add_one(message);
            start = error.place + 1;
        }
    }
    Ok((learner.into_models(), skipped))
}

fn report(args: &TuneArgs, candidates: &[Candidate], schema: Option<&Arc<Schema>>) -> Result<ExitCode> {
    let by_error = |a: &&Candidate, b: &&Candidate| {
        let key = |candidate: &Candidate| {
            (candidate.progressive_error.unwrap_or(f64::MAX), candidate.progressive_loss.unwrap_or(f64::MAX))
        };
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    if candidates.iter().all(|candidate| candidate.model.tally().examples == 0) {
        bail!("there is no example to learn from in the data");
    }
    let best = candidates.iter().min_by(by_error).ok_or_else(|| UsageError("--grid is empty".to_owned()))?;
    if let Some(path) = &args.output {
        let mut model = best.model.clone();
        model_file::attach_schema(schema, |name, text| model.attach(name, text))?;
        model_file::save(&model, path)?;
    }
    if args.json {
        let json = Json {
            examples: best.model.tally().examples,
            learning_rate: best.learning_rate,
            alpha: best.alpha,
            progressive_error: best.progressive_error,
            progressive_loss: best.progressive_loss,
            candidates,
        };
        say(&format!("{}\n", serde_json::to_string(&json)?))?;
    }
    if !args.quiet {
        let text = candidates_table(candidates, best);
        if args.json {
            note(text.trim_end());
        } else {
            say(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All candidates, lined up; the column of alpha is there for apple only.
fn candidates_table(candidates: &[Candidate], best: &Candidate) -> String {
    let row = |candidate: &Candidate| {
        let mark = if std::ptr::eq(candidate, best) { "  best" } else { "" };
        let mut cells = vec![candidate.learning_rate.to_string()];
        cells.extend(candidate.alpha.map(|alpha| alpha.to_string()));
        cells.extend([figure(candidate.progressive_loss), figure(candidate.progressive_error) + mark]);
        cells
    };
    let rows: Vec<_> = candidates.iter().map(row).collect();
    let mut header = vec!["learning rate", "progressive loss", "progressive error"];
    if best.alpha.is_some() {
        header.insert(1, "alpha");
    }
    table(&header, &rows)
}

fn progress_bar(quiet: bool) -> ProgressBar {
    let target = if quiet || !std::io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let style = ProgressStyle::with_template("{bar:40} {percent}%  left {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(1000), target).with_style(style)
}
