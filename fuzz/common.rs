//! What the fuzzers share: examples as they can be compared, and what must hold of every one.

use russet::Learner;
use russet::batch::{Batch, Code, Example};
use russet::settings::{ExpansionKind, Settings};
use russet_data::fuzzing::{Outcome, read};
use russet_data::{DataError, Format, OnError, Parsed, ReadOptions};

/// How a fuzzer's first byte says to read the rest.
pub fn options(choice: u8, format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        on_error: if choice & 1 == 0 { OnError::Stop } else { OnError::Skip },
        labels: choice & 2 == 0,
        block_bytes: if choice & 4 == 0 { 1 << 16 } else { 16 },
        ..ReadOptions::default()
    }
}

/// Reads bytes, and makes sure of every example.
pub fn read_checked(bytes: &[u8], options: &ReadOptions) -> (Result<Outcome, DataError>, Vec<Vec<u8>>) {
    let (mut seen, mut names) = (Vec::new(), Vec::new());
    let outcome = read(bytes, options, |parsed| {
        note_names(&parsed.batch, &mut names);
        seen.extend(parsed.batch.iter().map(|example| described(&example, &names)));
        check(parsed);
    });
    if let Err(error) = &outcome {
        assert!(!error.to_string().is_empty());
    }
    (outcome, seen)
}

/// The names that codes stand for so far.
fn note_names(batch: &Batch, names: &mut Vec<Vec<u8>>) {
    names.truncate(batch.first_declared() as usize);
    names.extend(batch.declared_names().iter().map(<[u8]>::to_vec));
}

/// All of an example that does not depend on how the input was cut, as bytes: words for people would take most of the time.
fn described(example: &Example<'_>, names: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    all.extend_from_slice(&example.line.to_le_bytes());
    let label = example.label;
    for number in [label.value.unwrap_or(f32::NAN), label.importance, label.base].iter().chain(example.values) {
        all.extend_from_slice(&number.to_le_bytes());
    }
    for code in example.codes {
        match Code::unpack(*code) {
            Code::Declared(index) => all.extend_from_slice(&names[index as usize]),
            Code::Number(number) => all.extend_from_slice(&number.to_le_bytes()),
        }
        all.push(b'|');
    }
    example.namespace_ends.iter().for_each(|end| all.extend_from_slice(&end.to_le_bytes()));
    all.extend_from_slice(example.tag);
    all
}

fn check(parsed: &Parsed) {
    for example in parsed.batch.iter() {
        assert_eq!(example.codes.len(), example.values.len());
        assert!(example.values.iter().all(|value| value.is_finite()), "a value is not finite");
        assert!(example.label.value.is_none_or(f32::is_finite) && example.label.base.is_finite());
        assert!(example.label.importance.is_finite() && example.label.importance >= 0.0);
        assert!(example.namespace_ends.is_sorted());
        assert!(example.namespace_ends.last().is_none_or(|end| *end as usize <= example.codes.len()));
    }
}

/// Settings of a small learner, by a fuzzer's choice.
pub fn settings(choice: u8) -> Settings {
    let expansion = match choice & 3 {
        0 => ExpansionKind::Linear,
        1 => ExpansionKind::Quadratic,
        _ => ExpansionKind::Apple,
    };
    let indexing = if choice & 4 == 0 { Default::default() } else { russet::feature::Indexing::Hashed };
    let ngram = if choice & 8 == 0 { 1 } else { 2 };
    let loss = [
        russet::loss::LossKind::Squared,
        russet::loss::LossKind::Logistic,
        russet::loss::LossKind::Hinge,
        russet::loss::LossKind::Quantile,
    ][usize::from(choice >> 4 & 3)];
    Settings { expansion, indexing, ngram, loss, bits: 8, memory: 1, epochs: 3, ..Settings::default() }
}

/// Learns from all that can be learned from; what cannot be is passed over.
pub fn learn(learner: &mut Learner, batch: &Batch) {
    // Also a batch without examples declares features.
    learner.skip(batch);
    let mut start = 0;
    while start < batch.len() {
        match learner.learn_range(batch, start..batch.len()) {
            Ok(()) => return,
            Err(error) => start = error.place + 1,
        }
    }
}
