//! svmlight: no bytes make a panic, and where blocks are cut makes no difference.
#![no_main]

use libfuzzer_sys::fuzz_target;
use russet_data::{Format, ReadOptions};
use russet_fuzz::{options, read_checked};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let options = options(*choice, Format::Svmlight);
    let (outcome, seen) = read_checked(text, &options);
    let (other, again) = read_checked(text, &ReadOptions { block_bytes: 7, ..options.clone() });
    assert_eq!((outcome.is_ok(), seen), (other.is_ok(), again));
    if let Ok(outcome) = outcome
        && options.labels
        && outcome.skipped == 0
    {
        assert_eq!(outcome.examples, outcome.counted);
    }
});
