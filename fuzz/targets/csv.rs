//! Tables: no bytes make a panic. Columns are settled first, so that where blocks are cut makes no difference.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use russet_data::fuzzing::Outcome;
use russet_data::{Column, ColumnKind, CsvOptions, DataError, Format, LabelColumn, ReadOptions, Schema};
use russet_fuzz::{options, read_checked};

fn schema(classes: bool) -> Schema {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let classes = classes.then(|| vec!["no".to_owned(), "yes".to_owned()]);
    Schema {
        columns: vec![column("a", ColumnKind::Number), column("b", ColumnKind::Category)],
        label: LabelColumn { name: "y".to_owned(), classes },
        weight: None,
        tag: Some("t".to_owned()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let settled = (choice & 8 == 0).then(|| Arc::new(schema(choice & 16 == 0)));
    let csv = CsvOptions { label: (choice & 32 == 0).then(|| "y".to_owned()), ..CsvOptions::default() };
    let options = ReadOptions { schema: settled, csv, ..options(*choice, Format::Csv) };
    let (outcome, seen) = read_checked(text, &options);
    if options.schema.is_some() {
        let (other, again) = read_checked(text, &ReadOptions { block_bytes: 7, ..options });
        // After a fault, such as a quote that is never closed, what belongs to it does depend on where the block ends.
        let faultless =
            |outcome: &Result<Outcome, DataError>| outcome.as_ref().is_ok_and(|outcome| outcome.skipped == 0);
        if faultless(&outcome) && faultless(&other) {
            assert_eq!(seen, again);
        }
    }
});
