//! The course of a training: passes over the data, from a place to the end.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use russet::LearnError;
use russet::classes::Learners;
use russet_data::{Input, Inputs, OnError, Parsed, ReadOptions, count_examples};
use serde::{Deserialize, Serialize};

use super::ahead::{Portion, Portions};
use super::beside::Beside;
use super::board::Board;
use super::checkpoint_file;
use super::length::Length;
use super::place::{Place, difference};
use super::source::Sources;
use crate::args::TrainArgs;
use crate::data::Skipped;
use crate::interrupt;
use crate::model_file;
use crate::output::UsageError;

/// What a course is, so that a checkpoint can tell whether it is continued on the same one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CourseSettings {
    passes: u32,
    holdout: Option<f64>,
    /// The sizes of the files; `None` for what is not a file.
    bytes: Vec<Option<u64>>,
}

/// What is to be gone through.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub(crate) settings: CourseSettings,
    pub(crate) passes: u32,
    /// How many examples of each pass are learned from, if not all.
    pub(crate) learned_per_pass: Option<u64>,
}

impl Course {
    /// Settles the course from the flags and, on resuming, from the checkpoint: what is not asked for anew stays.
    pub(crate) fn plan(
        args: &TrainArgs,
        inputs: &Inputs,
        options: &ReadOptions,
        checkpoint: Option<&Place>,
    ) -> Result<Course> {
        let before = checkpoint.map(|place| &place.course);
        let settings = CourseSettings {
            passes: args.passes.or(before.map(|before| before.passes)).unwrap_or(1),
            holdout: args.holdout.or(before.and_then(|before| before.holdout)),
            bytes: inputs.iter().map(size).collect(),
        };
        if let Some(before) = before {
            check_continues(&settings, before)?;
        }
        let learned_per_pass = match settings.holdout {
            None => None,
            Some(_) if !inputs.can_reread() => {
                return Err(UsageError("--holdout needs files: what is kept is read again".to_owned()).into());
            }
            Some(holdout) => {
                let count = count_examples(inputs, options)?;
                // The small term keeps 0.8 of 10 at 8, whatever the rounding of 1 - 0.2.
                Some(((1.0 - holdout) * count as f64 + 1e-9).floor() as u64)
            }
        };
        let passes = settings.passes;
        Ok(Course { settings, passes, learned_per_pass })
    }
}

fn size(input: &Input) -> Option<u64> {
    match input {
        Input::File(path) => {
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
        }
        Input::Standard => None,
    }
}

fn check_continues(wanted: &CourseSettings, before: &CourseSettings) -> Result<()> {
    if wanted.bytes != before.bytes {
        bail!("this is not the data that the checkpoint began with: the files differ in number or size");
    }
    if wanted != before {
        let difference = difference(&serde_json::to_value(wanted)?, &serde_json::to_value(before)?);
        return Err(UsageError(format!("the checkpoint is of another course: {difference}")).into());
    }
    Ok(())
}

/// How a training ended.
pub(crate) enum Ended {
    /// It went through its whole course.
    Finished,
    /// The user asked it to stop.
    Interrupted,
}

/// A training under way.
pub(crate) struct Training {
    pub(crate) learner: Learners,
    /// The learner's guard, while it is in a thread of its own; there may be such a thread if `several_threads`.
    pub(crate) beside: Option<Beside>,
    pub(crate) several_threads: bool,
    pub(crate) course: Course,
    pub(crate) length: Length,
    pub(crate) sources: Sources,
    pub(crate) board: Board,
    /// Where to go on, until that place is reached.
    pub(crate) resume_at: Option<Place>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) checkpoint_every: Option<u64>,
    /// Where to save the model at the end of each pass.
    pub(crate) checkpoints: Option<PathBuf>,
    pub(crate) skipped: Skipped,
    /// The time spent reading and learning.
    pub(crate) seconds: f64,
    pub(crate) position: Place,
}

impl Training {
    /// Goes through the course.
    pub(crate) fn run(&mut self) -> Result<Ended> {
        let ended = self.passes();
        self.catch_up();
        ended
    }

    fn passes(&mut self) -> Result<Ended> {
        let started = Instant::now();
        self.position.course = self.course.settings.clone();
        for pass in 0..self.course.passes {
            let replay = self.resume_at.as_ref().is_some_and(|place| pass < place.pass);
            if replay && (pass > 0 || !self.sources.first_pass_is_needed()?) {
                continue;
            }
            if let Ended::Interrupted = self.pass(pass, replay)? {
                return Ok(Ended::Interrupted);
            }
            if !replay {
                self.checkpoint_of_pass(pass)?;
            }
        }
        if self.resume_at.is_some() {
            bail!("this is not the data that the checkpoint began with: it ends before the checkpoint's place");
        }
        if self.learner.examples() == 0 {
            bail!("there is no example to learn from in the data");
        }
        Place::detach_from(&mut self.learner);
        self.catch_up();
        // Of a course whose examples were mostly refused the model would know the length or not, as the count happened to come.
        self.length.settle(&self.course, &mut self.learner)?;
        self.seconds = started.elapsed().as_secs_f64();
        Ok(Ended::Finished)
    }

    /// One pass; with `replay` nothing is learned, only the cache is written again.
    fn pass(&mut self, pass: u32, replay: bool) -> Result<Ended> {
        let stream = self.sources.open(pass)?;
        self.learner.set_pass(pass, self.course.passes);
        if let Some(classes) = stream.schema().and_then(|schema| schema.label.classes.as_deref()) {
            self.learner.separate(classes)?;
        }
        model_file::attach_schema(stream.schema(), |name, text| self.learner.attach(name, text))?;
        self.position.begin_pass(pass, self.sources.reads_cache());
        self.board.begin_pass(pass, stream.progress());
        if let Some(place) = self.resume_at.take_if(|place| place.pass == pass && place.blocks == 0) {
            // Stopped before the first block of this pass: there is nothing to look for.
            self.position = place;
        }
        let may_scout = self.may_scout(replay);
        let mut portions = Portions::of(stream, &mut self.learner, may_scout);
        while let Some(mut portion) = portions.next()? {
            if replay {
                portion.skip(&mut self.learner);
            } else {
                self.skipped.add(&mut portion.parsed);
                self.block(&portion)?;
            }
            self.sources.keep(&portion.parsed.batch)?;
            portions.recycle(portion);
            if may_scout {
                portions = portions.go_ahead_if_worth(&mut self.learner);
            }
            if interrupt::asked() && !portions.must_be_emptied() {
                return Ok(Ended::Interrupted);
            }
            if self.pass_is_over() && !self.sources.needs_the_rest() {
                break;
            }
        }
        portions.end(&mut self.learner);
        if interrupt::asked() {
            return Ok(Ended::Interrupted);
        }
        self.sources.end_pass()?;
        Ok(Ended::Finished)
    }

    /// True if base features can be taken ahead of learning: nothing may be passed over, and the model is wanted at the end only.
    fn may_scout(&self, replay: bool) -> bool {
        let whole = !replay && self.resume_at.is_none() && self.course.learned_per_pass.is_none();
        self.several_threads && whole && self.checkpoint_every.is_none()
    }

    fn pass_is_over(&self) -> bool {
        self.course.learned_per_pass.is_some_and(|limit| self.position.taken >= limit)
    }

    /// Learns from a block, or from what of it comes after the place to resume at.
    fn block(&mut self, portion: &Portion) -> Result<()> {
        self.position.begin_block(portion.parsed.block.hash);
        if let Some(place) = &self.resume_at {
            if self.position.blocks < place.blocks {
                portion.skip(&mut self.learner);
                return Ok(());
            }
            self.position.check_against(place)?;
            self.position = place.clone();
            self.resume_at = None;
        }
        self.examples(portion)
    }

    /// Learns from the examples of a block from the current place on, pausing where something is to be done.
    fn examples(&mut self, portion: &Portion) -> Result<()> {
        let length = portion.parsed.batch.len() as u64;
        if self.position.examples >= length || self.pass_is_over() {
            portion.skip(&mut self.learner);
        }
        while self.position.examples < length && !self.pass_is_over() {
            let start = self.position.examples;
            let learned = self.learner.examples();
            let count = self.until_pause(learned)?.min(length - start);
            match portion.learn(&mut self.learner, start as usize..(start + count) as usize) {
                Ok(()) => {
                    self.position.examples += count;
                    self.position.taken += count;
                }
                Err(error) => self.forgive(&error, &portion.parsed, start)?,
            }
            self.pause()?;
        }
        match &self.beside {
            Some(beside) => beside.tell(&mut self.learner),
            None if self.several_threads => self.beside = Beside::start(&mut self.learner),
            None => {}
        }
        if self.board.is_due() {
            self.catch_up();
            self.board.update(&self.learner);
        }
        Ok(())
    }

    /// Waits for the guard: from now on the learner's model is whole.
    fn catch_up(&mut self) {
        if let Some(beside) = self.beside.take() {
            beside.end(&mut self.learner);
        }
    }

    /// How many examples can be learned before something else is to be done.
    fn until_pause(&mut self, learned: u64) -> Result<u64> {
        let epochs = self.learner.settings().epochs;
        if self.length.is_ready() || learned >= self.length.certain(&self.course, epochs) {
            self.length.settle(&self.course, &mut self.learner)?;
        }
        let certain = self.length.certain(&self.course, epochs) - learned;
        let board = self.board.next_row() - learned;
        let checkpoint = self.checkpoint_every.map_or(u64::MAX, |every| every - learned % every);
        let limit = self.course.learned_per_pass.map_or(u64::MAX, |limit| limit - self.position.taken);
        Ok(board.min(checkpoint).min(limit).min(certain))
    }

    fn pause(&mut self) -> Result<()> {
        let learned = self.learner.examples();
        if learned == self.board.next_row() {
            if self.board.is_seen() {
                self.catch_up();
            }
            self.board.row(&self.learner);
        }
        if self.checkpoint_every.is_some_and(|every| learned.is_multiple_of(every)) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// An example that cannot be learned from: passes over it if errors are to be skipped.
    fn forgive(&mut self, error: &LearnError, parsed: &Parsed, start: u64) -> Result<()> {
        forgive(error, parsed, self.sources.on_error(), &mut self.skipped)?;
        let taken = error.place as u64 - start + 1;
        self.position.examples += taken;
        self.position.taken += taken;
        Ok(())
    }

    /// Saves the unfinished model with its place.
    pub(crate) fn checkpoint(&mut self) -> Result<()> {
        self.catch_up();
        let Some(path) = &self.output else { return Ok(()) };
        // What is saved has to know when to grow.
        self.length.settle(&self.course, &mut self.learner)?;
        // Interrupted before the place to resume at was reached: that place still holds.
        let place = self.resume_at.as_ref().unwrap_or(&self.position);
        place.clone().save(&mut self.learner, path)
    }

    /// Saves the model at the end of a pass, if that is wanted.
    fn checkpoint_of_pass(&mut self, pass: u32) -> Result<()> {
        let Some(folder) = self.checkpoints.as_ref().filter(|_| pass + 1 < self.course.passes) else { return Ok(()) };
        let path = checkpoint_file(folder);
        self.catch_up();
        self.length.settle(&self.course, &mut self.learner)?;
        let place = Place { course: self.course.settings.clone(), pass: pass + 1, ..Place::default() };
        place.save(&mut self.learner, &path)
    }
}

/// Counts an example that cannot be learned from, if errors are to be skipped.
pub(super) fn forgive(error: &LearnError, parsed: &Parsed, on_error: OnError, skipped: &mut Skipped) -> Result<()> {
    // A cache may hold what was an empty line: nothing is missing there.
    let example = parsed.batch.example(error.place);
    if example.label.value.is_none() && example.codes.is_empty() {
        return Ok(());
    }
    let message = format!("{}:{}:1: {}", parsed.block.name, parsed.block.line_in_file(error.line), error.problem);
    if on_error == OnError::Stop {
        return Err(anyhow!(message));
    }
    skipped.add_one(message);
    Ok(())
}
