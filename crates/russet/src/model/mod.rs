//! What has been learned: everything that is saved, and all that a prediction needs.
//!
//! A [`Model`] is only changed by a [`crate::Learner`]. Predicting does not change it: a [`Predictor`] holds the
//! buffers, so any number of them can share one model, one in each thread.

pub(crate) mod activity;
mod explain;
mod format;
mod predictor;
mod reading;
mod terms;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::expansion;
use crate::feature::FeatureTable;
use crate::growth::{Growth, StorageReport};
use crate::guard::{Guard, GuardState, Mixture, mixed};
use crate::learner::judge::clip;
use crate::loss::{Hinge, Logistic, Loss, LossKind, Quantile, Squared};
use crate::metrics::{Progressive, Task};
use crate::schedule::Schedule;
use crate::settings::{Checked, ExpansionKind, GuardKind};
use crate::step::{Active, GlobalScale, Moved, Scratches, Shrinkage};
use crate::weights::{Cpu, Loops, WeightTable, sum};

pub use explain::{Explanation, Part, PartKind};
pub use format::{FORMAT_VERSION, LoadError, ModelError};
pub(crate) use format::{Input, MAGIC, damaged, load};
pub use predictor::{Predicted, Predictor};
pub use terms::{Branch, Term};

/// A model: settings, features with their names, weights with their learning state.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) settings: Checked,
    pub(crate) features: FeatureTable,
    pub(crate) linear: WeightTable,
    pub(crate) products: WeightTable,
    /// The state of an adaptive expansion, if the model has one.
    pub(crate) growth: Option<Growth>,
    /// The linear learner beside an adaptive expansion, from its first growth on.
    pub(crate) guard: Option<Guard>,
    pub(crate) scale: GlobalScale,
    pub(crate) shrinkage: Shrinkage,
    /// `t` of the plain gradient step's schedule.
    pub(crate) rounds: u64,
    pub(crate) progress: Progressive,
    pub(crate) attachments: BTreeMap<String, String>,
    /// A factor of the learning rate for what is learned now, not saved: see [`crate::parallel::Synchroniser::begin`].
    pub(crate) pace: f32,
    pub(crate) cpu: Cpu,
    /// How many slots there are, while a scout has the features.
    pub(crate) slots_apart: Option<usize>,
}

/// The learning state besides the weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    scale: GlobalScale,
    shrinkage: Shrinkage,
    rounds: u64,
    progress: Progressive,
}

/// There are never more parents: each knows which of the others' products it shares.
const MOST_PARENTS: usize = 1 << 15;

impl State {
    /// True if the numbers are such as learning can lead to: a file may say anything.
    fn is_sound(&self) -> bool {
        let labels = &self.progress.labels;
        let range = labels.smallest <= 0.0
            && labels.largest >= 0.0
            && labels.smallest.is_finite()
            && labels.largest.is_finite();
        range && self.shrinkage.is_sound() && self.scale.importance >= 0.0 && self.scale.norm >= 0.0
    }
}

impl Model {
    /// A model that has learned nothing yet.
    pub fn new(settings: Checked) -> Model {
        let mut model = Model {
            features: FeatureTable::new(settings.indexing, settings.bits, settings.seed),
            linear: WeightTable::new(settings.bits),
            products: match settings.expansion {
                // Its memory is looked after as it grows.
                ExpansionKind::Apple => WeightTable::with_limit(usize::MAX),
                _ => WeightTable::new(settings.bits),
            },
            growth: (settings.expansion == ExpansionKind::Apple)
                .then(|| Growth::new(Schedule::new(settings.epochs, None), &settings)),
            guard: None,
            scale: GlobalScale::default(),
            shrinkage: Shrinkage::default(),
            rounds: 0,
            progress: Progressive::default(),
            attachments: BTreeMap::new(),
            pace: 1.0,
            slots_apart: None,
            cpu: Cpu::fastest(),
            settings,
        };
        model.fit_tables();
        model
    }

    /// The settings it was trained with.
    pub fn settings(&self) -> &Checked {
        &self.settings
    }

    /// The base features it knows.
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// Progressive validation over all it has learned from.
    pub fn progress(&self) -> &Progressive {
        &self.progress
    }

    /// The progressive error: share of mistakes, or mean squared error.
    pub fn progressive_error(&self) -> Option<f64> {
        self.progress.error_of(&self.progress.tally, self.settings.loss.needs_two_classes())
    }

    /// What the labels make of it: a classification or a regression.
    pub fn task(&self) -> Task {
        if self.settings.loss.needs_two_classes() { Task::Classification } else { self.progress.task() }
    }

    /// Texts saved with the model for its users, such as the columns of a CSV file.
    pub fn attachments(&self) -> &BTreeMap<String, String> {
        &self.attachments
    }

    /// Sets or, with `None`, removes a text to be saved with the model.
    pub fn attach(&mut self, name: &str, text: Option<String>) {
        match text {
            Some(text) => self.attachments.insert(name.to_owned(), text),
            None => self.attachments.remove(name),
        };
    }

    /// Chooses the version of the inner loops; all give the same bits.
    pub fn set_cpu(&mut self, cpu: Cpu) {
        self.cpu = cpu;
    }

    /// How many weights an example has touched: base weights and products.
    pub fn weight_counts(&self) -> (usize, usize) {
        let used = |table: &WeightTable| table.iter().filter(|slot| !slot.is_untouched()).count();
        (used(&self.linear), used(&self.products))
    }

    /// True if some products share a weight because there are more than 2^bits.
    pub fn products_share_weights(&self) -> bool {
        expansion::slots_needed(self.settings.expansion, self.features.slot_count()) > self.products.limit() as u64
    }

    /// How many monomials are parents, for an adaptive expansion.
    pub fn parents(&self) -> Option<usize> {
        self.growth.as_ref().map(|growth| growth.parents.len())
    }

    /// For an adaptive expansion: how many examples the course has that its epochs are spaced over, if that was known.
    pub fn course_length(&self) -> Option<u64> {
        self.growth.as_ref().and_then(|growth| growth.schedule.length())
    }

    /// The highest degree of a product in the feature set.
    pub fn max_degree(&self) -> usize {
        let grown =
            |growth: &Growth| growth.parents.iter().map(|parent| parent.monomial.degree() + 1).max().unwrap_or(1);
        self.growth.as_ref().map_or(self.settings.expansion.degree() as usize, grown)
    }

    /// How the products of an adaptive expansion use memory.
    pub fn storage(&self) -> Option<StorageReport> {
        self.growth.as_ref().map(|growth| growth.storage(&self.products))
    }

    /// Lets the strongest monomials become parents.
    pub(crate) fn grow(&mut self) {
        let slot_count = self.slot_count();
        let Some(growth) = &mut self.growth else { return };
        let average = self.progress.tally.base_features_per_example().unwrap_or(0.0);
        let base = average + f64::from(self.settings.headroom);
        let wanted = libm::pow(base, f64::from(self.settings.alpha)).floor() as usize;
        let count = wanted.min(MOST_PARENTS.saturating_sub(growth.parents.len()));
        let chosen = growth.choose(count, &self.linear, &mut self.products, &self.shrinkage);
        growth.grow(&chosen, &self.linear, &self.products);
        self.linear.forget_moments();
        self.products.forget_moments();
        growth.choose_layout(&mut self.products, slot_count, average);
        self.fit_tables();
    }

    /// After a growth: the guard begins as a copy of what was linear until now, or its comparison begins anew.
    pub(crate) fn renew_guard(&mut self) {
        if self.settings.guard == GuardKind::Off {
            return;
        }
        let Model { scale, shrinkage, rounds, .. } = *self;
        let state = GuardState { scale, shrinkage, rounds, mixture: Mixture::default() };
        match &mut self.guard {
            Some(guard) => guard.state.mixture = Mixture::default(),
            None => self.guard = Some(Guard::new(self.linear.copy_with_room(), state)),
        }
    }

    /// Makes the guard as it would be had the feature set grown just now, if there is none and there should be.
    pub(crate) fn begin_guard(&mut self) {
        if self.growth.is_some() && self.guard.is_none() {
            self.renew_guard();
        }
    }

    /// How much say products have in predictions, from 0 to 1: see [`GuardKind`].
    pub fn adaptive_share(&self) -> f32 {
        self.guard.as_ref().map_or(1.0, |guard| guard.state.mixture.adaptive_share())
    }

    /// How many slots base features have.
    #[inline]
    pub(crate) fn slot_count(&self) -> usize {
        self.slots_apart.unwrap_or_else(|| self.features.slot_count())
    }

    /// [`Model::fit_tables`], if there are features without a weight.
    #[inline]
    pub(crate) fn fit_tables_if_short(&mut self) {
        if self.linear.len() < self.slot_count() {
            // Before there are many more places, most of which may stay empty.
            if self.growth.is_none() && self.products.is_tiled() {
                self.order_products();
            }
            self.fit_tables();
        }
    }

    /// Keeps the products of a fixed expansion in the order that suits the data so far.
    pub(crate) fn order_products(&mut self) {
        let average = self.progress.tally.base_features_per_example().unwrap_or(0.0);
        self.order_products_for(average);
    }

    /// The same for data with this many base features in an example.
    pub(crate) fn order_products_for(&mut self, average: f64) {
        let (kind, limit) = (self.settings.expansion, self.products.limit());
        self.products.set_tiled(expansion::dense::suits(kind, average, self.slot_count(), limit));
    }

    /// Makes the weight tables as large as the known features need. They always are: the loops rely on it.
    pub(crate) fn fit_tables(&mut self) {
        let slots = self.slot_count();
        self.linear.grow_to(slots);
        if let Some(guard) = &mut self.guard {
            guard.linear.grow_to(slots);
        }
        if let Some(growth) = &mut self.growth {
            let average = self.progress.tally.base_features_per_example().unwrap_or(0.0);
            growth.fit(&mut self.products, slots, average);
        }
        let products = expansion::slots_needed(self.settings.expansion, slots);
        self.products.grow_to(usize::try_from(products).unwrap_or(usize::MAX));
    }

    /// Takes note of an example for rules that ask how wrong predictions are; `slope` is that of the loss.
    #[inline]
    pub(crate) fn observe(&mut self, active: Active<'_>, importance: f32, slope: f32) {
        if self.settings.select.rule().observes() {
            self.linear.observe(&[active.linear], active.base, importance, slope);
            self.products.observe(active.products, active.base, importance, slope);
        }
    }

    /// Counts the active features.
    pub(crate) fn count(&mut self, active: Active<'_>) {
        self.linear.count(&[active.linear], active.base);
        self.products.count(active.products, active.base);
    }

    /// `base + w . x`, mixed with what the guard says, clipped to the range that labels have had. `share`:
    /// [`Model::adaptive_share`]; who has no say is not asked.
    #[inline(always)]
    pub(crate) fn predict<L: Loops>(&self, loops: L, active: Active<'_>, base: f32, share: f32) -> f32 {
        let adaptive = if share > 0.0 { self.score(loops, active, base) } else { 0.0 };
        let linear = match &self.guard {
            Some(guard) if share < 1.0 => guard.score(loops, active) + base,
            _ => 0.0,
        };
        clip(mixed(share, adaptive, linear), self.range())
    }

    /// `base + w . x`, the guard apart; not clipped.
    #[inline(always)]
    pub(crate) fn score<L: Loops>(&self, loops: L, active: Active<'_>, base: f32) -> f32 {
        let gravity = self.shrinkage.gravity();
        let mut total = [0.0; crate::weights::LANES];
        self.linear.score(loops, &[active.linear], active.base, gravity, &mut total);
        self.products.score(loops, active.products, active.base, gravity, &mut total);
        sum(&total) * self.shrinkage.contraction() + base
    }

    /// The same, to the bit, at the beginning of a step.
    #[inline(always)]
    pub(crate) fn open<L: Loops>(&self, loops: L, active: Active<'_>, base: f32, scratches: &mut Scratches) -> f32 {
        let gravity = self.shrinkage.gravity();
        let mut total = [0.0; crate::weights::LANES];
        let Active { base: features, linear, products, straight } = active;
        self.linear.open(loops, &[linear], features, gravity, &mut total, &mut scratches.linear);
        scratches.products.straight = straight;
        self.products.open(loops, products, features, gravity, &mut total, &mut scratches.products);
        sum(&total) * self.shrinkage.contraction() + base
    }

    /// What a step moves, the guard apart.
    #[inline(always)]
    pub(crate) fn moved(&mut self) -> Moved<'_> {
        let seen = self.progress.tally.examples;
        let cooled = |growth: &Growth| growth.schedule.cooled(seen, self.settings.cooling);
        let rate = self.settings.learning_rate * self.pace * self.growth.as_ref().map_or(1.0, cooled);
        let Model { linear, products, scale, shrinkage, rounds, settings, .. } = self;
        Moved { linear, products, scale, shrinkage, rounds, settings, rate }
    }

    /// What predictions are clipped to.
    #[inline(always)]
    pub(crate) fn range(&self) -> (f32, f32) {
        match self.settings.loss {
            LossKind::Logistic => (-50.0, 50.0),
            _ => (self.progress.labels.smallest, self.progress.labels.largest),
        }
    }

    /// The loss of predicting `prediction` for `label`.
    pub fn loss(&self, prediction: f32, label: f32) -> f64 {
        match self.settings.loss {
            LossKind::Squared => Squared.value(prediction, label),
            LossKind::Logistic => Logistic.value(prediction, label),
            LossKind::Hinge => Hinge.value(prediction, label),
            LossKind::Quantile => Quantile { tau: self.settings.quantile }.value(prediction, label),
        }
    }

    fn state(&self) -> State {
        State { scale: self.scale, shrinkage: self.shrinkage, rounds: self.rounds, progress: self.progress }
    }
}
