//! A learner whose scout and guard are apart from it, as if in other threads, learns the same model as one that is whole.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{Indexing, Namespace};
use russet::loss::LossKind;
use russet::settings::{ExpansionKind, GuardKind, Settings, StepKind};
use russet::{Learner, Model, Taken};

/// Features, the label if there is one, and the importance.
type Drawn = (Vec<(u32, f32)>, Option<f32>, f32);

/// Batches of one dictionary; even features are called by a number, odd ones by a name; every fourth needs no dictionary.
fn batches(examples: &[Drawn], size: usize) -> Vec<Batch> {
    let (mut dictionary, mut line) = (Dictionary::default(), 0);
    let in_batch = |examples: &[Drawn]| {
        let mut batch = Batch::default();
        batch.start(&mut dictionary);
        for (features, value, importance) in examples {
            for (feature, weight) in features {
                if feature % 4 == 0 {
                    batch.push_number(*feature, *weight);
                    continue;
                }
                let name = if feature % 2 == 0 { feature.to_string() } else { format!("f{feature}") };
                batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name, *weight);
            }
            line += 1;
            batch.end_example(Label { value: *value, importance: *importance, base: 0.25 }, b"", line);
        }
        batch
    };
    examples.chunks(size).map(in_batch).collect()
}

fn model_of(learner: Learner) -> Vec<u8> {
    let model: Model = learner.into_model();
    model.to_bytes()
}

/// Learns from every example that can be learned from; `learn` begins at a place.
fn all_but_refused(length: usize, mut learn: impl FnMut(usize) -> Result<(), russet::LearnError>) {
    let mut start = 0;
    while let Err(error) = learn(start) {
        start = error.place + 1;
        if start >= length {
            break;
        }
    }
}

fn whole(settings: &Settings, batches: &[Batch], passes: u32, course: u64) -> Vec<u8> {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    learner.set_course_length(course);
    for pass in 0..passes {
        learner.set_pass(pass, passes);
        for batch in batches {
            all_but_refused(batch.len(), |start| learner.learn_range(batch, start..batch.len()));
        }
    }
    model_of(learner)
}

/// The same with the scout two batches ahead and the guard, where there is one, up to `lag` batches behind.
fn apart(settings: &Settings, batches: &[Batch], passes: u32, course: u64, lag: usize) -> Vec<u8> {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    learner.set_course_length(course);
    let (mut companion, mut untold) = (None, Vec::new());
    for pass in 0..passes {
        learner.set_pass(pass, passes);
        let mut scout = learner.send_scout();
        let mut taken: Vec<Taken> = Vec::new();
        for (number, batch) in batches.iter().enumerate() {
            for ahead in &batches[taken.len()..batches.len().min(number + 3)] {
                taken.push(Taken::default());
                scout.take(ahead, taken.last_mut().unwrap());
            }
            companion = companion.or_else(|| learner.part());
            all_but_refused(batch.len(), |start| learner.learn_taken(batch, &taken[number], start..batch.len()));
            if let Some(companion) = &mut companion {
                untold.push(learner.exchange_notes(russet::Notes::default()));
                if untold.len() > lag {
                    companion.follow(&untold.remove(0));
                }
            }
        }
        learner.meet_scout(scout);
    }
    if let Some(mut companion) = companion {
        untold.iter().for_each(|notes| companion.follow(notes));
        learner.rejoin(companion);
    }
    model_of(learner)
}

fn settings() -> impl Strategy<Value = Settings> {
    let expansion = prop_oneof![
        2 => Just(ExpansionKind::Apple), 1 => Just(ExpansionKind::Quadratic), 1 => Just(ExpansionKind::Linear)
    ];
    let loss = prop_oneof![Just(LossKind::Squared), Just(LossKind::Logistic), Just(LossKind::Quantile)];
    let step = prop_oneof![Just(StepKind::Adaptive), Just(StepKind::Adaptive), Just(StepKind::Sgd)];
    (expansion, loss, step, any::<bool>(), any::<bool>(), any::<bool>(), 1u32..3).prop_map(
        |(expansion, loss, step, guarded, hashed, scarce, ngram)| Settings {
            expansion,
            loss,
            step,
            guard: if guarded { GuardKind::Linear } else { GuardKind::Off },
            indexing: if hashed { Indexing::Hashed } else { Indexing::Interned },
            // So few that features have to share weights.
            bits: if scarce && expansion == ExpansionKind::Linear { 4 } else { 10 },
            ngram,
            l2: if step == StepKind::Sgd { 0.01 } else { 0.0 },
            ..Settings::default()
        },
    )
}

fn examples() -> impl Strategy<Value = Vec<Drawn>> {
    // So many that tables are laid out anew within a batch.
    let feature = (prop_oneof![0u32..30, 0u32..300], prop_oneof![Just(1.0f32), -2.0f32..2.0]);
    let label =
        prop_oneof![8 => (0u8..2).prop_map(|label| Some(f32::from(label))), 1 => Just(None), 1 => Just(Some(f32::NAN))];
    let importance = prop_oneof![6 => Just(1.0f32), 1 => Just(0.0), 1 => Just(2.5)];
    prop::collection::vec((prop::collection::vec(feature, 0..8), label, importance), 1..120)
}

/// The same with features that are all called by numbers and mostly ascend, as they are taken a batch at a time.
fn in_order(examples: Vec<Drawn>) -> Vec<Drawn> {
    let in_order = |(mut features, label, importance): Drawn| {
        features.sort_by_key(|(feature, _)| *feature);
        // In a few examples some may be there twice.
        if importance != 2.5 {
            features.dedup_by_key(|(feature, _)| *feature);
        }
        features.iter_mut().for_each(|(feature, _)| *feature *= 4);
        (features, label, importance)
    };
    examples.into_iter().map(in_order).collect()
}

proptest! {
    #[test]
    fn what_is_apart_learns_the_same_model(
        settings in settings(), examples in examples(), ordered in any::<bool>(), size in 1usize..40, passes in 1u32..3,
        lag in 0usize..3,
    ) {
        let examples = if ordered { in_order(examples) } else { examples };
        let batches = batches(&examples, size);
        let course = examples.iter().filter(|(_, label, _)| label.is_some_and(f32::is_finite)).count() as u64;
        let expected = whole(&settings, &batches, passes, course * u64::from(passes));
        prop_assert_eq!(apart(&settings, &batches, passes, course * u64::from(passes), lag), expected);
    }
}

#[test]
#[should_panic(expected = "notes that the companion has not followed")]
fn a_guard_that_was_not_told_everything_is_not_taken_back() {
    let examples: Vec<Drawn> = (0..60).map(|round| (vec![(round % 7, 1.0)], Some((round % 2) as f32), 1.0)).collect();
    let batches = batches(&examples, 30);
    let mut learner = Learner::new(Settings::default().check().unwrap());
    learner.set_course_length(60);
    learner.learn(&batches[0]).unwrap();
    let companion = learner.part().unwrap();
    learner.learn(&batches[1]).unwrap();
    learner.rejoin(companion);
}

#[test]
fn a_whole_learner_has_nothing_to_tell() {
    // Found by a review: asking for notes parted it from its guard for good.
    let mut learner = Learner::new(Settings::default().check().unwrap());
    assert!(learner.exchange_notes(russet::Notes::default()).is_empty());
    learner.into_model();
}
