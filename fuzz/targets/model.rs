//! The model file: bytes as they are, and with the right checksum. What loads can predict, learn on and be saved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::{Learner, Model};
use russet_fuzz::learn;
use xxhash_rust::xxh3::xxh3_64;

/// Known and unknown features, with values of several sizes.
fn batch() -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (label, value) in [(1.0, 1.0), (-1.0, 0.5), (1.0, 3e38)] {
        for name in ["a", "b", "c", "new"] {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, value);
        }
        batch.end_example(Label::new(label), b"", 1);
    }
    batch
}

fuzz_target!(|bytes: &[u8]| {
    let _ = Model::from_bytes(bytes);
    let mut signed = bytes.to_vec();
    signed.extend_from_slice(&xxh3_64(bytes).to_le_bytes());
    let Ok(model) = Model::from_bytes(&signed) else { return };
    let saved = model.to_bytes();
    let again = Model::from_bytes(&saved).expect("what was saved loads");
    assert!(again.to_bytes() == saved);
    let batch = batch();
    let mut predictor = model.predictor();
    predictor.begin(&batch);
    for example in batch.iter() {
        let explanation = predictor.explain(&batch, &example);
        let sum = explanation.parts.iter().fold(0.0, |sum, part| sum + part.contribution);
        assert!(explanation.predicted.value.is_finite() && sum == f64::from(explanation.predicted.value));
    }
    let mut learner = Learner::resume(model);
    learn(&mut learner, &batch);
    // Loading refuses weights that are not finite.
    Model::from_bytes(&learner.into_model().to_bytes()).expect("what has learned loads");
});
