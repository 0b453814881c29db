//! From text to a model: whatever can be read is learned from or refused, weights stay finite, and the model that is
//! saved loads again to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use russet::{Learner, Model};
use russet_data::Format;
use russet_data::fuzzing::read;
use russet_fuzz::{learn, options, settings};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let mut learner = Learner::new(settings(*choice).check().expect("they are in range"));
    let mut batches = Vec::new();
    let _ = read(text, &options(1, Format::Vw), |parsed| batches.push(parsed.batch.clone()));
    let examples: usize = batches.iter().map(|batch| batch.len()).sum();
    learner.set_course_length(examples.max(1) as u64);
    batches.iter().for_each(|batch| learn(&mut learner, batch));
    let model = learner.into_model();
    let saved = model.to_bytes();
    let loaded = Model::from_bytes(&saved).expect("what was saved loads");
    assert!(loaded.to_bytes() == saved);
});
