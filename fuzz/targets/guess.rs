//! The guesser of columns' types: what it settles on reads the table it was made from, and to the same examples.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use russet_data::{CsvOptions, Format, ReadOptions};
use russet_fuzz::{options, read_checked};

fuzz_target!(|bytes: &[u8]| {
    let [choice, text @ ..] = bytes else { return };
    let named = |bit: u8, name: &str| if choice & bit != 0 { vec![name.to_owned()] } else { Vec::new() };
    let csv = CsvOptions {
        label: (choice & 8 != 0).then(|| "y".to_owned()),
        weight: (choice & 16 != 0).then(|| "w".to_owned()),
        numeric: named(32, "a"),
        categorical: named(64, "b"),
        ignore: named(128, "c"),
        ..CsvOptions::default()
    };
    // One block, so that all rows are looked at; the format is told by the content if it can be.
    let options = ReadOptions { csv, block_bytes: 1 << 16, ..options(*choice & 3, Format::Csv) };
    let told = Format::of_content(text);
    let _ = read_checked(text, &ReadOptions { format: told, ..options.clone() });
    let (outcome, seen) = read_checked(text, &options);
    let Ok(outcome) = outcome else { return };
    let schema = outcome.schema.expect("a table has columns");
    assert!(schema.columns.iter().all(|column| column.name != schema.label.name));
    let (again, same) = read_checked(text, &ReadOptions { schema: Some(Arc::clone(&schema)), ..options });
    assert!(again.is_ok(), "{again:?}");
    assert_eq!(seen, same);
});
