//! The course of a training: batches into learners, with a note of progressive validation on the way.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use russet::LearnError;
use russet::batch::Batch;
use russet::classes::Learners;
use russet::metrics::Tally;

use crate::errors::Error;
use crate::input::{Batches, Labels, Reader, Table};
use crate::watch::{Point, Watch};

/// The first point of the curve comes after this many examples; later ones are closer than a factor of 2^(1/4).
const FIRST_POINT: u64 = 128;
/// Whoever watches hears at least this often, between points.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Learners under way, and the curve of their progressive validation so far.
pub(crate) struct Course<'w> {
    pub(crate) learners: Learners,
    pub(crate) points: Vec<Point>,
    /// How many examples the course has, if that is known.
    pub(crate) length: Option<u64>,
    watch: &'w Watch<'w>,
    next_point: u64,
    at_last_point: Tally,
    started: Instant,
    told: Instant,
}

impl<'w> Course<'w> {
    pub(crate) fn new(learners: Learners, points: Vec<Point>, watch: &'w Watch<'w>) -> Course<'w> {
        let at_last_point = learners.tally();
        let next_point = following(at_last_point.examples);
        let now = Instant::now();
        Course { learners, points, length: None, watch, next_point, at_last_point, started: now, told: now }
    }

    /// Learns from a batch. `refused` judges examples that cannot be learned from.
    pub(crate) fn learn(
        &mut self,
        batch: &Batch,
        mut refused: impl FnMut(&LearnError) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut start = 0;
        while start < batch.len() {
            let left = usize::try_from(self.next_point - self.learners.examples()).unwrap_or(usize::MAX);
            let end = batch.len().min(start.saturating_add(left));
            start = match self.learners.learn_range(batch, start..end) {
                Ok(()) => end,
                Err(error) => {
                    refused(&error)?;
                    error.place + 1
                }
            };
            if self.learners.examples() >= self.next_point {
                self.note_point();
            }
        }
        if self.told.elapsed() >= TELL_EVERY {
            self.told = Instant::now();
            self.watch.tell(self.point());
        }
        self.watch.check()
    }

    /// The flag that ends waits for slow input.
    pub(crate) fn flag(&self) -> &'w AtomicBool {
        self.watch.flag()
    }

    /// Gives up if the caller has asked to stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.watch.check()
    }

    fn point(&self) -> Point {
        let tally = self.learners.tally();
        Point {
            examples: tally.examples,
            fraction: self.length.map(|length| tally.examples as f64 / length.max(1) as f64),
            loss: tally.mean_loss(),
            loss_since: tally.since(&self.at_last_point).mean_loss(),
            error: self.learners.progressive_error(),
            features: tally.features_per_example(),
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    fn note_point(&mut self) {
        let point = self.point();
        self.points.push(point);
        self.watch.tell(point);
        self.at_last_point = self.learners.tally();
        self.next_point = following(point.examples);
    }

    /// Notes where it ended.
    pub(crate) fn finish(&mut self) {
        if self.learners.examples() > self.at_last_point.examples {
            self.note_point();
        }
    }

    /// Goes through a table `passes` times.
    pub(crate) fn learn_table(&mut self, table: &Table<'_>, labels: Labels<'_>, passes: u32) -> Result<(), Error> {
        labels.check(table.rows())?;
        for pass in 0..passes {
            self.learners.set_pass(pass, passes);
            thread::scope(|scope| {
                let batches = Batches::start(scope, Reader::new(table, labels));
                while let Some(batch) = batches.next() {
                    let batch = batch?;
                    let first_line = table.first_line();
                    self.learn(&batch, |error| {
                        Err(Error::data(format!("row {}: {}", error.line - first_line, error.problem)))
                    })?;
                    batches.recycle(batch);
                }
                Ok::<(), Error>(())
            })?;
        }
        Ok(())
    }
}

/// The number of examples at which the next point is due.
fn following(examples: u64) -> u64 {
    let mut point = FIRST_POINT;
    let search = (0..u32::MAX).try_for_each(|_| {
        if point > examples {
            return ControlFlow::Break(());
        }
        // A factor of about 2^(1/4), in whole numbers.
        point = point.saturating_add(point / 5).saturating_sub(point / 100);
        ControlFlow::Continue(())
    });
    if search.is_break() { point } else { u64::MAX }
}
