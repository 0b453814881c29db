//! apple against an oracle that says the same in the plainest way: a map from multisets of features to weights, double
//! precision, a list of parents, every product of every parent tried one by one. And what has to hold however the
//! weights are stored: one result from blocks and keys, from one run and from a saved and resumed one.
#![allow(clippy::unwrap_used)]

mod common;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use common::{slope, step};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::loss::LossKind;
use russet::select::SelectKind;
use russet::settings::{ExpansionKind, GuardKind, Settings, StepKind};
use russet::weights::Cpu;
use russet::{Layout, Learner, Model};

/// The value of each feature that an example has.
type Features = BTreeMap<u32, f64>;

/// A product: the features in ascending order, each as often as it is a factor. The empty one is the constant.
type Product = Vec<u32>;

/// An example as it is drawn: features with values, perhaps repeated; label; importance.
#[derive(Clone, Debug)]
struct Drawn {
    features: Vec<(u32, f32)>,
    label: f32,
    importance: f32,
}

impl Drawn {
    fn features(&self) -> Features {
        let mut features = Features::new();
        for (name, value) in &self.features {
            *features.entry(*name).or_default() += f64::from(*value);
        }
        features.retain(|_, value| *value != 0.0);
        features
    }
}

/// All examples in one batch; a feature is called by its number, with leading zeros.
fn batch_of(examples: &[Drawn]) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (place, example) in examples.iter().enumerate() {
        for (name, value) in &example.features {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name:05}"), *value);
        }
        let label = Label { value: Some(example.label), importance: example.importance, base: 0.0 };
        batch.end_example(label, b"", place as u64 + 1);
    }
    batch
}

fn apple() -> Settings {
    Settings { expansion: ExpansionKind::Apple, ..Settings::default() }
}

/// Without the linear learner beside it, and at one learning rate: what is predicted is what the expansion itself says.
fn unguarded() -> Settings {
    Settings { guard: GuardKind::Off, cooling: 1.0, ..apple() }
}

fn learner(settings: &Settings, course: usize) -> Learner {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    learner.set_course_length(course as u64);
    learner
}

fn predictions(model: &Model, batch: &Batch, range: Range<usize>) -> Vec<f32> {
    let mut predictor = model.predictor();
    predictor.begin(batch);
    range.map(|place| predictor.predict(batch, &batch.example(place)).value).collect()
}

fn layout(model: &Model) -> Layout {
    model.storage().unwrap().layout
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The product that a term is of.
fn product_of(name: &str) -> Product {
    if name == "constant" {
        return vec![];
    }
    let mut product: Product = name.split(" * ").map(|feature| feature[1..].parse().unwrap()).collect();
    product.sort_unstable();
    product
}

// ------------------------------------------------------------------------------------------------- the oracle

#[derive(Clone, Copy, Default)]
struct Weight {
    weight: f64,
    gradient: f64,
    scale: f64,
}

#[derive(Default)]
struct Oracle {
    /// Of every product that an example has touched.
    weights: BTreeMap<Product, Weight>,
    parents: Vec<Product>,
    /// Of each parent: `G_parent / G_constant` when it became one.
    heritages: Vec<f64>,
    /// All features in the order of their first appearance.
    order: Vec<u32>,
    /// Features that have had a value other than 1.
    fractional: BTreeSet<u32>,
    grown: u32,
    examples: u64,
    base_features: u64,
    features: u64,
    importance: f64,
    norm: f64,
    smallest: f64,
    largest: f64,
}

fn times(product: &[u32], feature: u32) -> Product {
    let mut longer = product.to_vec();
    longer.push(feature);
    longer.sort_unstable();
    longer
}

fn without(product: &[u32], feature: u32) -> Product {
    let mut shorter = product.to_vec();
    shorter.remove(shorter.iter().position(|factor| *factor == feature).unwrap());
    shorter
}

/// What the oracle makes of an example.
struct Answer {
    prediction: f64,
    /// Two exact learners may part here: a last bit decides.
    knife_edge: bool,
}

impl Oracle {
    /// The parent that a product belongs to: the first that it is one factor more than.
    fn owner(&self, product: &[u32]) -> Option<usize> {
        self.parents.iter().position(|parent| product.iter().any(|factor| without(product, *factor) == *parent))
    }

    /// Every active product of an example, each once.
    fn active(&self, features: &Features) -> BTreeMap<Product, f64> {
        let mut active = BTreeMap::from([(vec![], 1.0)]);
        active.extend(features.iter().map(|(feature, value)| (vec![*feature], *value)));
        for parent in self.parents.iter().filter(|parent| parent.iter().all(|factor| features.contains_key(factor))) {
            for feature in features.keys() {
                if !parent.contains(feature) || self.fractional.contains(feature) {
                    let product = times(parent, *feature);
                    let value = product.iter().map(|factor| features[factor]).product();
                    active.insert(product, value);
                }
            }
        }
        active
    }

    /// What the `G` of a new product starts with.
    fn inherited(&self, product: &[u32], inherit: f64) -> f64 {
        if product.len() < 2 {
            return 0.0;
        }
        let owner = self.owner(product).unwrap();
        let parent = &self.parents[owner];
        let last = *product.iter().find(|factor| without(product, **factor) == *parent).unwrap();
        inherit * self.heritages[owner] * self.gradient(&[last])
    }

    fn gradient(&self, product: &[u32]) -> f64 {
        self.weights.get(product).map_or(0.0, |weight| weight.gradient)
    }

    fn learn(&mut self, settings: &Settings, example: &Drawn) -> Answer {
        let features = example.features();
        for (name, _) in example.features.iter().filter(|(_, value)| *value != 0.0) {
            if !self.order.contains(name) {
                self.order.push(*name);
            }
        }
        self.fractional.extend(features.iter().filter(|(_, value)| **value != 1.0).map(|(feature, _)| *feature));
        let y = f64::from(example.label);
        self.smallest = self.smallest.min(y);
        self.largest = self.largest.max(y);
        let (low, high) =
            if settings.loss == LossKind::Logistic { (-50.0, 50.0) } else { (self.smallest, self.largest) };
        let active = self.active(&features);
        let weight_of = |product: &Product| self.weights.get(product).map_or(0.0, |weight| weight.weight);
        let score: f64 = active.iter().map(|(product, x)| weight_of(product) * x).sum();
        let prediction = score.clamp(low, high);
        self.examples += 1;
        self.base_features += features.len() as u64;
        self.features += active.len() as u64;
        if example.importance > 0.0 {
            self.step(settings, &active, prediction, y, f64::from(example.importance));
        }
        // Where the slope is 0 up to the last bits, one may pass over the example and the other not.
        let flat = settings.loss == LossKind::Logistic && y * prediction > 15.0;
        let clipped = (score - prediction).abs() > 1e-3;
        Answer { prediction, knife_edge: flat || (prediction - y).abs() < 1e-3 && !clipped }
    }

    fn step(&mut self, settings: &Settings, active: &BTreeMap<Product, f64>, p: f64, y: f64, importance: f64) {
        let slope = slope(settings.loss, p, y);
        if slope == 0.0 {
            return;
        }
        let inherit = f64::from(settings.inherit);
        let inherited: Vec<f64> = active.keys().map(|product| self.inherited(product, inherit)).collect();
        let (mut norm, mut sensitivity) = (0.0, 0.0);
        for ((product, x), inherited) in active.iter().zip(inherited) {
            let new = Weight { gradient: inherited, ..Weight::default() };
            let weight = self.weights.entry(product.clone()).or_insert(new);
            weight.gradient += importance * slope * slope * x * x;
            if x.abs() > weight.scale {
                weight.weight *= if weight.scale > 0.0 { weight.scale / x.abs() } else { 1.0 };
                weight.scale = x.abs();
            }
            norm += (x / weight.scale).powi(2);
            sensitivity += x * x / (weight.scale * weight.gradient.sqrt());
        }
        self.importance += importance;
        self.norm += importance * norm;
        let scale = (self.importance / self.norm).sqrt();
        let size = step(settings.loss, p, y, f64::from(settings.learning_rate) * importance, scale * sensitivity);
        let kept = 1.0 / (1.0 + f64::from(settings.l2) * (-size / slope));
        self.weights.values_mut().for_each(|weight| weight.weight *= kept);
        for (product, x) in active {
            let weight = self.weights.get_mut(product).unwrap();
            weight.weight += scale * size * x / (weight.scale * weight.gradient.sqrt());
        }
    }

    /// True if the epoch is over: a course of `length` has `epochs` of them, and none ends with the last.
    fn is_due(&self, settings: &Settings, length: u64) -> bool {
        let epoch = (length / u64::from(settings.epochs)).max(1);
        let whole = epoch * u64::from(self.grown + 2) <= length;
        self.grown + 1 < settings.epochs && whole && self.examples >= epoch * u64::from(self.grown + 1)
    }

    /// The strongest become parents. False if some are so close that rounding decides.
    fn grow(&mut self, settings: &Settings) -> bool {
        self.grown += 1;
        let average = self.base_features as f64 / self.examples as f64;
        let base = average + f64::from(settings.headroom);
        let count = base.powf(f64::from(settings.alpha)).floor() as usize;
        let mut candidates: Vec<(f64, Product)> = self
            .weights
            .iter()
            .filter(|(product, _)| !product.is_empty() && !self.parents.contains(product))
            .map(|(product, weight)| (weight.weight.abs() * weight.scale, product.clone()))
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let by_weight = match settings.select {
            SelectKind::Weight => count,
            _ => count.saturating_sub(1),
        };
        let close = |pair: &[(f64, Product)]| pair[0].0 - pair[1].0 < 1e-4 * pair[0].0;
        let sure = !candidates.windows(2).take(by_weight).any(close);
        let rest = candidates.split_off(by_weight.min(candidates.len()));
        let chosen: Vec<Product> = candidates.into_iter().map(|(_, product)| product).collect();
        let age = |product: &[u32]| {
            let owner = self.owner(product).filter(|_| product.len() > 1);
            let last = match owner {
                Some(parent) => *product.iter().find(|f| without(product, **f) == self.parents[parent]).unwrap(),
                None => product[0],
            };
            (product.len(), owner, self.order.iter().position(|feature| *feature == last))
        };
        let last = rest.into_iter().map(|(_, product)| product).min_by_key(|product| age(product));
        let last = last.filter(|_| settings.select == SelectKind::Fallback && count > 0);
        let constant = self.gradient(&[]);
        for parent in chosen.into_iter().chain(last) {
            self.heritages.push(if constant > 0.0 { self.gradient(&parent) / constant } else { 0.0 });
            self.parents.push(parent);
        }
        sure
    }
}

// ------------------------------------------------------------------------------------- the learner and the oracle

/// How much was compared, so that a test can tell that it did not pass over everything.
#[derive(Default)]
struct Compared {
    examples: Cell<usize>,
    growths: Cell<usize>,
    degree: Cell<usize>,
    rows: Cell<usize>,
    tiles: Cell<usize>,
}

/// Both learn the same examples, and agree on each prediction, the number of active features, and the set of weights.
fn compare(settings: &Settings, examples: &[Drawn], compared: &Compared) -> Result<(), TestCaseError> {
    let length = examples.len();
    let (mut oracle, mut learner, batch) = (Oracle::default(), learner(settings, length), batch_of(examples));
    for (place, example) in examples.iter().enumerate() {
        let before = (oracle.smallest, oracle.largest);
        let answer = oracle.learn(settings, example);
        let found = f64::from(predictions(learner.model(), &batch, place..place + 1)[0]);
        learner.learn_range(&batch, place..place + 1).unwrap();
        let expected = answer.prediction;
        // The predictor does not know the label that the learner's range is widened by first.
        if before.0 < expected && expected < before.1 {
            let close = (found - expected).abs() < 5e-3 * (1.0 + expected.abs());
            prop_assert!(close, "example {place}: {found} instead of {expected}, {settings:?}");
        }
        if answer.knife_edge {
            return Ok(());
        }
        let tally = learner.model().progress().tally;
        prop_assert_eq!(tally.features, oracle.features, "active features up to example {}", place);
        prop_assert_eq!(tally.base_features, oracle.base_features);
        same_weights(learner.model(), &oracle)?;
        if oracle.is_due(settings, length as u64) {
            if !oracle.grow(settings) {
                return Ok(());
            }
            prop_assert_eq!(learner.model().parents(), Some(oracle.parents.len()), "after example {}", place);
            compared.growths.set(compared.growths.get() + 1);
            let layout = if layout(learner.model()) == Layout::Tiles { &compared.tiles } else { &compared.rows };
            layout.set(layout.get() + 1);
        }
        compared.examples.set(compared.examples.get() + 1);
        let degree = oracle.weights.keys().map(Vec::len).max().unwrap_or(0);
        compared.degree.set(compared.degree.get().max(degree));
    }
    Ok(())
}

/// The model has a weight for each product that the oracle has, once, and for no other.
fn same_weights(model: &Model, oracle: &Oracle) -> Result<(), TestCaseError> {
    let (base, products) = model.weight_counts();
    prop_assert_eq!(base + products, oracle.weights.len());
    let mut seen = BTreeSet::new();
    for term in model.terms(usize::MAX) {
        let product = product_of(&term.name);
        prop_assert_eq!(term.degree, Some(product.len()));
        let weight = oracle.weights.get(&product);
        prop_assert!(weight.is_some(), "{} is not in the feature set; parents {:?}", term.name, oracle.parents);
        prop_assert!(seen.insert(product), "{} has two weights", term.name);
    }
    // A weight of 0 is no term.
    for (product, _) in oracle.weights.iter().filter(|(_, weight)| weight.weight.abs() > 1e-6) {
        prop_assert!(seen.contains(product), "{product:?} has no weight; parents {:?}", oracle.parents);
    }
    Ok(())
}

/// Features all of 0/1, all fractional, or mixed; some repeated. The first two labels span the range of all.
fn examples(length: Range<usize>) -> impl Strategy<Value = Vec<Drawn>> {
    let kinds = prop_oneof![Just(0b0000_0000u32), Just(0b1111_1111), any::<u8>().prop_map(u32::from)];
    let feature = (0u32..7, -6i32..9);
    // Sometimes most features are there, sometimes few.
    let drawn = (
        prop_oneof![prop::collection::vec(feature.clone(), 0..7), prop::collection::vec(feature, 7..14)],
        -4i32..5,
        0u32..8,
    );
    (kinds, prop::collection::vec(drawn, length)).prop_map(|(fractional, examples)| {
        let value = |name: u32, value: i32| match fractional >> name & 1 {
            0 => 1.0,
            _ => value as f32 / 4.0,
        };
        let one = |place: usize, (features, label, importance): (Vec<(u32, i32)>, i32, u32)| {
            let mut features: Vec<(u32, f32)> =
                features.into_iter().map(|(name, drawn)| (name, value(name, drawn))).collect();
            if fractional == 0 {
                // A repeated feature of 0/1 would be 2.
                let mut seen = BTreeSet::new();
                features.retain(|(name, _)| seen.insert(*name));
            }
            let label = [-4, 4].get(place).copied().unwrap_or(label) as f32 / 2.0;
            Drawn { features, label, importance: [2.5, 0.0, 1.0][importance.min(2) as usize] }
        };
        examples.into_iter().enumerate().map(|(place, drawn)| one(place, drawn)).collect()
    })
}

fn for_every<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

/// Labels as the loss wants them.
fn for_loss(loss: LossKind, examples: &[Drawn]) -> Vec<Drawn> {
    let class = |label: f32| if label > 0.0 { 1.0 } else { -1.0 };
    let mut examples = examples.to_vec();
    if loss == LossKind::Logistic {
        examples.iter_mut().for_each(|example| example.label = class(example.label));
    }
    examples
}

#[test]
fn learns_as_the_oracle_does() {
    let compared = Compared::default();
    let settings = (0.1f32..1.5, prop_oneof![Just(0.5f32), Just(1.0), Just(1.4)], 2u32..7, any::<[bool; 4]>());
    for_every(
        96,
        (examples(8..60), settings),
        |(drawn, (learning_rate, alpha, epochs, [l2, inherit, fallback, headroom]))| {
            for loss in [LossKind::Squared, LossKind::Logistic] {
                let settings = Settings {
                    loss,
                    learning_rate,
                    alpha,
                    epochs,
                    headroom: if headroom { 1.0 } else { 0.0 },
                    l2: if l2 { 0.01 } else { 0.0 },
                    inherit: if inherit { 0.05 } else { 0.0 },
                    select: if fallback { SelectKind::Fallback } else { SelectKind::Weight },
                    ..unguarded()
                };
                compare(&settings, &for_loss(loss, &drawn), &compared)?;
            }
            Ok(())
        },
    );
    let Compared { examples, growths, degree, rows, tiles } = compared;
    let found = (examples.get(), growths.get(), degree.get(), rows.get(), tiles.get());
    let enough = found.0 > 4000 && found.1 > 300 && found.2 >= 3 && found.3 > 50 && found.4 > 50;
    assert!(enough, "too little was compared: {found:?}");
}

// ----------------------------------------------------------------------------------------------- made-up examples

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    /// A number from 0 to `below` - 1.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A few of many features, the first far more frequent than the last; half of them fractional.
fn sparse(count: usize, features: u64, seed: u64) -> Vec<Drawn> {
    let mut dice = Dice(seed);
    let mut one = || {
        let mut names: Vec<u64> = (0..12).map(|_| dice.roll(features) * dice.roll(features) / features).collect();
        names.extend((0..6).filter(|_| dice.roll(2) == 0));
        names.sort_unstable();
        names.dedup();
        let has = |name: u64| names.contains(&name) as i64;
        let score = 2 * has(0) * has(1) - has(2) * has(3) + has(4) + dice.roll(2) as i64;
        let value = |name: u64, roll: u64| if name.is_multiple_of(2) { 1.0 } else { (1 + roll) as f32 / 65.0 };
        let features = names.iter().map(|name| (*name as u32, value(*name, dice.roll(63)))).collect();
        Drawn { features, label: if score > 1 { 1.0 } else { -1.0 }, importance: 1.0 }
    };
    (0..count).map(|_| one()).collect()
}

/// Every feature in every example.
fn dense(count: usize, features: u32, seed: u64) -> Vec<Drawn> {
    let mut dice = Dice(seed);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..features).map(|name| (name, (1 + dice.roll(255)) as f32 / 256.0)).collect();
        let label = features[0].1 * features[1].1 - features[2].1 + dice.roll(8) as f32 / 64.0;
        Drawn { features, label, importance: 1.0 }
    };
    (0..count).map(|_| one()).collect()
}

// ------------------------------------------------------------------------------------------------------- storage

/// Learns one by one, and holds the learner's own predictions against those of a predictor.
fn learn_watched(learner: &mut Learner, batch: &Batch, range: Range<usize>) -> Vec<f32> {
    let mut all = Vec::new();
    for place in range {
        let predicted = predictions(learner.model(), batch, place..place + 1)[0];
        let (before, features) = (*learner.model().progress(), learner.model().features().len());
        learner.learn_range(batch, place..place + 1).unwrap();
        let after = learner.model().progress();
        let error = after.tally.since(&before.tally).squared_error.sqrt();
        let expected = f64::from((predicted - batch.example(place).label.value.unwrap()).abs());
        // A new label widens the range that predictions are clipped to; a new feature has no weight for a predictor.
        if after.labels == before.labels && learner.model().features().len() == features {
            assert!((error - expected).abs() < 1e-5, "example {place}: the learner is off by {error}, not {expected}");
        }
        all.push(predicted);
    }
    all
}

#[test]
fn rows_and_families_give_the_same_bits() {
    let examples = sparse(700, 3000, 1);
    let batch = batch_of(&examples);
    for settings in [
        apple(),
        Settings { loss: LossKind::Logistic, l1: 1e-4, l2: 1e-3, ..apple() },
        Settings { inherit: 0.0, select: SelectKind::Fallback, alpha: 1.1, ..apple() },
    ] {
        let mut blocks = learner(&settings, examples.len());
        let mut keys = learner(&Settings { memory: 4, ..settings }, examples.len());
        let both = [&mut blocks, &mut keys].map(|learner| learn_watched(learner, &batch, 0..examples.len()));
        assert_eq!(layout(blocks.model()), Layout::Rows);
        let storage = keys.model().storage().unwrap();
        assert_eq!((storage.layout, storage.left_out), (Layout::Families, 0));
        assert!(keys.model().parents().unwrap() > 30);
        assert_eq!(bits(&both[0]), bits(&both[1]));
        assert_eq!(blocks.model().progress(), keys.model().progress());
        assert_eq!(blocks.model().weight_counts(), keys.model().weight_counts());
        assert_eq!(blocks.model().terms(usize::MAX), keys.model().terms(usize::MAX));
    }
}

#[test]
fn where_memory_is_full_products_are_left_out_and_counted() {
    let examples = sparse(6000, 3000, 2);
    let mut learner = learner(&Settings { memory: 1, alpha: 1.5, ..apple() }, examples.len());
    let batch = batch_of(&examples);
    learner.learn_range(&batch, 0..5800).unwrap();
    let before = learner.model().storage().unwrap();
    assert!(before.layout == Layout::Families && before.left_out > 0, "{before:?}");
    learn_watched(&mut learner, &batch, 5800..6000);
    let after = learner.model().storage().unwrap();
    assert!(after.left_out > before.left_out, "products were left out without being counted");
    assert!(after.places * 40 <= 1 << 20, "{after:?}");
}

#[test]
fn every_cpu_gives_the_same_bytes_from_every_layout() {
    for (layout, memory, examples) in [
        (Layout::Families, 1, sparse(500, 3000, 3)),
        (Layout::Rows, 256, sparse(500, 3000, 3)),
        (Layout::Tiles, 256, dense(500, 21, 3)),
    ] {
        let batch = batch_of(&examples);
        let trained = Cpu::available().into_iter().map(|cpu| {
            let mut model = Model::new(Settings { memory, ..apple() }.check().unwrap());
            model.set_cpu(cpu);
            let mut learner = Learner::resume(model);
            learner.set_course_length(500);
            learner.learn(&batch).unwrap();
            assert_eq!(self::layout(learner.model()), layout);
            (cpu, learner.model().to_bytes())
        });
        let trained: Vec<_> = trained.collect();
        for (cpu, bytes) in &trained {
            assert!(*bytes == trained[0].1, "{cpu:?}, memory {memory}");
        }
    }
}

// ------------------------------------------------------------------------------------------------ save and resume

/// Saves the model after `cut` examples, loads it and goes on; the end is that of the undisturbed run.
fn resumes(settings: &Settings, batch: &Batch, cuts: &[usize], course: Option<usize>) {
    let fresh = || match course {
        Some(length) => learner(settings, length),
        None => Learner::new(settings.clone().check().unwrap()),
    };
    let mut undisturbed = fresh();
    undisturbed.learn(batch).unwrap();
    let (end, rest) = (undisturbed.model().to_bytes(), batch.len().saturating_sub(40)..batch.len());
    let wanted = bits(&predictions(undisturbed.model(), batch, rest.clone()));
    let mut before = fresh();
    let mut learned = 0;
    for &cut in cuts {
        before.learn_range(batch, learned..cut).unwrap();
        learned = cut;
        let bytes = before.model().to_bytes();
        let loaded = Model::from_bytes(&bytes).unwrap_or_else(|error| panic!("after {cut}: {error}"));
        assert!(loaded.to_bytes() == bytes, "after {cut}: other bytes");
        let pair = [before.model(), &loaded].map(|model| bits(&predictions(model, batch, rest.clone())));
        assert_eq!(pair[0], pair[1], "after {cut}: other predictions");
        assert_eq!(loaded.terms(usize::MAX), before.model().terms(usize::MAX), "after {cut}");
        assert_eq!((loaded.parents(), loaded.storage()), (before.model().parents(), before.model().storage()));
        let mut resumed = Learner::resume(loaded);
        // The course has begun: its length stays what it is.
        resumed.set_course_length(7);
        resumed.learn_range(batch, cut..batch.len()).unwrap();
        assert_eq!(bits(&predictions(resumed.model(), batch, rest.clone())), wanted, "after {cut}");
        assert!(resumed.model().to_bytes() == end, "after {cut}: the end has other bytes");
    }
}

/// Right before, at and right after each growth of equal epochs, and in the middle of each.
fn cuts(length: usize, epochs: usize) -> Vec<usize> {
    let epoch = length / epochs;
    let mut cuts: Vec<usize> =
        (0..epochs).flat_map(|k| [1, epoch / 2, epoch - 1, epoch].map(|c| k * epoch + c)).collect();
    cuts.retain(|cut| *cut < length);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

#[test]
fn a_saved_model_goes_on_as_if_undisturbed_anywhere_in_an_epoch() {
    let batch = batch_of(&sparse(240, 60, 4));
    for settings in [
        apple(),
        Settings { loss: LossKind::Logistic, l1: 1e-4, l2: 1e-3, ..apple() },
        Settings { loss: LossKind::Hinge, alpha: 0.5, select: SelectKind::Fallback, ..apple() },
        Settings { loss: LossKind::Quantile, inherit: 0.0, ngram: 2, ..apple() },
        Settings { step: StepKind::Sgd, l2: 0.01, ..apple() },
        Settings { select: SelectKind::Ssm, ..apple() },
        Settings { select: SelectKind::PickyWeight, ..apple() },
        Settings { select: SelectKind::PickySsm, loss: LossKind::Hinge, ..apple() },
    ] {
        resumes(&settings, &batch, &cuts(240, 6), Some(240));
    }
}

#[test]
fn a_saved_model_of_tiles_goes_on_as_if_undisturbed() {
    // The first hundred examples have few of the features, so the layout changes on the way.
    let mut examples = sparse(100, 60, 13);
    examples.extend(dense(500, 30, 14));
    let settings = Settings { epochs: 8, ..apple() };
    resumes(&settings, &batch_of(&examples), &cuts(600, 8), Some(600));
    let batch = batch_of(&dense(120, 9, 15));
    resumes(&apple(), &batch, &cuts(120, 6), Some(120));
}

#[test]
fn a_saved_model_with_keys_goes_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(700, 3000, 1));
    resumes(&Settings { memory: 1, ..apple() }, &batch, &cuts(700, 6), Some(700));
}

#[test]
fn a_saved_model_whose_memory_is_full_goes_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(6000, 3000, 2));
    let settings = Settings { memory: 1, alpha: 1.5, ..apple() };
    resumes(&settings, &batch, &[4999, 5000, 5001, 5900], Some(6000));
}

#[test]
fn a_model_that_gives_up_well_filled_blocks_can_be_saved() {
    // 190 parents of 190 features fill blocks with 18,145 products; with 191 more they no longer fit in 1 MiB.
    let batch = batch_of(&dense(24, 190, 5));
    let settings = Settings { memory: 1, epochs: 4, ..apple() };
    resumes(&settings, &batch, &[5, 6, 7, 11, 12, 13, 18, 20], Some(24));
}

#[test]
fn growing_epochs_go_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(5000, 60, 6));
    resumes(&apple(), &batch, &[500, 1023, 1024, 1025, 4095, 4096, 4097], None);
}

#[test]
fn any_model_goes_on_from_any_place() {
    for_every(48, (examples(6..50), 1u32..7, any::<[bool; 2]>(), 0.0f64..1.0), |(drawn, epochs, [a, b], part)| {
        let settings = Settings {
            epochs,
            inherit: if a { 0.05 } else { 0.0 },
            select: if b { SelectKind::Fallback } else { SelectKind::Weight },
            ..apple()
        };
        let cut = 1 + (part * (drawn.len() - 1) as f64) as usize;
        resumes(&settings, &batch_of(&drawn), &[cut], Some(drawn.len()));
        Ok(())
    });
}

// ---------------------------------------------------------------------------------------------- what is found

/// The features that are parents: only those have their own squares in the feature set, if all are fractional.
fn squares(model: &Model) -> usize {
    let square = |product: &Product| product.len() == 2 && product[0] == product[1];
    model.terms(usize::MAX).iter().filter(|term| square(&product_of(&term.name))).count()
}

#[test]
fn with_fallback_every_feature_becomes_a_parent() {
    let d = 12;
    let examples = dense(32 * 40, d, 7);
    let batch = batch_of(&examples);
    // 13^0.1 is 1: nothing but the fallback. 13^0.5 is 3: two by weight and the fallback.
    for alpha in [0.1, 0.5] {
        let settings = Settings { alpha, epochs: 32, select: SelectKind::Fallback, ..unguarded() };
        let mut learner = learner(&settings, examples.len());
        learner.learn_range(&batch, 0..d as usize * 40).unwrap();
        let parents = d as usize * if alpha < 0.3 { 1 } else { 3 };
        assert_eq!(learner.model().parents(), Some(parents));
        learner.learn_range(&batch, d as usize * 40..d as usize * 40 + 1).unwrap();
        assert_eq!(squares(learner.model()), d as usize, "alpha {alpha}");
    }
    // Without it, the weights decide, and they may keep a feature out for ever.
    let mut learner = learner(&Settings { alpha: 0.5, epochs: 32, ..unguarded() }, examples.len());
    learner.learn_range(&batch, 0..d as usize * 40 + 1).unwrap();
    assert!(squares(learner.model()) < d as usize);
}

#[test]
fn a_single_product_of_three_is_found() {
    let (d, count) = (12, 12_000);
    let mut dice = Dice(8);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..d).filter(|_| dice.roll(2) == 0).map(|name| (name, 1.0)).collect();
        let all = [2, 5, 9].iter().all(|name| features.contains(&(*name, 1.0)));
        Drawn { features, label: if all { 1.0 } else { 0.0 }, importance: 1.0 }
    };
    // Labels beyond those of the target, of no importance: where predictions are clipped to 0 and 1, a sum of the three
    // features less 2 does as well as their product.
    let wide = [-2.0, 2.0].map(|label| Drawn { features: vec![], label, importance: 0.0 });
    let examples: Vec<Drawn> = wide.into_iter().chain((0..count).map(|_| one())).collect();
    // 7^0.5 is 2: ten parents in all.
    let mut learner = learner(&Settings { alpha: 0.5, ..unguarded() }, count + 2);
    learner.learn(&batch_of(&examples)).unwrap();
    let model = learner.model();
    let terms = model.terms(usize::MAX);
    let names: Vec<(&str, f32)> = terms.iter().take(8).map(|term| (term.name.as_str(), term.effect)).collect();
    assert_eq!(product_of(&terms[0].name), [2, 5, 9], "{names:?}");
    assert!(terms[0].effect > 3.0 * terms[1].effect.abs(), "{names:?}");
    let (base, products) = model.weight_counts();
    assert!(base + products < 12 * (10 + 2), "{base} + {products}");
    assert_eq!(model.parents(), Some(10));
}

/// The target is a product; picky rules find it with a few products in the feature set, the others with many.
#[test]
fn every_rule_finds_a_product_of_two() {
    let mut dice = Dice(21);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..10).filter(|_| dice.roll(2) == 0).map(|name| (name, 1.0)).collect();
        let both = [3, 6].iter().all(|name| features.contains(&(*name, 1.0)));
        Drawn { features, label: if both { 1.0 } else { 0.0 }, importance: 1.0 }
    };
    let wide = [-2.0, 2.0].map(|label| Drawn { features: vec![], label, importance: 0.0 });
    let examples: Vec<Drawn> = wide.into_iter().chain((0..9000).map(|_| one())).collect();
    let batch = batch_of(&examples);
    let products = |select| {
        let mut learner = learner(&Settings { select, ..unguarded() }, examples.len());
        learner.learn(&batch).unwrap();
        let terms = learner.model().terms(usize::MAX);
        // The test of picky-ssm may prefer a product of these two and another, where the model is as wrong.
        let has_both = |product: &Product| product.contains(&3) && product.contains(&6);
        let found = product_of(&terms[0].name);
        assert!(found == [3, 6] || select == SelectKind::PickySsm && has_both(&found), "{select:?}: {found:?}");
        learner.model().weight_counts().1
    };
    let [weight, ssm, fallback, picky_weight, picky_ssm] =
        [SelectKind::Weight, SelectKind::Ssm, SelectKind::Fallback, SelectKind::PickyWeight, SelectKind::PickySsm]
            .map(products);
    // Six places at each of five growths; at the first nothing has been on trial.
    assert!(picky_weight <= 24 && picky_ssm <= 24, "{picky_weight} {picky_ssm}");
    assert!(weight > 45 && ssm > 45 && fallback > 45, "{weight} {ssm} {fallback}");
}

#[test]
fn plain_gradient_steps_grow_too() {
    let examples = sparse(600, 60, 9);
    let mut learner = learner(&Settings { step: StepKind::Sgd, l2: 0.01, ..unguarded() }, 600);
    learner.learn(&batch_of(&examples)).unwrap();
    assert!(learner.model().parents().unwrap() > 0);
}
