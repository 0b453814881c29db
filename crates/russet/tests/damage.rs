//! Damaged models, and crafted ones: whatever was changed is refused with words that say so, and nothing takes more memory
//! than the file accounts for.
#![allow(clippy::unwrap_used)]

#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{FeatureTable, Indexing, Namespace};
use russet::model::ModelError;
use russet::settings::{ExpansionKind, Settings};
use russet::{Learner, Model};
use xxhash_rust::xxh3::xxh3_64;

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// The bytes of a model of `features` features, learned from `examples` examples.
fn model(settings: Settings, features: u64, examples: u64) -> Vec<u8> {
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length(examples);
    let (mut dictionary, mut batch, mut dice) = (Dictionary::default(), Batch::default(), Dice(1));
    batch.start(&mut dictionary);
    for line in 1..=examples {
        let names = [0; 5].map(|_: u64| dice.roll(features));
        let label = if names[0] % 2 == names[1] % 2 { 1.0 } else { -1.0 };
        for name in names {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name}"), 1.0 + (name % 3) as f32);
        }
        batch.end_example(Label::new(label), b"", line);
    }
    learner.learn(&batch).unwrap();
    learner.into_model().to_bytes()
}

/// It is refused, and the words say that something is wrong with the file.
#[track_caller]
fn refused(bytes: &[u8], change: &str) {
    let error = Model::from_bytes(bytes).expect_err(change);
    let said = error.to_string();
    let clear = match error {
        ModelError::Foreign => said == "this is not a russet model",
        ModelError::Newer { .. } => said.contains("from a newer russet"),
        ModelError::Damaged(_) => said.starts_with("this model is damaged: "),
        _ => false,
    };
    assert!(clear, "{change}: {said}");
}

#[test]
fn every_flipped_bit_of_a_small_model_is_refused() {
    for expansion in [ExpansionKind::Linear, ExpansionKind::Apple] {
        let whole = model(Settings { expansion, epochs: 3, memory: 1, ..Settings::default() }, 4, 60);
        for place in 0..whole.len() {
            for change in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut changed = whole.clone();
                changed[place] ^= change;
                refused(&changed, &format!("byte {place} of {}, changed by {change}", whole.len()));
            }
        }
    }
}

#[test]
fn ten_thousand_flipped_bits_of_a_larger_model_are_refused() {
    let mut changed = model(Settings::default(), 3000, 20_000);
    assert!(changed.len() > 150_000, "{}", changed.len());
    let mut dice = Dice(2);
    for _ in 0..10_000 {
        let (place, bit) = (dice.roll(changed.len() as u64) as usize, dice.roll(8));
        changed[place] ^= 1 << bit;
        refused(&changed, &format!("bit {bit} of byte {place}"));
        changed[place] ^= 1 << bit;
    }
    Model::from_bytes(&changed).unwrap();
}

/// Tests that measure memory run one at a time.
#[cfg(target_os = "linux")]
static ALONE: Mutex<()> = Mutex::new(());

/// What `work` gives, and how many KiB of memory it takes at most.
#[cfg(target_os = "linux")]
fn taken_kib<T>(work: impl FnOnce() -> T) -> (T, u64) {
    // The peak so far is forgotten: it may be one of what was done to prepare.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak_kib();
    let done = work();
    (done, peak_kib() - before)
}

/// The most memory that this process has had in use, in KiB.
#[cfg(target_os = "linux")]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// A feature whose hash is the same number whether it is cut to 16 bits or to 30.
fn feature_of_few_bits() -> String {
    let slot = |bits, name: &str| {
        FeatureTable::new(Indexing::Hashed, bits, 0).slot_or_insert(Namespace::ANONYMOUS.feature(name.as_bytes()), b"")
    };
    (0..).map(|number| format!("f{number}")).find(|name| slot(16, name) == slot(30, name)).unwrap()
}

/// A model of one feature whose header and tables say that there are 2^30 shared weights.
fn of_thirty_bits(expansion: ExpansionKind, name: &str) -> Vec<u8> {
    let settings = Settings { expansion, bits: 16, indexing: Indexing::Hashed, epochs: 1, ..Settings::default() };
    let mut learner = Learner::new(settings.check().unwrap());
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, 1.0);
    batch.end_example(Label::new(1.0), b"", 1);
    learner.learn(&batch).unwrap();
    let mut bytes = learner.into_model().to_bytes();
    bytes.truncate(bytes.len() - 8);
    replace(&mut bytes, br#""bits":16"#, br#""bits":30"#);
    replace(&mut bytes, &(1u64 << 16).to_le_bytes(), &(1u64 << 30).to_le_bytes());
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Puts `new` in every place of `old`; there is one at least.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let places: Vec<usize> = (0..bytes.len()).filter(|place| bytes[*place..].starts_with(old)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|place| bytes[place..place + new.len()].copy_from_slice(new));
}

/// A model of a few hundred bytes whose header says 2^30 shared weights took 20 GiB.
#[cfg(target_os = "linux")]
#[test]
fn a_header_of_thirty_bits_takes_no_more_memory_than_the_file_fills() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let name = feature_of_few_bits();
    for expansion in [ExpansionKind::Linear, ExpansionKind::Apple, ExpansionKind::Quadratic] {
        let small = of_thirty_bits(expansion, &name);
        let (model, taken) = taken_kib(|| Model::from_bytes(&small));
        // A machine may not have as much address space: then it is refused.
        match model {
            Ok(model) => assert_eq!(model.settings().bits, 30),
            Err(error) => assert!(matches!(error, ModelError::TooLarge { .. }), "{error}"),
        }
        assert!(taken < 64 << 10, "{expansion:?}: {taken} KiB for {} bytes", small.len());
    }
}

/// A model of 33 KB whose header said that its products are in tiles took 250 MB, and with more features any amount; for long so
/// of tiles, whose zeros the standard library writes: what was had before the file was read hid it.
#[cfg(target_os = "linux")]
#[test]
fn a_header_that_says_tiles_takes_no_more_memory_than_the_file_fills() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let settings = Settings { expansion: ExpansionKind::Cubic, bits: 26, ..Settings::default() };
    let mut learner = Learner::new(settings.check().unwrap());
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for number in 0..570 {
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{number}"), 1.0);
        batch.end_example(Label::new(1.0), b"", number + 1);
    }
    learner.learn(&batch).unwrap();
    let mut bytes = learner.into_model().to_bytes();
    bytes.truncate(bytes.len() - 8);
    let (place, added) =
        (bytes.windows(14).position(|window| window == br#""attachments":"#).unwrap(), br#""tiled":true,"#);
    bytes.splice(place..place, *added);
    let header = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) + added.len() as u32;
    bytes[12..16].copy_from_slice(&header.to_le_bytes());
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    let (_, taken) = taken_kib(|| Model::from_bytes(&bytes).unwrap());
    assert!(taken < 64 << 10, "{taken} KiB for {} bytes", bytes.len());
}

/// Without features there is nothing to be dense: such a start made tiles of a whole hashed table, and then slots.
#[cfg(target_os = "linux")]
#[test]
fn hashed_products_after_examples_without_features_take_no_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let settings =
        Settings { expansion: ExpansionKind::Quadratic, bits: 24, indexing: Indexing::Hashed, ..Settings::default() };
    let mut learner = Learner::new(settings.check().unwrap());
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for number in 0..4 {
        if number > 1 {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "a", 1.0);
        }
        batch.end_example(Label::new(1.0), b"", number + 1);
    }
    let ((), taken) = taken_kib(|| learner.learn(&batch).unwrap());
    assert!(taken < 64 << 10, "{taken} KiB");
}
