//! The learner against an oracle that says the same in the plainest way: a map from products to weights, double
//! precision, no tables, no rows, no lanes, no lazy shrinkage. For the smooth losses: where a loss has a kink, the
//! last bit decides between two steps, and two exact learners part; their steps are checked in `loss.rs`.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use common::{slope, step};
use proptest::prelude::*;
use russet::Learner;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::loss::LossKind;
use russet::settings::{ExpansionKind, Settings, StepKind};

type Features = BTreeMap<u32, f64>;

#[derive(Clone, Copy, Default)]
struct Weight {
    weight: f64,
    gradient: f64,
    scale: f64,
}

#[derive(Default)]
struct Oracle {
    weights: BTreeMap<Vec<u32>, Weight>,
    importance: f64,
    norm: f64,
    rounds: f64,
    smallest: f64,
    largest: f64,
}

/// All products of up to `degree` features; the empty product is the constant.
fn expand(features: &Features, degree: u32) -> BTreeMap<Vec<u32>, f64> {
    let mut all = BTreeMap::from([(vec![], 1.0)]);
    for _ in 0..degree {
        for (product, value) in all.clone() {
            for (feature, factor) in features {
                let mut longer = product.clone();
                longer.push(*feature);
                longer.sort_unstable();
                all.insert(longer, value * factor);
            }
        }
    }
    all
}

impl Oracle {
    fn learn(&mut self, settings: &Settings, features: &Features, y: f64, importance: f64) -> f64 {
        self.smallest = self.smallest.min(y);
        self.largest = self.largest.max(y);
        let (low, high) =
            if settings.loss == LossKind::Logistic { (-50.0, 50.0) } else { (self.smallest, self.largest) };
        let active = expand(features, settings.expansion.degree());
        let score: f64 =
            active.iter().map(|(product, x)| self.weights.entry(product.clone()).or_default().weight * x).sum();
        let p = score.clamp(low, high);
        match settings.step {
            StepKind::Adaptive => self.adaptive(settings, &active, p, y, importance),
            StepKind::Sgd => self.sgd(settings, &active, p, y, importance),
        }
        p
    }

    fn adaptive(&mut self, settings: &Settings, active: &BTreeMap<Vec<u32>, f64>, p: f64, y: f64, importance: f64) {
        let slope = slope(settings.loss, p, y);
        if slope == 0.0 {
            return;
        }
        let (mut norm, mut sensitivity) = (0.0, 0.0);
        for (product, x) in active {
            let weight = self.weights.get_mut(product).unwrap();
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

    fn sgd(&mut self, settings: &Settings, active: &BTreeMap<Vec<u32>, f64>, p: f64, y: f64, importance: f64) {
        self.rounds += 1.0;
        let lambda = f64::from(settings.l2);
        let rate = 1.0 / (lambda * (self.rounds + 1.0));
        self.weights.values_mut().for_each(|weight| weight.weight *= 1.0 - rate * lambda);
        for (product, x) in active {
            self.weights.get_mut(product).unwrap().weight -= rate * importance * slope(settings.loss, p, y) * x;
        }
    }
}

type Drawn = (Vec<(u32, i32)>, i32, bool);

/// How large the values of each feature are, and the labels.
#[derive(Clone, Copy)]
struct Scales {
    features: [f64; 6],
    labels: f64,
}

const ONE: Scales = Scales { features: [1.0; 6], labels: 1.0 };

/// Predictions may differ by this share of the labels' scale and of themselves.
const TOLERANCE: f64 = 5e-3;

fn compare(settings: &Settings, examples: &[Drawn], scales: Scales) -> Result<(), TestCaseError> {
    let (mut oracle, mut learner) = (Oracle::default(), Learner::new(settings.clone().check().unwrap()));
    for (drawn, label, important) in examples {
        let y = match settings.loss {
            LossKind::Logistic => {
                if *label > 0 {
                    1.0
                } else {
                    -1.0
                }
            }
            _ => f64::from(*label) / 2.0 * scales.labels,
        };
        let importance = if *important { 2.5 } else { 1.0 };
        let mut features = Features::new();
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for (name, value) in drawn {
            let value = f64::from(*value) / 4.0 * scales.features[*name as usize];
            *features.entry(*name).or_default() += value;
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name}"), value as f32);
        }
        features.retain(|_, value| *value != 0.0);
        batch.end_example(Label { value: Some(y as f32), importance: importance as f32, base: 0.0 }, b"", 1);
        let before = (oracle.smallest, oracle.largest);
        let expected = oracle.learn(settings, &features, y, importance);
        let mut predictor = learner.model().predictor();
        predictor.begin(&batch);
        let found = f64::from(predictor.predict(&batch, &batch.example(0)).value);
        learner.learn(&batch).unwrap();
        // Where the slope is 0 up to the last bits, one may pass over the example and the other not.
        let flat = settings.loss == LossKind::Logistic && y * expected > 15.0;
        if flat || (expected - y).abs() < 1e-3 * scales.labels {
            return Ok(());
        }
        // The predictor does not know the label that the learner's range is widened by first.
        if before.0 < expected && expected < before.1 {
            let allowed = TOLERANCE * (scales.labels + expected.abs());
            prop_assert!((found - expected).abs() < allowed, "{found} {expected} {settings:?}");
        }
    }
    Ok(())
}

fn examples() -> impl Strategy<Value = Vec<Drawn>> {
    let feature = (0u32..6, -4i32..5);
    prop::collection::vec((prop::collection::vec(feature, 0..5), -3i32..4, any::<bool>()), 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn learns_as_the_oracle_does(examples in examples(), rate in 0.1f32..2.0, l2 in prop::bool::ANY) {
        let l2 = if l2 { 0.01 } else { 0.0 };
        for loss in [LossKind::Squared, LossKind::Logistic] {
            for expansion in [ExpansionKind::Linear, ExpansionKind::Quadratic, ExpansionKind::Cubic] {
                compare(&Settings { loss, expansion, learning_rate: rate, l2, ..Settings::default() }, &examples, ONE)?;
            }
        }
    }

    /// Values from 2^-40 to 2^40 (about 1e12) side by side, and labels of every size.
    #[test]
    fn learns_as_the_oracle_does_at_every_scale(
        examples in examples(), rate in 0.1f32..2.0, exponents in prop::array::uniform6(-40i32..41), labels in -3i32..4,
    ) {
        let features = exponents.map(|exponent| 2f64.powi(exponent));
        let expansion = ExpansionKind::Linear;
        for (loss, labels) in [(LossKind::Squared, 10f64.powi(labels)), (LossKind::Logistic, 1.0)] {
            let settings = Settings { loss, expansion, learning_rate: rate, ..Settings::default() };
            compare(&settings, &examples, Scales { features, labels })?;
        }
    }

    #[test]
    fn plain_steps_as_the_oracle_does(examples in examples()) {
        for loss in [LossKind::Squared, LossKind::Logistic] {
            compare(&Settings { loss, step: StepKind::Sgd, l2: 0.5, ..Settings::default() }, &examples, ONE)?;
        }
    }
}
