use super::Model;
use crate::batch::{Batch, Example};
use crate::expansion::{self, adaptive::Enumerator};
use crate::intake::Intake;
use crate::loss::LossKind;
use crate::metrics::Task;
use crate::step::Active;
use crate::weights::{Loops, Rows, Work, prefetch};

/// Predicts with a model, holding the buffers this needs.
///
/// ```
/// # use russet::{Learner, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
/// # let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
/// # batch.start(&mut dictionary);
/// # batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "a", 1.0);
/// # batch.end_example(Label::new(1.0), b"", 1);
/// # let mut learner = Learner::new(Settings::default().check().unwrap());
/// # learner.learn(&batch).unwrap();
/// let model = learner.into_model();
/// let mut predictor = model.predictor();
/// predictor.begin(&batch);
/// let predicted = predictor.predict(&batch, &batch.example(0));
/// assert!(predicted.value > 0.0);
/// ```
pub struct Predictor<'m> {
    pub(super) model: &'m Model,
    pub(super) intake: Intake,
    enumerator: Enumerator,
    pub(super) rows: Rows,
    /// [`Model::adaptive_share`]
    share: f32,
    /// The place in its batch of the example that comes next, if they come in order.
    next: usize,
}

/// With more base weights than this (1 MiB), which do not all stay in the nearer caches, those of the next example are asked for
/// ahead of time.
const NEAR: usize = 1 << 16;

/// A prediction.
#[derive(Clone, Copy, Debug)]
pub struct Predicted<'m> {
    /// The prediction itself: a number, or a margin for the logistic and hinge losses.
    pub value: f32,
    /// For a classification: how likely the positive class is.
    pub probability: Option<f32>,
    /// For a classification: labels above this are of the positive class.
    pub threshold: f32,
    pub(super) model: &'m Model,
}

impl Model {
    /// A predictor for this model.
    pub fn predictor(&self) -> Predictor<'_> {
        let intake = Intake::new(self.settings.ngram, self.settings.expansion.needs_order());
        let (enumerator, rows) = (Enumerator::to_predict(self.cpu), Rows::default());
        Predictor { model: self, intake, enumerator, rows, share: self.adaptive_share(), next: 0 }
    }
}

impl<'m> Predictor<'m> {
    /// Takes note of the features of a batch. Comes once for each batch, after it was filled and before its examples are
    /// predicted, and again if the batch has changed.
    ///
    /// # Panics
    /// If an earlier batch of the same dictionary was not begun: features are declared only once.
    pub fn begin(&mut self, batch: &Batch) {
        self.intake.begin(batch);
        self.intake.find_all(batch, &self.model.features);
        self.next = 0;
    }

    /// Predicts an example of the batch that was begun last.
    pub fn predict(&mut self, batch: &Batch, example: &Example<'_>) -> Predicted<'m> {
        let model = self.model;
        self.intake.take(batch, example, &model.features);
        self.look_ahead(batch, example);
        let base = self.intake.base();
        match &model.growth {
            // Products without a say need not be looked for.
            Some(_) if self.share == 0.0 => self.rows.clear(),
            Some(growth) => growth.rows(base, &model.products, &mut self.enumerator, &mut self.rows),
            None => expansion::products(&model.settings, base, model.slot_count(), &model.products, &mut self.rows),
        }
        let active =
            Active { base, linear: expansion::linear(base), products: &self.rows, straight: self.rows.straight() };
        Predicted::new(model, model.cpu.run(Score { model, active, base: example.label.base, share: self.share }))
    }
}

impl Predictor<'_> {
    /// Asks for the memory of the weights that the example after this one needs, if this one came in order.
    #[inline]
    fn look_ahead(&mut self, batch: &Batch, example: &Example<'_>) {
        let Model { linear, guard, features, .. } = self.model;
        let is_far = linear.len() > NEAR;
        if is_far && self.next < batch.len() && batch.example(self.next).first == example.first {
            self.next += 1;
            let linear = if self.share > 0.0 { linear.slots() } else { &[] };
            let guard = guard.as_ref().filter(|_| self.share < 1.0).map_or(&[][..], |guard| guard.linear.slots());
            self.intake.look_ahead(batch, self.next, features, |slot| {
                prefetch(linear, slot as usize);
                prefetch(guard, slot as usize);
            });
        }
    }
}

/// A prediction to be made with one version of the loops.
struct Score<'a> {
    model: &'a Model,
    active: Active<'a>,
    base: f32,
    share: f32,
}

impl Work for Score<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Loops>(self, loops: L) -> f32 {
        self.model.predict(loops, self.active, self.base, self.share)
    }
}

impl<'m> Predicted<'m> {
    fn new(model: &'m Model, value: f32) -> Predicted<'m> {
        let threshold = if model.progress.labels.zero_based() { 0.5 } else { 0.0 };
        let probability = (model.task() == Task::Classification).then(|| match model.settings.loss {
            LossKind::Logistic => (1.0 / (1.0 + libm::exp(-f64::from(value)))) as f32,
            LossKind::Squared | LossKind::Quantile if threshold == 0.5 => value.clamp(0.0, 1.0),
            _ => ((value + 1.0) / 2.0).clamp(0.0, 1.0),
        });
        Predicted { value, probability, threshold, model }
    }

    /// True if the positive class is predicted.
    pub fn is_positive(&self) -> bool {
        let middle = if self.model.settings.loss.needs_two_classes() { 0.0 } else { self.threshold };
        self.value > middle
    }

    /// The loss if `label` is the truth.
    pub fn loss(&self, label: f32) -> f64 {
        let signed = if label > self.threshold { 1.0 } else { -1.0 };
        let label = if self.model.settings.loss.needs_two_classes() { signed } else { label };
        self.model.loss(self.value, label)
    }
}
