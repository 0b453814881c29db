//! Fixed expansions of data that is dense for a while: their products are kept in tiles meanwhile, and nobody notices.
#![allow(clippy::unwrap_used)]

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::settings::{ExpansionKind, Settings};
use russet::weights::Cpu;
use russet::{Learner, Model};

const EXAMPLES: usize = 260;

/// Four features that all examples have; from the 40th on two of twelve others too, from the 60th on all of them.
fn data() -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for number in 0..EXAMPLES {
        let rare = match number {
            0..40 => Vec::new(),
            40..60 => vec![4 + number % 12, 4 + (number * 7 + 1) % 12],
            _ => (4..16).collect(),
        };
        let mut sum = 0.0;
        for feature in (0..4).chain(rare) {
            let value = ((number * 13 + feature * 5) % 17) as f32 / 8.0 - 1.1;
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{feature}"), value);
            sum += value;
        }
        batch.end_example(Label::new(if sum * sum > 2.0 { 1.0 } else { -1.0 }), b"", number as u64 + 1);
    }
    batch
}

fn settings(expansion: ExpansionKind) -> Settings {
    Settings { expansion, ..Settings::default() }
}

fn trained(expansion: ExpansionKind, cpu: Cpu, batch: &Batch) -> Model {
    let mut model = Model::new(settings(expansion).check().unwrap());
    model.set_cpu(cpu);
    let mut learner = Learner::resume(model);
    learner.learn(batch).unwrap();
    learner.into_model()
}

/// What the header says of how products are kept.
fn is_tiled(model: &Model) -> bool {
    let bytes = model.to_bytes();
    bytes.windows(13).any(|window| window == b"\"tiled\":true,")
}

#[test]
fn a_run_that_is_stopped_anywhere_goes_on_as_if_it_had_not_been() {
    let batch = data();
    for expansion in [ExpansionKind::Quadratic, ExpansionKind::Cubic] {
        let whole = trained(expansion, Cpu::fastest(), &batch).to_bytes();
        let mut orders = Vec::new();
        for cut in (1..EXAMPLES).step_by(3) {
            let mut first = Learner::new(settings(expansion).check().unwrap());
            first.learn_range(&batch, 0..cut).unwrap();
            let model = Model::from_bytes(&first.into_model().to_bytes()).unwrap();
            orders.push(is_tiled(&model));
            let mut second = Learner::resume(model);
            second.learn_range(&batch, cut..EXAMPLES).unwrap();
            assert!(second.into_model().to_bytes() == whole, "{expansion:?}, stopped after {cut}");
        }
        // Dense, sparse, and dense again, from the next power of two on.
        orders.dedup();
        assert_eq!(orders, [false, true, false, true], "{expansion:?}");
    }
}

#[test]
fn every_cpu_gives_the_same_model() {
    let batch = data();
    for expansion in [ExpansionKind::Quadratic, ExpansionKind::Cubic] {
        let expected = trained(expansion, Cpu::Plain, &batch).to_bytes();
        for cpu in Cpu::available() {
            assert!(trained(expansion, cpu, &batch).to_bytes() == expected, "{expansion:?}, {cpu:?}");
        }
    }
}

#[test]
fn a_file_that_says_so_of_another_expansion_is_refused() {
    let batch = data();
    let bytes = trained(ExpansionKind::Quadratic, Cpu::fastest(), &batch).to_bytes();
    let text = String::from_utf8_lossy(&bytes[16..]).into_owned();
    assert!(text.contains("\"tiled\":true") && text.contains("\"quadratic\""));
    // As long as before, with the right checksum.
    let place = bytes.windows(11).position(|window| window == b"\"quadratic\"").unwrap();
    let mut changed = bytes.clone();
    changed[place..place + 11].copy_from_slice(b"\"linear\"   ");
    let end = changed.len() - 8;
    let checksum = xxhash_rust::xxh3::xxh3_64(&changed[..end]);
    changed[end..].copy_from_slice(&checksum.to_le_bytes());
    assert!(Model::from_bytes(&changed).is_err());
}
