//! Learning: one example after another, predicted first, then learned from.

mod chosen;
mod companion;
#[cfg(test)]
mod cost;
pub(crate) mod judge;
#[cfg(test)]
mod kept;
mod label;
mod linear;
mod scout;

use std::ops::Range;
use thiserror::Error;

use crate::batch::{Batch, Example};
use crate::expansion::{self, adaptive::Enumerator};
use crate::growth::Growth;
use crate::guard::Pass;
use crate::intake::Intake;
use crate::loss::Loss;
use crate::model::{Model, activity};
use crate::schedule::Schedule;
use crate::settings::{Checked, ExpansionKind, GuardKind};
use crate::step::{Active, Scratches, Step, Surprise};
use crate::weights::{Loops, Rows, prefetch};
use chosen::{Choice, Task};
use judge::{Judge, Seen};

pub use companion::{Companion, Notes};
pub use label::LabelProblem;
pub(crate) use label::OneClass;
pub use scout::{Scout, Taken};

/// With more base weights than this, those of the next example are asked for ahead of time: they are no longer all in the
/// processor's nearer caches. Products take these for themselves.
fn near_weights(settings: &Checked) -> usize {
    if settings.expansion == ExpansionKind::Linear { 1 << 15 } else { 1 << 12 }
}

/// A model that learns.
///
/// ```
/// use russet::{Learner, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
///
/// let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
/// batch.start(&mut dictionary);
/// for round in 0..100 {
///     let warm = round % 2 == 0;
///     batch.push_named(&mut dictionary, Namespace::ANONYMOUS, if warm { "sun" } else { "rain" }, 1.0);
///     batch.end_example(Label::new(if warm { 1.0 } else { -1.0 }), b"", round + 1);
/// }
/// let mut learner = Learner::new(Settings::default().check().unwrap());
/// learner.learn(&batch).unwrap();
/// assert!(learner.model().progressive_error().unwrap() < 0.1);
/// ```
pub struct Learner {
    model: Model,
    intake: Intake,
    enumerator: Enumerator,
    rows: Rows,
    scratches: Scratches,
    guard_scratches: Scratches,
    linear: linear::Buffers,
    /// After how many examples the feature set grows.
    next_growth: u64,
    /// When it grows, if that is not for the model's schedule to say.
    growing: Option<Schedule>,
    /// Set while the course's length is still to be told.
    expects_length: bool,
    pass: Pass,
    /// What the guard has to be told, while it is apart.
    notes: Option<Notes>,
    /// Labels are numbers of classes, and this learner tells one of them from the rest.
    against_rest: Option<OneClass>,
    /// What was predicted for the examples of the last range, if somebody asked for it.
    heard: Option<Vec<f32>>,
}

/// An example that cannot be learned from.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{problem}")]
pub struct LearnError {
    /// Its place in the batch.
    pub place: usize,
    /// The line of the input it began on.
    pub line: u64,
    /// What is wrong with it.
    pub problem: LabelProblem,
}

impl Learner {
    /// A learner that has seen nothing yet.
    pub fn new(settings: Checked) -> Learner {
        Learner::resume(Model::new(settings))
    }

    /// A learner that goes on where a model stopped.
    pub fn resume(model: Model) -> Learner {
        let sorted = model.settings.expansion.needs_order();
        let intake = Intake::new(model.settings.ngram, sorted);
        let next_growth = model.growth.as_ref().map_or(u64::MAX, Growth::next);
        let (enumerator, rows, pass) = (Enumerator::on(model.cpu), Rows::default(), Pass::Only);
        let (scratches, guard_scratches) = (Scratches::on(model.cpu), Scratches::on(model.cpu));
        Learner {
            model,
            intake,
            enumerator,
            rows,
            scratches,
            guard_scratches,
            linear: linear::Buffers::default(),
            next_growth,
            growing: None,
            expects_length: false,
            pass,
            notes: None,
            against_rest: None,
            heard: None,
        }
    }

    /// A learner like this one, which has seen nothing yet, for one of several classes. It remembers what it predicts.
    pub(crate) fn for_class(&self, class: OneClass) -> Learner {
        let mut learner = Learner::resume(self.model.clone());
        (learner.next_growth, learner.growing) = (self.next_growth, self.growing);
        (learner.expects_length, learner.pass) = (self.expects_length, self.pass);
        learner.tell_apart(class);
        learner
    }

    /// From now on labels are numbers of classes, and this one is to be told from the rest.
    pub(crate) fn tell_apart(&mut self, class: OneClass) {
        (self.against_rest, self.heard) = (Some(class), Some(Vec::new()));
    }

    /// What was predicted for the examples of the last range.
    pub(crate) fn heard(&self) -> &[f32] {
        self.heard.as_deref().unwrap_or_default()
    }

    /// For an adaptive expansion: says how many examples the whole course has, over which epochs are spaced. Without
    /// it, epochs grow. It can be said before the first example only, or after
    /// [`expect_course_length`](Learner::expect_course_length) as long as the first epoch lasts.
    pub fn set_course_length(&mut self, examples: u64) {
        let (seen, expected) = (self.model.progress.tally.examples, std::mem::take(&mut self.expects_length));
        let Some(growth) = &mut self.model.growth else { return };
        let schedule = Schedule::new(self.model.settings.epochs, Some(examples));
        if seen == 0 || expected && schedule.next_growth(0).is_none_or(|next| seen < next) {
            growth.schedule = schedule;
        }
        self.next_growth = growth.next();
    }

    /// Says, before the first example, that the course's length will be told while the first epoch lasts: until then
    /// nothing grows. A model that is saved before that goes on as one whose length is not known.
    pub fn expect_course_length(&mut self) {
        if self.model.progress.tally.examples == 0 {
            (self.next_growth, self.expects_length) = (u64::MAX, true);
        }
    }

    /// Says that what follows is pass `pass`, from 0, of `passes` over the same data. A guarded expansion has to know
    /// which examples it sees again: see [`GuardKind`].
    pub fn set_pass(&mut self, pass: u32, passes: u32) {
        let guarded = self.model.growth.is_some() && self.model.settings.guard != GuardKind::Off;
        self.pass = match passes {
            _ if !guarded => Pass::Only,
            0 | 1 => Pass::Only,
            _ if pass + 1 < passes => Pass::Earlier,
            _ => Pass::Last,
        };
    }

    /// Says, before the first example, that the feature set grows over the first `examples` only, whatever the length of
    /// the course.
    pub(crate) fn grow_within(&mut self, examples: u64) {
        self.growing = Some(Schedule::new(self.model.settings.epochs, Some(examples)));
        self.next_growth = self.following_growth();
    }

    /// Says that the feature set stays as it is from now on; `course`: how many examples the learner's course has, if it is under way.
    pub(crate) fn keep_grown(&mut self, course: Option<u64>) {
        // One epoch never grows.
        self.growing = Some(Schedule::new(1, None));
        if let Some(growth) = &mut self.model.growth {
            growth.schedule = Schedule::new(self.model.settings.epochs, course);
        }
        self.next_growth = self.following_growth();
    }

    /// The model, to be laid out anew; [`Learner::forget_places`] has to follow.
    pub(crate) fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Forgets what hangs on where weights are. `slots`: features have other slots than before, too.
    pub(crate) fn forget_places(&mut self, slots: bool) {
        self.enumerator = Enumerator::on(self.model.cpu);
        self.rows.clear();
        self.intake.forget_places(slots);
        self.next_growth = self.following_growth();
    }

    /// The model as it stands.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Sets or, with `None`, removes a text to be saved with the model.
    pub fn attach(&mut self, name: &str, text: Option<String>) {
        self.model.attach(name, text);
    }

    /// Ends learning.
    ///
    /// # Panics
    /// If the guard is [apart](Learner::part).
    pub fn into_model(self) -> Model {
        assert!(self.notes.is_none(), "the guard is apart");
        self.model
    }

    /// Passes over a batch, as one that was learned from before; later batches may use features it declares.
    pub fn skip(&mut self, batch: &Batch) {
        self.intake.begin(batch);
    }

    /// Learns from all examples of a batch.
    ///
    /// # Panics
    /// If an earlier batch of the same dictionary was neither learned nor [skipped](Learner::skip): features are
    /// declared only once.
    pub fn learn(&mut self, batch: &Batch) -> Result<(), LearnError> {
        self.learn_range(batch, 0..batch.len())
    }

    /// Learns from some examples of a batch. After an error, all before [`LearnError::place`] have been learned.
    pub fn learn_range(&mut self, batch: &Batch, range: Range<usize>) -> Result<(), LearnError> {
        self.learn_examples(Examples { batch, taken: None, range })
    }

    fn learn_examples(&mut self, examples: Examples<'_>) -> Result<(), LearnError> {
        if examples.taken.is_none() {
            self.intake.begin(examples.batch);
        }
        if let Some(result) = self.learn_linear(&examples) {
            return result;
        }
        chosen::run(Choice::of(&self.model.settings, self.model.cpu), Course { learner: self, examples })
    }

    #[inline(always)]
    fn run<L: Loops>(
        &mut self,
        examples: Examples<'_>,
        loops: L,
        step: impl Step,
        loss: impl Loss,
    ) -> Result<(), LearnError> {
        let Examples { batch, taken, range } = examples;
        if taken.is_none() {
            // Not for a few of its examples: a batch may be gone on with many times, after each example that was refused.
            if range.start == 0 && 2 * range.len() >= batch.len() {
                self.intake.find_all(batch, &self.model.features);
            }
        }
        if let Some(heard) = &mut self.heard {
            heard.clear();
        }
        let near = near_weights(&self.model.settings);
        for place in range {
            let (example, labels) = (batch.example(place), &mut self.model.progress.labels);
            let features = example.codes.len();
            let label = label::check(example.label, features, &self.model.settings, self.against_rest, labels)
                .map_err(|problem| LearnError { place, line: example.line, problem })?;
            match taken {
                Some(taken) => self.recall(batch, taken, place),
                None => drop(self.intake.take(batch, &example, &mut self.model.features)),
            }
            // While this example is learned, what the next one needs is on its way.
            if self.model.linear.len() > near {
                match taken {
                    Some(taken) => self.prefetch_taken(batch, taken, place + 1),
                    None => self.look_ahead(batch, place + 1),
                }
            }
            self.learn_one(&example, label, loops, step, loss);
        }
        Ok(())
    }

    /// Asks for the memory of weights that the example at `place` will need.
    #[inline]
    fn look_ahead(&mut self, batch: &Batch, place: usize) {
        let linear = self.model.linear.slots();
        let guard = self.model.guard.as_ref().map_or(&[][..], |guard| guard.linear.slots());
        self.intake.look_ahead(batch, place, &self.model.features, |slot| {
            prefetch(linear, slot as usize);
            prefetch(guard, slot as usize);
        });
    }

    /// Expand, score, record, move.
    #[inline(always)]
    fn learn_one<L: Loops>(&mut self, example: &Example<'_>, label: f32, loops: L, step: impl Step, loss: impl Loss) {
        let (model, base) = (&mut self.model, self.intake.base());
        model.fit_tables_if_short();
        match &mut model.growth {
            Some(growth) => {
                growth.note_values(base, &mut model.products);
                growth.rows(base, &model.products, &mut self.enumerator, &mut self.rows);
            }
            None => {
                if model.progress.tally.examples.is_power_of_two() {
                    model.order_products();
                }
                let slot_count = model.slot_count();
                expansion::products(&model.settings, base, slot_count, &model.products, &mut self.rows);
            }
        }
        let active =
            Active { base, linear: expansion::linear(base), products: &self.rows, straight: self.rows.straight() };
        let score = model.open(loops, active, example.label.base, &mut self.scratches);
        let tally = &mut model.progress.tally;
        tally.examples += 1;
        tally.features += (active.linear.len() + self.rows.active()) as u64;
        tally.base_features += base.slots.len() as u64 - 1;
        let (importance, offset, range) = (example.label.importance, example.label.base, model.range());
        let seen = Seen { score, label, importance, offset, range, used: self.pass.use_of(example.line) };
        if importance > 0.0 && seen.used.learned {
            self.move_weights(&seen, loops, step, loss);
        }
        self.judge(&seen, loops, step, loss);
        if self.model.progress.tally.examples >= self.next_growth {
            self.grow();
        }
    }

    /// Judges the example that was opened last, or notes it down for the companion.
    #[inline(always)]
    fn judge<L: Loops>(&mut self, seen: &Seen, loops: L, step: impl Step, loss: impl Loss) {
        let (model, base) = (&mut self.model, self.intake.base());
        if let Some(notes) = &mut self.notes {
            notes.add(*seen, base, model.slot_count());
            return;
        }
        let Model { guard, progress, settings, pace, cpu, .. } = model;
        let (tally, scratches) = (&mut progress.tally, &mut self.guard_scratches);
        let single = guard.as_ref().is_some_and(|guard| guard.has_single_steps(settings, *cpu));
        let judge = Judge { guard: guard.as_mut(), tally, settings, pace: *pace, scratches, single };
        let predicted = judge.judge(loops, step, loss, seen, base);
        if let Some(heard) = &mut self.heard {
            heard.push(predicted);
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.model.grow();
        match &mut self.notes {
            Some(notes) => notes.add_growth(),
            None => self.model.renew_guard(),
        }
        self.next_growth = self.following_growth();
    }

    /// After how many examples the feature set grows next.
    fn following_growth(&self) -> u64 {
        let Some(growth) = &self.model.growth else { return u64::MAX };
        self.growing.map_or_else(|| growth.next(), |schedule| schedule.next_growth(growth.grown).unwrap_or(u64::MAX))
    }

    /// Learns from the example that was opened last.
    #[inline(always)]
    fn move_weights<L: Loops>(&mut self, seen: &Seen, loops: L, step: impl Step, loss: impl Loss) {
        let (model, base) = (&mut self.model, self.intake.base());
        let Seen { label, importance, .. } = *seen;
        let prediction = seen.clip(seen.score);
        let slope = loss.slope(prediction, label);
        if let Some(growth) = model.growth.as_mut().filter(|_| slope != 0.0) {
            growth.admit(base, &self.rows, &mut model.products, &mut self.scratches.products);
        }
        let active =
            Active { base, linear: expansion::linear(base), products: &self.rows, straight: self.rows.straight() };
        let surprise = Surprise { prediction, label, importance };
        step.step(loops, model.moved(), active, loss, surprise, &mut self.scratches);
        if slope != 0.0 && activity::is_counted(model.progress.tally.examples) {
            model.count(active);
        }
        model.observe(active, importance, slope);
        if let Some(growth) = &mut model.growth {
            growth.try_products(base, &self.enumerator, (importance, slope, model.settings.learning_rate));
        }
    }
}

/// Examples to be learned.
struct Course<'a> {
    learner: &'a mut Learner,
    examples: Examples<'a>,
}

/// Some examples of a batch, and their base features if a scout has taken them.
struct Examples<'a> {
    batch: &'a Batch,
    taken: Option<&'a Taken>,
    range: Range<usize>,
}

impl Task for Course<'_> {
    type Output = Result<(), LearnError>;

    #[inline(always)]
    fn run<L: Loops>(self, loops: L, step: impl Step, loss: impl Loss) -> Result<(), LearnError> {
        self.learner.run(self.examples, loops, step, loss)
    }
}
