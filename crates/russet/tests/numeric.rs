//! Numbers at the ends of their range, and examples of every odd shape: weights and predictions stay finite, or the example is
//! refused with words that say why. A model that loads has finite weights: loading refuses others.
#![allow(clippy::unwrap_used)]

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{Indexing, Namespace};
use russet::loss::LossKind;
use russet::settings::{ExpansionKind, Settings, StepKind};
use russet::{LabelProblem, Learner, Model};

/// A label, an importance, and features by number.
type Shape = (f32, f32, Vec<(u64, f32)>);

const EXTREMES: [f32; 16] = [
    1e38,
    -1e38,
    f32::MAX,
    f32::MIN,
    1e-38,
    -1e-38,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-40,
    1e19,
    -1e20,
    1e-19,
    1e-20,
    1.0,
    -1.0,
    16_777_217.0,
];

/// Every way to learn.
fn ways() -> Vec<Settings> {
    let mut all = Vec::new();
    for expansion in [ExpansionKind::Linear, ExpansionKind::Quadratic, ExpansionKind::Cubic, ExpansionKind::Apple] {
        for loss in [LossKind::Squared, LossKind::Logistic, LossKind::Hinge, LossKind::Quantile] {
            let base = Settings { expansion, loss, epochs: 4, memory: 1, bits: 12, ..Settings::default() };
            all.push(Settings { learning_rate: 1e6, l1: 1e-3, l2: 1e-3, ..base.clone() });
            all.push(Settings { step: StepKind::Sgd, l2: 1e-6, ..base.clone() });
            all.push(Settings { indexing: Indexing::Hashed, ngram: 2, ..base.clone() });
            all.push(base);
        }
    }
    all
}

fn batch_of(examples: &[Shape], two_classes: bool) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (place, (label, importance, features)) in examples.iter().enumerate() {
        for (number, value) in features {
            let id = Namespace::ANONYMOUS.numbered(*number);
            let index = dictionary.index(&mut batch, id, |names| names.push(number.to_string().as_bytes()));
            batch.push(index, *value);
        }
        let label = if two_classes { 1.0f32.copysign(*label) } else { *label };
        batch.end_example(Label { value: Some(label), importance: *importance, base: 0.0 }, b"", place as u64 + 1);
    }
    batch
}

/// Learns from the examples some times; all predictions meanwhile and afterwards are finite, and the model loads.
#[track_caller]
fn stays_finite(settings: &Settings, examples: &[Shape], passes: u64) {
    stays_finite_with(settings, &batch_of(examples, settings.loss.needs_two_classes()), passes);
}

#[track_caller]
fn stays_finite_with(settings: &Settings, batch: &Batch, passes: u64) {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    learner.set_course_length(passes * batch.len() as u64);
    for _ in 0..passes {
        learner.learn(batch).unwrap();
        let mut predictor = learner.model().predictor();
        predictor.begin(batch);
        for example in batch.iter() {
            let predicted = predictor.predict(batch, &example);
            assert!(predicted.value.is_finite(), "{} in {settings:?}", predicted.value);
            assert!(predicted.probability.is_none_or(|p| (0.0..=1.0).contains(&p)), "{settings:?}");
        }
    }
    let saved = learner.into_model().to_bytes();
    assert!(Model::from_bytes(&saved).unwrap_or_else(|error| panic!("{error}: {settings:?}")).to_bytes() == saved);
}

#[track_caller]
fn every_way_stays_finite(examples: &[Shape]) {
    ways().iter().for_each(|settings| stays_finite(settings, examples, 2));
}

#[test]
fn values_at_the_ends_of_the_range() {
    let with = |place: usize, value: f32| {
        let other = EXTREMES[(place * 7 + 3) % EXTREMES.len()];
        (value.signum(), 1.0, vec![(place as u64 % 5, value), (5, other), (6, 1.0)])
    };
    let examples: Vec<Shape> = (0..48).map(|place| with(place, EXTREMES[place % EXTREMES.len()])).collect();
    every_way_stays_finite(&examples);
}

/// Found by the fuzzer `learn`: the square of 3e38 is infinite, and infinity times an absent feature was no number, so what was
/// absent counted as present, and the model that was saved could not be loaded.
#[test]
fn fuzz_learn_a_square_past_the_range() {
    let examples = [
        (1e30, 1.0, vec![(1, 3e38), (2, 1e-38)]),
        (-1e30, 1e30, vec![(1, 1e-45)]),
        (0.0, 0.0, vec![(1, 1.0)]),
        (1.0, 1e-30, vec![(2, 1.0)]),
    ];
    stays_finite(&Settings { epochs: 3, memory: 1, bits: 8, ..Settings::default() }, &examples, 1);
}

/// Found by the fuzzer `learn`: an infinite step times no direction is no number, and weights of features that were absent, or that
/// were not there at all, became the largest number.
#[test]
fn fuzz_learn_an_infinite_step() {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    let examples = [
        (1e30, 1.0, 0.0, vec![("a", 3e38), ("b", 1e-38)]),
        (-1e30, 1e30, 0.0, vec![("a", 1e-45)]),
        (0.0, 0.0, 0.0, vec![("a", 1.0)]),
        (1.0, 1e-30, 1e38, vec![("b", 1.0)]),
    ];
    for (line, (label, importance, base, features)) in (1..).zip(examples) {
        for (name, value) in features {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, value);
        }
        batch.end_example(Label { value: Some(label), importance, base }, b"", line);
    }
    stays_finite_with(&Settings { epochs: 3, memory: 1, bits: 8, ..Settings::default() }, &batch, 1);
}

#[test]
fn labels_of_1e30_and_beyond() {
    for label in [1e30, 1e38, f32::MAX, 1e-45] {
        let example =
            |place: u64| (if place.is_multiple_of(2) { label } else { -label }, 1.0, vec![(place % 3, 1.0), (3, 2.5)]);
        every_way_stays_finite(&(0..12).map(example).collect::<Vec<_>>());
    }
}

#[test]
fn importances_of_zero_tiny_and_huge() {
    for importance in [0.0, 1e-45, 1e-38, 1e-20, 1e20, 1e38, f32::MAX] {
        let example = |place: u64| (place as f32 - 4.0, importance, vec![(place % 3, 1.0), (3, place as f32)]);
        every_way_stays_finite(&(0..12).map(example).collect::<Vec<_>>());
    }
}

#[test]
fn constant_labels_single_examples_and_no_features() {
    every_way_stays_finite(&[(1.0, 1.0, vec![(1, 2.0), (2, 1.0)])]);
    every_way_stays_finite(&[(0.0, 1.0, Vec::new())]);
    every_way_stays_finite(&vec![(3.5, 1.0, vec![(1, 2.0)]); 20]);
    every_way_stays_finite(&vec![(0.0, 1.0, vec![(1, 0.0), (2, -0.0)]); 5]);
}

#[test]
fn duplicate_features_are_summed_also_past_the_range() {
    every_way_stays_finite(&vec![
        (1.0, 1.0, vec![(1, 3e38), (1, 3e38), (2, 1.0), (2, -1.0), (3, 1e-45), (3, 1e-45)]);
        6
    ]);
}

#[test]
fn an_importance_of_zero_changes_no_weight() {
    let learned = |examples: &[Shape]| {
        let mut learner =
            Learner::new(Settings { expansion: ExpansionKind::Linear, ..Settings::default() }.check().unwrap());
        learner.learn(&batch_of(examples, false)).unwrap();
        let model = learner.into_model();
        let weights: Vec<(String, f32)> = model.terms(10).into_iter().map(|term| (term.name, term.weight)).collect();
        weights
    };
    let counted = [(1.0, 1.0, vec![(1, 1.0)]), (-1.0, 2.0, vec![(1, 1.0), (2, 0.5)])];
    let ignored = (1.0, 0.0, vec![(1, 1.0), (2, 1.0)]);
    assert_eq!(learned(&counted), learned(&[counted[0].clone(), ignored, counted[1].clone()]));
}

#[test]
fn labels_and_importances_that_are_no_numbers_are_refused() {
    let problem = |label: f32, importance: f32| {
        let mut learner = Learner::new(Settings::default().check().unwrap());
        learner.learn(&batch_of(&[(label, importance, vec![(1, 1.0)])], false)).unwrap_err().problem
    };
    assert!(matches!(problem(f32::NAN, 1.0), LabelProblem::NotFinite(_)));
    assert_eq!(problem(f32::INFINITY, 1.0), LabelProblem::NotFinite(f32::INFINITY));
    assert_eq!(problem(1.0, -1.0), LabelProblem::Importance(-1.0));
    assert_eq!(problem(1.0, f32::INFINITY), LabelProblem::Importance(f32::INFINITY));
}

/// Linear and apple learn from it; all pairs of a million are too many, and that is said.
#[test]
fn a_million_features_in_an_example() {
    let features = |start: u64| (start..start + 1_000_000).map(|number| (number, 0.5)).collect::<Vec<_>>();
    let examples = [(1.0, 1.0, features(0)), (-1.0, 1.0, features(500_000))];
    for expansion in [ExpansionKind::Linear, ExpansionKind::Apple] {
        stays_finite(&Settings { expansion, epochs: 2, ..Settings::default() }, &examples, 1);
    }
    let mut learner =
        Learner::new(Settings { expansion: ExpansionKind::Quadratic, ..Settings::default() }.check().unwrap());
    let error = learner.learn(&batch_of(&examples, false)).unwrap_err();
    assert_eq!(error.problem, LabelProblem::TooManyProducts { features: 1_000_000 });
}
