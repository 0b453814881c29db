//! More than two classes, one against the rest: each learner is what it would be alone.
#![allow(clippy::unwrap_used)]

use russet::batch::{Batch, Dictionary, Label};
use russet::classes::{ClassesError, Learners, Models};
use russet::feature::Namespace;
use russet::loss::LossKind;
use russet::settings::Settings;
use russet::{LabelProblem, Learner, Model};

/// 400 examples of two features each, with a label for each round.
fn batch(label: impl Fn(u64) -> f32) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for round in 0..400u64 {
        for feature in [format!("a{}", round % 3), format!("b{}", round % 5)] {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &feature, 1.0 + (round % 7) as f32);
        }
        batch.end_example(Label::new(label(round)), b"", round + 1);
    }
    batch
}

fn class_of(round: u64) -> usize {
    (round % 3 * (round % 5) % 4) as usize
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("class {number}")).collect()
}

fn learners(count: usize) -> Learners {
    let mut learners = Learners::resume(Model::new(Settings::default().check().unwrap()).into());
    learners.set_course_length(400);
    learners.separate(&names(count)).unwrap();
    learners
}

#[test]
fn each_model_is_that_of_its_class_alone() {
    let mut together = learners(4);
    together.learn_range(&batch(|round| class_of(round) as f32), 0..400).unwrap();
    for (class, model) in together.into_models().iter().enumerate() {
        let mut alone = Learner::new(Settings::default().check().unwrap());
        alone.set_course_length(400);
        alone.learn(&batch(|round| if class_of(round) == class { 1.0 } else { -1.0 })).unwrap();
        assert_eq!(model.to_bytes(), alone.into_model().to_bytes(), "class {class}");
    }
}

#[test]
fn what_is_refused_is_refused_by_all_and_what_came_before_is_learned() {
    let wrong = batch(|round| if round == 100 { 7.0 } else { class_of(round) as f32 });
    let mut refusing = learners(4);
    let error = refusing.learn_range(&wrong, 0..400).unwrap_err();
    assert_eq!((error.place, error.line), (100, 101));
    assert_eq!(error.problem, LabelProblem::UnknownClass { label: 7.0, classes: 4 });
    refusing.learn_range(&wrong, 101..400).unwrap();
    let mut without = learners(4);
    without.learn_range(&wrong, 0..100).unwrap();
    without.learn_range(&wrong, 101..400).unwrap();
    assert_eq!(refusing.into_models().to_bytes(), without.into_models().to_bytes());
}

#[test]
fn progressive_validation_is_that_of_the_choice() {
    let examples = batch(|round| class_of(round) as f32);
    let (mut learners, mut mistakes) = (learners(4), 0);
    for place in 0..400 {
        let models = learners.models();
        let mut predictor = models.predictor();
        predictor.begin(&examples);
        let chosen = predictor.predict(&examples, &examples.example(place)).class;
        mistakes += usize::from(chosen != class_of(place as u64));
        learners.learn_range(&examples, place..place + 1).unwrap();
    }
    assert!(mistakes > 10);
    assert_eq!(learners.progressive_error(), Some(mistakes as f64 / 400.0));
}

#[test]
fn going_on_is_the_same_as_going_through() {
    let examples = batch(|round| class_of(round) as f32);
    let mut first = learners(4);
    first.learn_range(&examples, 0..250).unwrap();
    let saved = first.into_models().to_bytes();
    let mut second = Learners::resume(Models::from_bytes(&saved).unwrap());
    second.separate(&names(4)).unwrap();
    second.learn_range(&examples, 250..400).unwrap();
    let mut whole = learners(4);
    whole.learn_range(&examples, 0..400).unwrap();
    assert_eq!(second.into_models().to_bytes(), whole.into_models().to_bytes());
}

#[test]
fn classes_cannot_change_later() {
    let mut begun = learners(4);
    let others = ClassesError::Others {
        wanted: "`class 0`, `class 1`, `class 2`".to_owned(),
        found: "`class 0`, `class 1`, `class 2`, `class 3`".to_owned(),
    };
    assert_eq!(begun.separate(&names(3)), Err(others));
    let mut late = Learners::resume(Model::new(Settings::default().check().unwrap()).into());
    late.learn_range(&batch(|_| 1.0), 0..400).unwrap();
    assert!(matches!(late.separate(&names(3)), Err(ClassesError::TooLate { .. })));
    let quantile = Settings { loss: LossKind::Quantile, ..Settings::default() };
    let mut quantile = Learners::resume(Model::new(quantile.check().unwrap()).into());
    assert_eq!(quantile.separate(&names(3)), Err(ClassesError::Loss { loss: "quantile" }));
}
