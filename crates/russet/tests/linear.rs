//! A linear model learns a batch at a time by a way of its own; it gives the same bits as one example at a time, and as the plain loops.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{Indexing, Namespace};
use russet::loss::LossKind;
use russet::settings::{ExpansionKind, Settings};
use russet::weights::Cpu;
use russet::{LearnError, Learner, Model};

/// Features, the label if there is one, the importance, and what the model adds to.
type Drawn = (Vec<(u32, f32)>, Option<f32>, f32, f32);

/// How features are called: by numbers, in order and each once, or not; or by names.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Called {
    /// And most examples have the same.
    Alike,
    InOrder,
    ByNumber,
    ByName,
}

/// As many features as the first example has, from the first on, for most examples: their weights stay in hand.
fn alike(examples: &[Drawn]) -> Vec<Drawn> {
    let count = examples[0].0.len() as u32;
    let is_odd = |features: &[(u32, f32)]| features.first().is_none_or(|(feature, _)| feature % 8 == 0);
    let mut alike = examples.to_vec();
    for (features, ..) in alike.iter_mut().filter(|(features, ..)| !is_odd(features)) {
        let values: Vec<f32> = features.iter().map(|(_, value)| *value).collect();
        *features = (1..=count).zip(values.into_iter().cycle()).collect();
    }
    alike
}

fn batches(examples: &[Drawn], size: usize, called: Called) -> Vec<Batch> {
    let examples = &if called == Called::Alike { alike(examples) } else { examples.to_vec() };
    let (mut dictionary, mut line) = (Dictionary::default(), 0);
    let in_batch = |examples: &[Drawn]| {
        let mut batch = Batch::default();
        batch.start(&mut dictionary);
        for (features, value, importance, base) in examples {
            let mut features = features.clone();
            if matches!(called, Called::Alike | Called::InOrder) {
                features.sort_by_key(|feature| feature.0);
                features.dedup_by_key(|feature| feature.0);
            }
            for (feature, weight) in features {
                match called {
                    Called::Alike | Called::InOrder | Called::ByNumber => batch.push_number(feature, weight),
                    Called::ByName => {
                        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{feature}"), weight);
                    }
                }
            }
            line += 1;
            batch.end_example(Label { value: *value, importance: *importance, base: *base }, b"", line);
        }
        batch
    };
    examples.chunks(size).map(in_batch).collect()
}

/// Learns all that can be learned from, in ranges of up to `length` examples.
fn trained(settings: &Settings, cpu: Cpu, batches: &[Batch], length: usize) -> (Vec<u8>, Vec<LearnError>) {
    let mut model = Model::new(settings.clone().check().unwrap());
    model.set_cpu(cpu);
    let (mut learner, mut refused) = (Learner::resume(model), Vec::new());
    for batch in batches {
        let mut start = 0;
        while start < batch.len() {
            let end = (start + length).min(batch.len());
            start = match learner.learn_range(batch, start..end) {
                Ok(()) => end,
                Err(error) => {
                    refused.push(error);
                    refused[refused.len() - 1].place + 1
                }
            };
        }
    }
    (learner.into_model().to_bytes(), refused)
}

fn features() -> impl Strategy<Value = Vec<(u32, f32)>> {
    let value = prop_oneof![6 => -3f32..3.0, 2 => Just(1.0), 1 => Just(1e-25), 1 => Just(-1e30)];
    prop::collection::vec((1u32..90, value), 0..40)
}

fn example() -> impl Strategy<Value = Drawn> {
    let label = prop_oneof![8 => Just(Some(1.0)), 8 => Just(Some(-1.0)), 2 => Just(Some(0.5)), 1 => Just(None)];
    let importance = prop_oneof![8 => Just(1.0), 2 => 0f32..5.0, 1 => Just(0.0), 1 => Just(-1.0)];
    (features(), label, importance, prop_oneof![4 => Just(0.0), 1 => -1f32..1.0])
}

fn settings() -> impl Strategy<Value = Settings> {
    let loss = prop::sample::select(vec![LossKind::Squared, LossKind::Logistic, LossKind::Hinge, LossKind::Quantile]);
    // With 5 bits some features have to share a weight.
    let indexing = prop::sample::select(vec![(Indexing::Interned, 12), (Indexing::Interned, 5), (Indexing::Hashed, 6)]);
    let l2 = prop_oneof![4 => Just(0.0), 1 => Just(0.01)];
    (loss, indexing, l2).prop_map(|(loss, (indexing, bits), l2)| Settings {
        expansion: ExpansionKind::Linear,
        loss,
        indexing,
        bits,
        l2,
        ..Settings::default()
    })
}

proptest! {
    #[test]
    fn a_batch_at_once_gives_the_bits_of_one_example_after_another(
        examples in prop::collection::vec(example(), 1..80),
        settings in settings(),
        size in 1usize..50,
        called in prop::sample::select(vec![Called::Alike, Called::InOrder, Called::ByNumber, Called::ByName]),
    ) {
        let batches = batches(&examples, size, called);
        let expected = trained(&settings, Cpu::Plain, &batches, 1);
        for cpu in Cpu::available() {
            for length in [1, size.div_ceil(2), usize::MAX / 2] {
                prop_assert_eq!(&trained(&settings, cpu, &batches, length), &expected, "{:?}", cpu);
            }
        }
    }
}
