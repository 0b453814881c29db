//! Learning: one example after another, predicted first, then learned from.

#[cfg(test)]
mod cost;

use std::ops::Range;
use thiserror::Error;

use crate::batch::{Batch, Example};
use crate::expansion::{self, adaptive::Enumerator};
use crate::growth::Growth;
use crate::guard::{Pass, Predictions};
use crate::intake::Intake;
use crate::loss::{Hinge, Logistic, Loss, LossKind, Quantile, Squared};
use crate::metrics::Task;
use crate::model::{Model, activity};
use crate::schedule::Schedule;
use crate::settings::{Checked, GuardKind, StepKind};
use crate::step::{Active, Adaptive, Scratches, Sgd, Step, Surprise};
use crate::weights::{Loops, Row, Work, prefetch};

/// With more base weights than this, those of the next example are asked for ahead of time: they are no longer all in the
/// processor's nearest cache.
const LOOKED_AHEAD: usize = 1 << 12;

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
    rows: Vec<Row>,
    scratches: Scratches,
    guard_scratches: Scratches,
    /// After how many examples the feature set grows.
    next_growth: u64,
    /// When it grows, if that is not for the model's schedule to say.
    growing: Option<Schedule>,
    /// Set while the course's length is still to be told.
    expects_length: bool,
    pass: Pass,
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

/// What is wrong with a label.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LabelProblem {
    /// There is none.
    #[error("there is no label; an example to learn from needs one")]
    Missing,
    /// It is not a number, or infinite.
    #[error("the label is {0}; it must be a finite number")]
    NotFinite(f32),
    /// The loss knows two classes only.
    #[error("the label is {label}; {loss} loss needs -1 and 1, or 0 and 1")]
    NotAClass {
        /// The label.
        label: f32,
        /// The loss's name.
        loss: &'static str,
    },
    /// The importance is negative or not a number.
    #[error("the importance is {0}; it must be 0 or more")]
    Importance(f32),
    /// Its features make more products than an example may have.
    #[error("the example has {features} features, whose products are more than {} million; the expansion is too much for it", expansion::MOST_PRODUCTS >> 20)]
    TooManyProducts {
        /// How many features it has.
        features: usize,
    },
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
        let (enumerator, rows, pass) = (Enumerator::default(), Vec::new(), Pass::Only);
        let (scratches, guard_scratches) = (Scratches::default(), Scratches::default());
        Learner {
            model,
            intake,
            enumerator,
            rows,
            scratches,
            guard_scratches,
            next_growth,
            growing: None,
            expects_length: false,
            pass,
        }
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

    /// The model, to be laid out anew; [`Learner::forget_places`] has to follow.
    pub(crate) fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Forgets what hangs on where weights are. `slots`: features have other slots than before, too.
    pub(crate) fn forget_places(&mut self, slots: bool) {
        self.enumerator = Enumerator::default();
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
    pub fn into_model(self) -> Model {
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
        self.model.cpu.run(Course { learner: self, batch, range })
    }

    #[inline(always)]
    fn run<L: Loops>(
        &mut self,
        batch: &Batch,
        range: Range<usize>,
        loops: L,
        step: impl Step,
        loss: impl Loss,
    ) -> Result<(), LearnError> {
        self.intake.begin(batch);
        for place in range {
            if self.model.linear.len() > LOOKED_AHEAD {
                self.look_ahead(batch, place + 1);
            }
            let example = batch.example(place);
            let label = self.label(&example).map_err(|problem| LearnError { place, line: example.line, problem })?;
            self.learn_one(batch, &example, label, loops, step, loss);
        }
        Ok(())
    }

    /// Asks for the memory of weights that the example at `place` will need.
    #[inline]
    fn look_ahead(&self, batch: &Batch, place: usize) {
        let linear = self.model.linear.slots();
        let guard = self.model.guard.as_ref().map_or(&[][..], |guard| guard.linear.slots());
        self.intake.look_ahead(batch, place, &self.model.features, |slot| {
            prefetch(linear, slot as usize);
            prefetch(guard, slot as usize);
        });
    }

    /// Expand, score, record, move.
    #[inline(always)]
    fn learn_one<L: Loops>(
        &mut self,
        batch: &Batch,
        example: &Example<'_>,
        label: f32,
        loops: L,
        step: impl Step,
        loss: impl Loss,
    ) {
        let model = &mut self.model;
        let base = self.intake.take(batch, example, &mut model.features);
        if model.linear.slots().len() < model.features.slot_count() {
            model.fit_tables();
        }
        match &mut model.growth {
            Some(growth) => {
                growth.note_values(base, &mut model.products);
                growth.rows(base, &model.products, &mut self.enumerator, &mut self.rows);
            }
            None => {
                let (kind, seed) = (model.settings.expansion, model.settings.seed);
                expansion::products(kind, base, &model.products, seed, &mut self.rows);
            }
        }
        let active = Active { base, linear: expansion::linear(base), products: &self.rows };
        let predicted = model.open(loops, active, example.label.base, &mut self.scratches, &mut self.guard_scratches);
        let importance = example.label.importance;
        model.progress.tally.add(predicted.mixed, label, importance, loss.value(predicted.mixed, label));
        model.progress.tally.features += active.count() as u64;
        model.progress.tally.base_features += base.slots.len() as u64 - 1;
        let used = self.pass.use_of(example.line);
        if let Some(guard) = model.guard.as_mut().filter(|_| used.judges) {
            guard.state.mixture.add(loss.value(predicted.own, label), loss.value(predicted.linear, label), importance);
        }
        if importance > 0.0 && used.learned {
            self.move_weights(label, importance, predicted, loops, step, loss);
        }
        let model = &mut self.model;
        if model.progress.tally.examples >= self.next_growth {
            model.grow();
            self.next_growth = self.following_growth();
        }
    }

    /// After how many examples the feature set grows next.
    fn following_growth(&self) -> u64 {
        let Some(growth) = &self.model.growth else { return u64::MAX };
        self.growing.map_or_else(|| growth.next(), |schedule| schedule.next_growth(growth.grown).unwrap_or(u64::MAX))
    }

    /// Learns from the example that was opened last.
    #[inline(always)]
    fn move_weights<L: Loops>(
        &mut self,
        label: f32,
        importance: f32,
        predicted: Predictions,
        loops: L,
        step: impl Step,
        loss: impl Loss,
    ) {
        let (model, base) = (&mut self.model, self.intake.base());
        let slope = loss.slope(predicted.own, label);
        if let Some(growth) = model.growth.as_mut().filter(|_| slope != 0.0) {
            growth.admit(base, &self.rows, &mut model.products, &mut self.scratches.products);
        }
        let active = Active { base, linear: expansion::linear(base), products: &self.rows };
        let surprise = Surprise { prediction: predicted.own, label, importance };
        step.step(loops, model.moved(), active, loss, surprise, &mut self.scratches);
        // The linear expert learns from its own prediction, as it would alone.
        if let Some(guard) = &mut model.guard {
            let alone = Active { products: &[], ..active };
            let surprise = Surprise { prediction: predicted.linear, ..surprise };
            step.step(
                loops,
                guard.moved(&model.settings, model.pace),
                alone,
                loss,
                surprise,
                &mut self.guard_scratches,
            );
        }
        if slope != 0.0 && activity::is_counted(model.progress.tally.examples) {
            model.count(active);
        }
        model.observe(active, importance, slope);
        if let Some(growth) = &mut model.growth {
            growth.try_products(base, &self.enumerator, (importance, slope, model.settings.learning_rate));
        }
    }

    /// Checks and notes the label; for losses of two classes it becomes -1 or 1.
    #[inline]
    fn label(&mut self, example: &Example<'_>) -> Result<f32, LabelProblem> {
        let label = example.label.value.ok_or(LabelProblem::Missing)?;
        let importance = example.label.importance;
        if !label.is_finite() {
            return Err(LabelProblem::NotFinite(label));
        }
        if !(importance >= 0.0 && importance.is_finite()) {
            return Err(LabelProblem::Importance(importance));
        }
        let features = example.codes.len().saturating_mul(self.model.settings.ngram as usize);
        if expansion::slots_needed(self.model.settings.expansion, features) > expansion::MOST_PRODUCTS as u64 {
            return Err(LabelProblem::TooManyProducts { features });
        }
        let mut labels = self.model.progress.labels;
        labels.add(label);
        if !self.model.settings.loss.needs_two_classes() {
            self.model.progress.labels = labels;
            return Ok(label);
        }
        if labels.task() != Task::Classification {
            return Err(LabelProblem::NotAClass { label, loss: self.model.settings.loss.name() });
        }
        let label = if label > 0.0 { 1.0 } else { -1.0 };
        // The range that predictions are clipped to is that of the labels as they are learned.
        labels.smallest = labels.smallest.min(label);
        self.model.progress.labels = labels;
        Ok(label)
    }
}

/// Examples to be learned with one version of the loops.
struct Course<'a> {
    learner: &'a mut Learner,
    batch: &'a Batch,
    range: Range<usize>,
}

impl Work for Course<'_> {
    type Output = Result<(), LearnError>;

    /// The one place where step and loss are chosen: everything below is compiled for each combination.
    #[inline(always)]
    fn run<L: Loops>(self, loops: L) -> Result<(), LearnError> {
        let Course { learner, batch, range } = self;
        let tau = learner.model.settings.quantile;
        match (learner.model.settings.step, learner.model.settings.loss) {
            (StepKind::Adaptive, LossKind::Squared) => learner.run(batch, range, loops, Adaptive, Squared),
            (StepKind::Adaptive, LossKind::Logistic) => learner.run(batch, range, loops, Adaptive, Logistic),
            (StepKind::Adaptive, LossKind::Hinge) => learner.run(batch, range, loops, Adaptive, Hinge),
            (StepKind::Adaptive, LossKind::Quantile) => learner.run(batch, range, loops, Adaptive, Quantile { tau }),
            (StepKind::Sgd, LossKind::Squared) => learner.run(batch, range, loops, Sgd, Squared),
            (StepKind::Sgd, LossKind::Logistic) => learner.run(batch, range, loops, Sgd, Logistic),
            (StepKind::Sgd, LossKind::Hinge) => learner.run(batch, range, loops, Sgd, Hinge),
            (StepKind::Sgd, LossKind::Quantile) => learner.run(batch, range, loops, Sgd, Quantile { tau }),
        }
    }
}
