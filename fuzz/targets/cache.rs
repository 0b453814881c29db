//! The cache: bytes as they are, and as a block whose checksum is right. What is read can be learned from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use russet::Learner;
use russet_data::Format;
use russet_data::fuzzing::{cache_of, read};
use russet_fuzz::{learn, options, settings};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let file = if choice & 1 == 0 { cache_of(rest) } else { rest.to_vec() };
    let mut learner = Learner::new(settings(2).check().expect("they are in range"));
    let outcome = read(&file, &options(0, Format::Cache), |parsed| learn(&mut learner, &parsed.batch));
    if outcome.is_err() {
        return;
    }
    let (linear, products) = learner.model().weight_counts();
    assert!(linear <= 1 + learner.model().features().len() && products < 1 << 20);
});
