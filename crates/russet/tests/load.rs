//! Models from files: the same as from bytes, whatever their length, and the same words where they are damaged.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use russet::batch::{Batch, Dictionary, Label};
use russet::classes::Models;
use russet::feature::{Indexing, Namespace};
use russet::model::{LoadError, ModelError};
use russet::settings::{ExpansionKind, Settings};
use russet::{Layout, Learner, Model};
use xxhash_rust::xxh3::xxh3_64;

/// A file of its own for a test, removed at its end.
struct Saved(PathBuf);

impl Saved {
    fn new(name: &str, bytes: &[u8]) -> Saved {
        let path = std::env::temp_dir().join(format!("russet-load-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Saved(path)
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A model that has learned `examples` examples of thirty among `words` words, the first of which are frequent.
fn model(settings: Settings, words: u64, examples: u64) -> Model {
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length(examples);
    let (mut dictionary, mut batch, mut state) = (Dictionary::default(), Batch::default(), 1u64);
    for number in 1..=examples {
        batch.start(&mut dictionary);
        for _ in 0..30 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (state >> 40) as f64 / (1u64 << 24) as f64;
            let word = (share * share * words as f64) as u64;
            // Some are called by numbers, which are found in another way.
            let name = if word.is_multiple_of(5) { format!("{word}") } else { format!("word_{word}") };
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name, 1.0);
        }
        batch.end_example(Label::new((number % 2) as f32), b"", number);
        learner.learn(&batch).unwrap();
    }
    learner.into_model()
}

/// Models that are long enough to be read in many pieces, and on two threads.
fn long_models() -> Vec<Model> {
    let linear = Settings { expansion: ExpansionKind::Linear, ..Settings::default() };
    let hashed = Settings { indexing: Indexing::Hashed, ..linear.clone() };
    let families = Settings { memory: 64, ..Settings::default() };
    let models = [(linear, 80_000), (hashed, 80_000), (families, 20_000)];
    let models: Vec<Model> = models.map(|(settings, words)| model(settings, words, 5_000)).into();
    let counts: Vec<_> = models.iter().map(Model::weight_counts).collect();
    assert!(counts[0].0 > 1 << 15 && counts[2].1 > 1 << 15, "{counts:?}");
    assert!(models[2].storage().is_some_and(|storage| storage.layout == Layout::Families));
    models
}

fn error_of(path: &Path) -> ModelError {
    match Model::load(path).unwrap_err() {
        LoadError::Model(error) => error,
        error => panic!("{error}"),
    }
}

#[test]
fn long_models_are_the_same_from_files_and_from_bytes() {
    for (number, model) in long_models().iter().enumerate() {
        let bytes = model.to_bytes();
        let saved = Saved::new(&format!("long-{number}"), &bytes);
        assert!(Model::load(&saved.0).unwrap().to_bytes() == bytes);
        assert!(Models::load(&saved.0).unwrap().to_bytes() == bytes);
        assert!(Model::from_bytes(&bytes).unwrap().to_bytes() == bytes);
    }
}

#[test]
fn damage_to_long_models_is_found_wherever_it_is() {
    for model in long_models() {
        let bytes = model.to_bytes();
        let wrong = "its checksum is wrong, so it was cut short or changed";
        for part in 1..40 {
            let place = bytes.len() * part / 40;
            let mut changed = bytes.clone();
            changed[place] ^= 0x40;
            assert_eq!(Model::from_bytes(&changed).unwrap_err(), ModelError::Damaged(wrong), "byte {place}");
            assert_eq!(Model::from_bytes(&bytes[..place]).unwrap_err(), ModelError::Damaged(wrong), "cut at {place}");
            // With the right checksum it may be a model: but never a panic.
            changed.truncate(bytes.len() - 8);
            let checksum = xxh3_64(&changed);
            changed.extend_from_slice(&checksum.to_le_bytes());
            let _ = Model::from_bytes(&changed);
        }
    }
}

#[test]
fn files_that_are_no_models_are_refused_as_bytes_are() {
    let bytes = model(Settings { epochs: 2, memory: 1, ..Settings::default() }, 5, 40).to_bytes();
    let longer = [&bytes[..], b"x"].concat();
    let newer = [&bytes[..8], &[9, 0, 0, 0], &bytes[12..]].concat();
    let several = [&bytes[..8], &[2, 0, 0, 0], &bytes[12..]].concat();
    let cuts = [0, 1, 7, 8, 12, 19, 20].map(|length| &bytes[..length]);
    let others = [&longer[..], &newer, &several, b"something else, and longer"];
    for (number, wrong) in cuts.into_iter().chain(others).enumerate() {
        let saved = Saved::new(&format!("wrong-{number}"), wrong);
        assert_eq!(error_of(&saved.0), Model::from_bytes(wrong).unwrap_err(), "{number}");
    }
}

#[test]
fn what_cannot_be_read_is_no_damage() {
    let missing = std::env::temp_dir().join("russet-load-that-is-not-there");
    for path in [missing, std::env::temp_dir()] {
        assert!(matches!(Model::load(&path).unwrap_err(), LoadError::Read(_)), "{}", path.display());
    }
}

/// A file that is long and empty must not be believed to be what its length says.
#[test]
fn a_file_of_holes_is_refused() {
    let saved = Saved::new("holes", b"russet\x1a\n");
    let file = fs::File::options().write(true).open(&saved.0).unwrap();
    if file.set_len(1 << 30).is_ok() {
        assert!(matches!(error_of(&saved.0), ModelError::Damaged(_)));
    }
}
