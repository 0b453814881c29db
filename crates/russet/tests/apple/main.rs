//! apple against an oracle that says the same in the plainest way: a map from multisets of features to weights, double
//! precision, a list of parents, every product of every parent tried one by one. And what has to hold however the
//! weights are stored: one result from rows and families, from one run and from a saved and resumed one.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod compare;
mod found;
mod made_up;
mod oracle;
mod resume;
mod storage;

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
