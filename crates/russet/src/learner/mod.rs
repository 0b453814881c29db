//! Learning: one example after another, predicted first, then learned from.

mod chosen;
mod companion;
#[cfg(test)]
mod cost;
mod epochs;
mod examples;
mod habit;
pub(crate) mod judge;
#[cfg(test)]
mod kept;
mod label;
mod linear;
mod scout;

use std::ops::Range;
use thiserror::Error;

use crate::batch::Batch;
use crate::expansion::adaptive::Enumerator;
use crate::growth::Growth;
use crate::guard::Pass;
use crate::intake::Intake;
use crate::model::Model;
use crate::schedule::Schedule;
use crate::settings::{Checked, ExpansionKind};
use crate::step::Scratches;
use crate::weights::Rows;
use examples::Examples;
use habit::Habit;

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
    habit: Habit,
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
        let (enumerator, rows, pass) = (Enumerator::to_learn(model.cpu), Rows::default(), Pass::Only);
        let (scratches, guard_scratches) = (Scratches::on(model.cpu), Scratches::on(model.cpu));
        Learner {
            model,
            intake,
            enumerator,
            rows,
            scratches,
            guard_scratches,
            linear: linear::Buffers::default(),
            habit: Habit::default(),
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

    /// The model, to be laid out anew; [`Learner::forget_places`] has to follow.
    pub(crate) fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Forgets what hangs on where weights are. `slots`: features have other slots than before, too.
    pub(crate) fn forget_places(&mut self, slots: bool) {
        self.enumerator = Enumerator::to_learn(self.model.cpu);
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
}
