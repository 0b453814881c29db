//! What a learner keeps from one example for the next, to save time, changes nothing.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::batch::{Dictionary, Label};
use crate::settings::Settings;

/// Which features an example has, in which order, with which values.
type Drawn = (Vec<u32>, f32);

fn batch_of(examples: &[Drawn]) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (number, (features, value)) in (1..).zip(examples) {
        for feature in features {
            batch.push_number(*feature, value + *feature as f32);
        }
        let label = if features.len() % 2 == 0 { 1.0 } else { -1.0 };
        batch.end_example(Label::new(label), b"", number);
    }
    batch
}

/// The model after all examples; `forget`: what may be kept is forgotten before each of them.
fn trained(batch: &Batch, forget: bool) -> Vec<u8> {
    let mut learner = Learner::new(Settings { epochs: 4, ..Settings::default() }.check().unwrap());
    learner.set_course_length(batch.len() as u64);
    for place in 0..batch.len() {
        if forget {
            learner.forget_places(false);
            learner.habit = Habit::default();
        }
        learner.learn_range(batch, place..place + 1).unwrap();
    }
    learner.into_model().to_bytes()
}

/// Mostly all of the first features in their order, but also some of them, in any order, and others.
fn features() -> impl Strategy<Value = Vec<u32>> {
    let all = (1u32..14).prop_map(|last| (1..=last).collect::<Vec<_>>());
    let whole = Just((1u32..=12).collect::<Vec<_>>());
    let some = prop::collection::btree_set(1u32..20, 0..12).prop_map(|some| some.into_iter().collect::<Vec<_>>());
    prop_oneof![3 => whole, 2 => all, 2 => some.prop_shuffle(), 1 => Just((1u32..=12).rev().collect::<Vec<_>>())]
}

proptest! {
    /// Found when rows, and values spread out by slot, were kept for examples whose slots were others in another order.
    #[test]
    fn what_is_kept_from_example_to_example_changes_nothing(
        examples in prop::collection::vec((features(), prop_oneof![3 => 0.1f32..2.0, 1 => Just(0.0)]), 40..120),
    ) {
        let batch = batch_of(&examples);
        prop_assert_eq!(trained(&batch, false), trained(&batch, true));
    }
}

/// One of very many examples is of the other class, so most move nothing and are only looked at.
#[test]
fn looking_at_an_example_first_changes_nothing() {
    let rare = |number: u32| number.is_multiple_of(50);
    let features = |number| if rare(number) { (1..=11).collect() } else { (1..=12).collect() };
    let value = |number: u32| (number * 7 % 11) as f32 / 11.0;
    let examples: Vec<Drawn> = (1..=3000).map(|number| (features(number), value(number))).collect();
    let batch = batch_of(&examples);
    let mut learner = Learner::new(Settings { epochs: 4, ..Settings::default() }.check().unwrap());
    learner.set_course_length(batch.len() as u64);
    learner.learn(&batch).unwrap();
    assert!(learner.habit.is_still() && learner.model.products.is_tiled() && learner.model.parents() > Some(0));
    assert!(learner.into_model().to_bytes() == trained(&batch, true));
}
