//! The guard: a linear learner beside the adaptive expansion.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::loss::LossKind;
use russet::model::Model;
use russet::settings::{ExpansionKind, GuardKind, Settings, StepKind};
use russet::{Learner, metrics::Task};

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    /// A number from -1 to 1.
    fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// Values of features, and a label.
type Drawn = (Vec<f32>, f32);

/// Examples of `features` numbers each, whose label is 1 where `truth` of the numbers is above noise of size `noise`.
fn drawn(count: usize, features: usize, noise: f32, truth: impl Fn(&[f32]) -> f32) -> Vec<Drawn> {
    let mut dice = Dice(7);
    let mut one = || {
        let values: Vec<f32> = (0..features).map(|_| dice.roll()).collect();
        let label = if truth(&values) > noise * dice.roll() { 1.0 } else { -1.0 };
        (values, label)
    };
    (0..count).map(|_| one()).collect()
}

fn batch_of(examples: &[Drawn]) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (place, (values, label)) in examples.iter().enumerate() {
        for (name, value) in values.iter().enumerate() {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name.to_string(), *value);
        }
        batch.end_example(Label::new(*label), b"", place as u64 + 1);
    }
    batch
}

fn apple() -> Settings {
    Settings { expansion: ExpansionKind::Apple, ..Settings::default() }
}

fn trained(settings: Settings, batch: &Batch) -> Model {
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length(batch.len() as u64);
    learner.learn(batch).unwrap();
    learner.into_model()
}

fn predictions(model: &Model, batch: &Batch) -> Vec<f32> {
    let mut predictor = model.predictor();
    predictor.begin(batch);
    (0..batch.len()).map(|place| predictor.predict(batch, &batch.example(place)).value).collect()
}

/// All terms by name.
fn weights(model: &Model) -> BTreeMap<String, f32> {
    model.terms(usize::MAX).into_iter().map(|term| (term.name, term.weight)).collect()
}

fn linear_truth(values: &[f32]) -> f32 {
    values.iter().enumerate().map(|(place, value)| value * (1.0 - 0.1 * place as f32)).sum()
}

#[test]
fn where_products_fit_only_noise_the_model_is_the_linear_one() {
    let batch = batch_of(&drawn(3000, 20, 4.0, linear_truth));
    for loss in [LossKind::Squared, LossKind::Logistic, LossKind::Hinge, LossKind::Quantile] {
        let settings = Settings { loss, learning_rate: 2.0, l2: 1e-5, ..apple() };
        let guarded = trained(settings.clone(), &batch);
        assert_eq!(guarded.adaptive_share(), 0.0, "{loss:?}");
        assert!(guarded.parents().unwrap() > 0);
        let linear = trained(Settings { expansion: ExpansionKind::Linear, ..settings }, &batch);
        assert_eq!(predictions(&guarded, &batch), predictions(&linear, &batch), "{loss:?}");
        assert_eq!(weights(&guarded), weights(&linear), "{loss:?}");
    }
}

#[test]
fn where_products_matter_the_model_is_the_expansion() {
    let batch = batch_of(&drawn(4000, 6, 0.2, |values| values[0] * values[1] + 0.3 * values[2]));
    for loss in [LossKind::Squared, LossKind::Logistic, LossKind::Hinge, LossKind::Quantile] {
        let guarded = trained(Settings { loss, ..apple() }, &batch);
        assert_eq!(guarded.adaptive_share(), 1.0, "{loss:?}");
        let unguarded = trained(Settings { loss, guard: GuardKind::Off, ..apple() }, &batch);
        assert_eq!(predictions(&guarded, &batch), predictions(&unguarded, &batch), "{loss:?}");
        assert_eq!(weights(&guarded), weights(&unguarded), "{loss:?}");
    }
}

/// `sum_i w_i x_i` over the terms that a person is shown.
fn sum_of_terms(model: &Model, values: &[f32]) -> f64 {
    let value = |name: &str| match name {
        "constant" => 1.0,
        name => name.split(" * ").map(|factor| f64::from(values[factor.parse::<usize>().unwrap()])).product(),
    };
    model.terms(usize::MAX).iter().map(|term| f64::from(term.weight) * value(&term.name)).sum()
}

#[test]
fn terms_add_up_to_the_prediction_of_a_mixture() {
    let examples = drawn(300, 5, 1.5, |values| linear_truth(values) + 0.7 * values[0] * values[1]);
    let batch = batch_of(&examples);
    for settings in
        [apple(), Settings { l1: 1e-4, l2: 1e-3, ..apple() }, Settings { step: StepKind::Sgd, l2: 0.1, ..apple() }]
    {
        let model = trained(settings, &batch);
        assert_eq!(model.task(), Task::Classification);
        assert!(model.adaptive_share() > 0.0 && model.adaptive_share() < 1.0, "{}", model.adaptive_share());
        for ((values, _), prediction) in examples.iter().zip(predictions(&model, &batch)) {
            let sum = sum_of_terms(&model, values).clamp(-1.0, 1.0);
            assert!((sum - f64::from(prediction)).abs() < 1e-4, "{sum} {prediction}");
        }
    }
}

#[test]
fn the_paper_has_no_guard() {
    let batch = batch_of(&drawn(600, 8, 4.0, linear_truth));
    assert_eq!(trained(Settings::paper(), &batch).adaptive_share(), 1.0);
}
