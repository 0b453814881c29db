//! Explanations add up to their prediction, to the last bit, whatever the model.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{Indexing, Namespace};
use russet::loss::LossKind;
use russet::model::{Explanation, Part, PartKind};
use russet::select::SelectKind;
use russet::settings::{ExpansionKind, GuardKind, Settings, StepKind};
use russet::{Learner, Model};

/// Features with values, label, importance, base prediction.
type Drawn = (Vec<(u32, f32)>, bool, f32, f32);

fn batch_of(examples: &[Drawn], scale: f32) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (place, (features, positive, importance, base)) in examples.iter().enumerate() {
        for (name, value) in features {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name}"), value * scale);
        }
        let label = Label { value: Some(if *positive { 1.0 } else { -1.0 }), importance: *importance, base: *base };
        batch.end_example(label, b"", place as u64 + 1);
    }
    batch
}

fn train(settings: Settings, batch: &Batch) -> Model {
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length(batch.len() as u64);
    learner.learn(batch).unwrap();
    learner.into_model()
}

fn sum(parts: &[Part]) -> f64 {
    parts.iter().fold(0.0, |sum, part| sum + part.contribution)
}

fn of_kind(explanation: &Explanation<'_>, kind: PartKind) -> Vec<Part> {
    explanation.parts.iter().filter(|part| part.kind == kind).cloned().collect()
}

/// Explains every example; `tame`: rounding is small.
fn check(model: &Model, batch: &Batch, tame: bool) {
    let terms = model.terms(usize::MAX);
    let (mut predictor, mut explainer) = (model.predictor(), model.predictor());
    predictor.begin(batch);
    explainer.begin(batch);
    for example in batch.iter() {
        let predicted = predictor.predict(batch, &example).value;
        let explanation = explainer.explain(batch, &example);
        assert_eq!(explanation.predicted.value.to_bits(), predicted.to_bits());
        assert_eq!(sum(&explanation.parts), f64::from(predicted), "{:?}", explanation.parts);
        let found = of_kind(&explanation, PartKind::Term);
        assert!(found.is_sorted_by(|a, b| a.contribution.abs() >= b.contribution.abs()));
        for part in &found {
            let (weight, value) = (part.weight.unwrap(), part.value.unwrap());
            assert_eq!(part.contribution, f64::from(weight) * f64::from(value));
            if !model.products_share_weights() && model.settings().indexing == Indexing::Interned {
                assert_eq!(
                    terms.iter().filter(|term| term.name == part.name).map(|term| term.weight).collect::<Vec<_>>(),
                    [weight]
                );
            }
        }
        assert_eq!(of_kind(&explanation, PartKind::Base).len(), usize::from(example.label.base != 0.0));
        let rounding: f64 = of_kind(&explanation, PartKind::Rounding).iter().map(|part| part.contribution.abs()).sum();
        let size: f64 = found.iter().map(|part| part.contribution.abs()).sum();
        assert!(!tame || rounding <= 1e-4 * (size + 1.0), "{:?}", explanation.parts);
        let short = explanation.clone().shortened(2);
        assert_eq!(sum(&short.parts), f64::from(predicted), "{:?}", short.parts);
        assert_eq!(short.parts.iter().filter(|part| part.kind == PartKind::Term).count(), found.len().min(2));
        assert_eq!(of_kind(&short, PartKind::Others).len(), usize::from(found.len() > 2));
    }
}

fn examples() -> impl Strategy<Value = Vec<Drawn>> {
    let value = prop_oneof![Just(1.0f32), -3f32..3.0];
    let features = prop::collection::vec((0u32..12, value), 0..7);
    let importance = prop_oneof![Just(1.0f32), 0f32..4.0];
    let base = prop_oneof![Just(0.0f32), -1f32..1.0];
    prop::collection::vec((features, any::<bool>(), importance, base), 10..80)
}

fn settings() -> impl Strategy<Value = Settings> {
    let expansion = prop::sample::select(vec![
        ExpansionKind::Linear,
        ExpansionKind::Quadratic,
        ExpansionKind::Cubic,
        ExpansionKind::Apple,
    ]);
    let loss = prop::sample::select(vec![LossKind::Squared, LossKind::Logistic, LossKind::Hinge, LossKind::Quantile]);
    let pull = || prop::sample::select(vec![0.0f32, 0.001, 0.05]);
    let indexing = prop::sample::select(vec![Indexing::Interned, Indexing::Hashed]);
    let step = prop::sample::select(vec![StepKind::Adaptive, StepKind::Sgd]);
    let select = prop::sample::select(vec![SelectKind::Weight, SelectKind::Ssm, SelectKind::PickyWeight]);
    let guard = prop::sample::select(vec![GuardKind::Linear, GuardKind::Off]);
    let apple = (select, guard);
    let numbers = (1u32..4, prop::sample::select(vec![4u32, 6, 18]), 0.1f32..4.0);
    (expansion, loss, pull(), pull(), indexing, step, numbers, apple).prop_map(
        |(expansion, loss, l1, l2, indexing, step, (ngram, bits, learning_rate), (select, guard))| {
            let l2 = if step == StepKind::Sgd { l2.max(0.01) } else { l2 };
            let fixed =
                Settings { expansion, loss, l1, l2, indexing, step, ngram, bits, learning_rate, ..Settings::default() };
            Settings { select, guard, ..fixed }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn parts_add_up_to_the_prediction(settings in settings(), examples in examples()) {
        let batch = batch_of(&examples, 1.0);
        let model = train(settings, &batch);
        check(&model, &batch, true);
        check(&Model::from_bytes(&model.to_bytes()).unwrap(), &batch, true);
    }

    /// Values at both ends of what a number can be.
    #[test]
    fn parts_add_up_also_where_numbers_overflow(
        settings in settings(), examples in examples(), scale in prop::sample::select(vec![1e38f32, 1e20, 1e-20, 1e-38]),
    ) {
        let model = train(settings, &batch_of(&examples, 1.0));
        check(&model, &batch_of(&examples, scale), false);
    }
}

fn one(features: &[(&str, f32)], label: f32, base: f32) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for round in 0..50 {
        for (name, value) in features {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, *value);
        }
        batch.end_example(Label { value: Some(label), importance: 1.0, base }, b"", round + 1);
    }
    batch
}

#[test]
fn clipping_and_the_base_are_parts_after_the_terms() {
    let batch = one(&[("a", 1.0), ("b", 0.5)], 1.0, 0.0);
    let model = train(Settings { expansion: ExpansionKind::Quadratic, ..Settings::default() }, &batch);
    let shifted = one(&[("b", 0.5), ("a", 1.0), ("never seen", 1.0)], 1.0, 3.0);
    let mut predictor = model.predictor();
    predictor.begin(&shifted);
    let explanation = predictor.explain(&shifted, &shifted.example(0));
    assert_eq!(explanation.predicted.value, 1.0);
    let last: Vec<_> = explanation.parts.iter().skip_while(|part| part.kind == PartKind::Term).collect();
    assert_eq!((last[0].name.as_str(), last[0].contribution), ("base prediction", 3.0));
    assert_eq!(last[1].name, "clipped to the range of labels");
    let mut names: Vec<_> =
        of_kind(&explanation, PartKind::Term).into_iter().map(|part| (part.name, part.value.unwrap())).collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("a", 1.0), ("a * a", 1.0), ("a * b", 0.5), ("b", 0.5), ("b * b", 0.25), ("constant", 1.0)];
    assert_eq!(names, expected.map(|(name, value)| (name.to_owned(), value)));
}

#[test]
fn products_that_share_weights_are_named_as_the_products_they_are() {
    let batch = one(&[("a", 1.0), ("b", 0.5), ("c", 2.0)], 1.0, 0.0);
    let settings = Settings { expansion: ExpansionKind::Cubic, bits: 4, ..Settings::default() };
    let model = train(settings, &batch);
    assert!(model.products_share_weights());
    let mut predictor = model.predictor();
    predictor.begin(&batch);
    let names: Vec<_> = predictor.explain(&batch, &batch.example(0)).parts.into_iter().map(|part| part.name).collect();
    assert!(
        ["a * b", "a * a * c", "b * c * c"].iter().all(|name| names.iter().any(|other| other == name)),
        "{names:?}"
    );
}
