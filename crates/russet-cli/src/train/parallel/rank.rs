use anyhow::{Result, bail};
use russet::metrics::Progressive;
use russet::parallel::{Average, Collective, ParallelError, Synchroniser};
use russet::settings::ExpansionKind;
use russet::{Learner, Model};
use russet_data::{Parsed, count_examples};
use serde::{Deserialize, Serialize};

use super::{Part, Plan};
use crate::args::TrainArgs;
use crate::data::Skipped;
use crate::interrupt;
use crate::model_file;
use crate::output::{count, figure, note};
use crate::train::course::{CourseSettings, forgive};
use crate::train::place::Place;
use crate::train::source::Sources;
use crate::train::summary::Ranks;
use crate::train::{Trained, checkpoint_file};

/// One rank's training under way; it depends on nothing but the trait of what connects the ranks.
pub(super) struct Rank<'a> {
    args: &'a TrainArgs,
    goes_on: bool,
    learner: Learner,
    collective: &'a mut dyn Collective,
    synchroniser: Synchroniser,
    sources: Sources,
    course: CourseSettings,
    /// The passes still to be gone through.
    first_pass: u32,
    passes: u32,
    /// How many examples are learned until ranks come together.
    left: u64,
    skipped: Skipped,
}

/// What a rank tells the others at the end.
#[derive(Serialize, Deserialize)]
struct Report {
    skipped: Skipped,
    seconds: f64,
    bytes_sent: u64,
}

impl<'a> Rank<'a> {
    pub(super) fn new(
        args: &'a TrainArgs,
        plan: &Plan,
        part: Part,
        collective: &'a mut dyn Collective,
    ) -> Result<Rank<'a>> {
        let (passes, place) = (plan.course.passes, plan.place.as_ref());
        let first_pass = place.map_or(0, |place| place.pass);
        let mut learner = Learner::resume(plan.model.clone());
        let mut synchroniser = Synchroniser::new(args.average.map_or_else(Average::default, Into::into));
        let examples = count_examples(&part.inputs, &part.options)?;
        if plan.goes_on {
            let counted = place.and_then(|place| place.ranks.as_ref());
            synchroniser.resume(&mut learner, (examples, passes, first_pass), counted, collective)?;
        } else {
            synchroniser.begin(&mut learner, examples, passes, collective)?;
        }
        let sources = Sources::new(&part.inputs, part.options, None, passes - first_pass, false, args.quiet)?;
        let (course, skipped) = (plan.course.settings.clone(), Skipped::default());
        let goes_on = plan.goes_on;
        Ok(Rank {
            args,
            goes_on,
            learner,
            collective,
            synchroniser,
            sources,
            course,
            first_pass,
            passes,
            left: 0,
            skipped,
        })
    }

    /// Goes through the course; gives the model, which is the same on all ranks, and what all of them report.
    pub(super) fn run(mut self) -> Result<Trained> {
        for pass in self.first_pass..self.passes {
            self.pass(pass)?;
            if self.speaks() {
                tell(pass, self.passes, self.collective.ranks(), self.synchroniser.totals(), self.learner.model());
            }
            if pass + 1 < self.passes {
                self.checkpoint(pass + 1)?;
            }
        }
        if self.synchroniser.totals().tally.examples == 0 {
            bail!("there is no example to learn from in the data");
        }
        self.synchroniser.finish(&mut self.learner, self.collective)?;
        self.report()
    }

    /// One rank tells how far the work is.
    fn speaks(&self) -> bool {
        self.collective.rank() == 0 && !self.args.quiet
    }

    fn pass(&mut self, pass: u32) -> Result<()> {
        let mut stream = self.sources.open(pass - self.first_pass)?;
        self.learner.set_pass(pass, self.passes);
        model_file::attach_schema(stream.schema(), |name, text| self.learner.attach(name, text))?;
        // The first pass of a feature set that grows is for each rank alone.
        let grows = !self.goes_on && pass == 0;
        let grows = grows && self.learner.model().settings().expansion == ExpansionKind::Apple;
        let every = self.args.sync_every.filter(|_| !grows).unwrap_or(u64::MAX);
        self.left = self.stretch(every);
        while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
            interrupt::check()?;
            self.collective.check().map_err(ParallelError::from)?;
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
                self.left = self.stretch(every);
            }
        }
        Ok(())
    }

    /// How many examples are learned before ranks come together, which is every `every` and where the learning rate begins to fall.
    fn stretch(&self, every: u64) -> u64 {
        self.synchroniser.until_cooling(&self.learner).map_or(every, |cooling| every.min(cooling))
    }

    fn synchronise(&mut self, done: bool) -> Result<bool, ParallelError> {
        self.synchroniser.synchronise(&mut self.learner, self.collective, done)
    }

    /// Saves what has been learned before pass `pass`, if that is wanted. One rank writes.
    fn checkpoint(&mut self, pass: u32) -> Result<()> {
        let Some(folder) = &self.args.checkpoint else { return Ok(()) };
        let (mut model, counted) = self.synchroniser.checkpoint(&self.learner, self.collective)?;
        if self.collective.rank() > 0 {
            return Ok(());
        }
        let place = Place { course: self.course.clone(), pass, ranks: Some(counted), ..Place::default() };
        place.attach_to(|name, text| model.attach(name, text))?;
        model_file::save(&model.into(), &checkpoint_file(folder))
    }

    fn report(self) -> Result<Trained> {
        let traffic = self.collective.traffic();
        let report = Report { skipped: self.skipped, seconds: traffic.seconds, bytes_sent: traffic.bytes_sent };
        let reports = self.collective.gather(&serde_json::to_vec(&report)?)?;
        let (mut skipped, mut ranks) = (Skipped::default(), Ranks { count: reports.len(), ..Ranks::default() });
        for report in reports {
            let report: Report = serde_json::from_slice(&report)?;
            skipped.merge(&report.skipped);
            ranks.seconds += report.seconds / ranks.count as f64;
            ranks.bytes_sent += report.bytes_sent;
        }
        Ok(Trained { model: self.learner.into_model().into(), skipped, seconds: 0.0, ranks })
    }
}

fn tell(pass: u32, passes: u32, ranks: usize, totals: &Progressive, model: &Model) {
    let error = totals.error_of(&totals.tally, model.settings().loss.needs_two_classes());
    let (examples, loss, error) =
        (count(totals.tally.examples, "example"), figure(totals.tally.mean_loss()), figure(error));
    note(format_args!("pass {} of {passes}: {examples} on {ranks} ranks, loss {loss}, error {error}", pass + 1));
}
