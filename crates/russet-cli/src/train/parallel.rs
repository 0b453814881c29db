//! `--threads N`: the course of a training on several ranks, each with its part of the data.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use russet::metrics::Progressive;
use russet::parallel::{self, Average, Collective, CollectiveError, ParallelError, Synchroniser, ThreadCollective};
use russet::settings::ExpansionKind;
use russet::{Learner, Model};
use russet_data::{Inputs, Parsed, ReadOptions, Shard, Stream, count_examples};

use super::course::forgive;
use super::source::Sources;
use super::summary::Ranks;
use super::{Trained, conclude};
use crate::args::TrainArgs;
use crate::data::{self, Skipped};
use crate::interrupt;
use crate::model_file;
use crate::output::{UsageError, count, figure, note};

/// Refuses flags that do not go with several ranks, or with one.
pub(super) fn check(args: &TrainArgs, inputs: &Inputs) -> Result<()> {
    let refuse = |message: &str| Err(UsageError(message.to_owned()).into());
    if args.threads.get() == 1 {
        return match (args.sync_every, args.average) {
            (Some(_), _) => refuse("--sync-every is for --threads above 1"),
            (_, Some(_)) => refuse("--average is for --threads above 1"),
            _ => Ok(()),
        };
    }
    let given = [
        ("--resume", args.resume.is_some()),
        ("--checkpoint-every", args.checkpoint_every.is_some()),
        ("--cache", args.cache.is_some()),
        ("--holdout", args.holdout.is_some()),
        ("--examples", args.examples.is_some()),
        ("--readers", args.data.readers.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => refuse(&format!("{flag} cannot be used with --threads above 1 yet")),
        None if inputs.iter().any(|input| *input == russet_data::Input::Standard) => {
            refuse("--threads above 1 needs files: standard input cannot be dealt out")
        }
        None => Ok(()),
    }
}

/// Trains on all ranks.
pub(super) fn run(args: &TrainArgs, inputs: &Inputs, model: &Model, started: Instant) -> Result<ExitCode> {
    if let Err(error) = parallel::check(model.settings()) {
        return Err(UsageError(error.to_string()).into());
    }
    let parts = deal(args, inputs)?;
    let learning = Instant::now();
    let results = thread::scope(|scope| {
        let ranks = ThreadCollective::new(parts.len()).into_iter().zip(&parts);
        let start = |(collective, part): (ThreadCollective, &Part)| {
            let part = part.clone();
            scope.spawn(move || Rank::new(args, part, Learner::resume(model.clone()), collective)?.run())
        };
        let threads: Vec<_> = ranks.map(start).collect();
        threads.into_iter().map(|rank| rank.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    conclude(args, None, together(results, learning)?, started)
}

/// What one rank reads.
#[derive(Clone)]
struct Part {
    inputs: Inputs,
    options: ReadOptions,
}

/// Deals files out to ranks, by size; if there are too few, blocks of all files in turn.
fn deal(args: &TrainArgs, inputs: &Inputs) -> Result<Vec<Part>> {
    let ranks = args.threads.get();
    if !inputs.can_reread() {
        return Err(UsageError("--threads above 1 needs files: a pipe cannot be dealt out".to_owned()).into());
    }
    let options = ReadOptions { threads: 1, ..args.data.options(true) };
    // All ranks read by what the first file says.
    let stream = Stream::open_unless(inputs, options.clone(), interrupt::flag())?;
    let (format, schema) = (Some(stream.format()), stream.schema().cloned());
    data::check_table_flags(&options.csv, stream.format())?;
    let classes = schema.as_ref().and_then(|schema| schema.label.classes.as_ref()).map_or(0, Vec::len);
    if classes > 2 {
        return Err(UsageError("--threads above 1 does not know more than two classes yet".to_owned()).into());
    }
    let options = ReadOptions { format, schema, ..options };
    if inputs.len() >= ranks {
        let parts = inputs.deal(ranks).into_iter();
        return Ok(parts.map(|inputs| Part { inputs, options: options.clone() }).collect());
    }
    // Small enough that every rank gets several.
    let share = inputs.bytes().unwrap_or(0) / (16 * ranks as u64);
    let block_bytes = (share as usize).clamp(1 << 12, options.block_bytes);
    let part = |index| {
        let shard = Some(Shard { index: index as u64, count: ranks as u64 });
        Part { inputs: inputs.clone(), options: ReadOptions { shard, block_bytes, ..options.clone() } }
    };
    Ok((0..ranks).map(part).collect())
}

/// One rank's training under way; it depends on nothing but the trait of what connects the ranks.
struct Rank<C> {
    learner: Learner,
    collective: C,
    synchroniser: Synchroniser,
    sources: Sources,
    passes: u32,
    sync_every: Option<u64>,
    /// How many examples are learned until ranks come together.
    left: u64,
    skipped: Skipped,
    /// Whether it tells how far the work is: one does.
    tells: bool,
}

impl<C: Collective> Rank<C> {
    fn new(args: &TrainArgs, part: Part, mut learner: Learner, mut collective: C) -> Result<Rank<C>> {
        let passes = args.passes.unwrap_or(1);
        let mut synchroniser = Synchroniser::new(args.average.map_or_else(Average::default, Into::into));
        let examples = count_examples(&part.inputs, &part.options)?;
        synchroniser.begin(&mut learner, examples, passes, &mut collective)?;
        let sources = Sources::new(&part.inputs, part.options, None, passes, false, args.quiet)?;
        let tells = collective.rank() == 0 && !args.quiet;
        let (sync_every, skipped) = (args.sync_every, Skipped::default());
        Ok(Rank { learner, collective, synchroniser, sources, passes, sync_every, left: 0, skipped, tells })
    }

    /// Goes through the course; gives the model, which is the same on all ranks.
    fn run(mut self) -> Result<Finished> {
        for pass in 0..self.passes {
            self.pass(pass)?;
            if self.tells {
                tell(pass, self.passes, self.collective.ranks(), self.synchroniser.totals(), self.learner.model());
            }
        }
        if self.synchroniser.totals().tally.examples == 0 {
            bail!("there is no example to learn from in the data");
        }
        self.synchroniser.finish(&mut self.learner, &mut self.collective)?;
        let traffic = self.collective.traffic();
        Ok(Finished { model: self.learner.into_model(), skipped: self.skipped, traffic })
    }

    fn pass(&mut self, pass: u32) -> Result<()> {
        let mut stream = self.sources.open(pass)?;
        self.learner.set_pass(pass, self.passes);
        model_file::attach_schema(stream.schema(), |name, text| self.learner.attach(name, text))?;
        // The first pass of a feature set that grows is for each rank alone.
        let grows = pass == 0 && self.learner.model().settings().expansion == ExpansionKind::Apple;
        let every = self.sync_every.filter(|_| !grows).unwrap_or(u64::MAX);
        self.left = every;
        while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
            interrupt::check()?;
            if self.sources.takes(&parsed.block) {
                self.skipped.add(&mut parsed);
                self.block(&parsed, every)?;
                self.sources.keep(&parsed.batch)?;
            } else {
                self.learner.skip(&parsed.batch);
            }
            stream.recycle(parsed);
        }
        interrupt::check()?;
        self.sources.end_pass()?;
        while !self.synchronise(true)? {}
        Ok(())
    }

    /// Learns from a block, coming together with the others where that is due.
    fn block(&mut self, parsed: &Parsed, every: u64) -> Result<()> {
        let (mut start, length) = (0, parsed.batch.len());
        if length == 0 {
            self.learner.skip(&parsed.batch);
        }
        while start < length {
            let end = start + usize::try_from(self.left).unwrap_or(usize::MAX).min(length - start);
            let reached = match self.learner.learn_range(&parsed.batch, start..end) {
                Ok(()) => end,
                Err(error) => {
                    forgive(&error, parsed, self.sources.on_error(), &mut self.skipped)?;
                    error.place + 1
                }
            };
            self.left -= (reached - start) as u64;
            start = reached;
            if self.left == 0 {
                self.synchronise(false)?;
                self.left = every;
            }
        }
        Ok(())
    }

    fn synchronise(&mut self, done: bool) -> Result<bool, ParallelError> {
        self.synchroniser.synchronise(&mut self.learner, &mut self.collective, done)
    }
}

/// What a rank has come to.
struct Finished {
    model: Model,
    skipped: Skipped,
    traffic: parallel::Traffic,
}

/// What all ranks have come to, or what ended the first that failed of itself.
fn together(results: Vec<Result<Finished>>, started: Instant) -> Result<Trained> {
    let released = |error: &anyhow::Error| {
        let left = |error: &ParallelError| matches!(error, ParallelError::Collective(CollectiveError::Left { .. }));
        error.downcast_ref().is_some_and(left)
    };
    let (finished, mut errors): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    errors.sort_by_key(|error| error.as_ref().is_err_and(released));
    if let Some(Err(error)) = errors.into_iter().next() {
        return Err(error);
    }
    let (mut skipped, mut ranks) = (Skipped::default(), Ranks { count: finished.len(), ..Ranks::default() });
    let mut model = None;
    for rank in finished.into_iter().flatten() {
        skipped.merge(&rank.skipped);
        ranks.seconds += rank.traffic.seconds / ranks.count as f64;
        ranks.bytes_sent += rank.traffic.bytes_sent;
        model.get_or_insert(rank.model);
    }
    let Some(model) = model else { bail!("no rank has finished") };
    Ok(Trained { model: model.into(), skipped, seconds: started.elapsed().as_secs_f64(), ranks })
}

fn tell(pass: u32, passes: u32, ranks: usize, totals: &Progressive, model: &Model) {
    let error = totals.error_of(&totals.tally, model.settings().loss.needs_two_classes());
    let (examples, loss, error) =
        (count(totals.tally.examples, "example"), figure(totals.tally.mean_loss()), figure(error));
    note(format_args!("pass {} of {passes}: {examples} on {ranks} ranks, loss {loss}, error {error}", pass + 1));
}
