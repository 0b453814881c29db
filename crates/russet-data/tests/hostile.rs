//! Bytes that nobody meant to be read.
#![allow(clippy::unwrap_used)]

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet_data::cache::{CacheHeader, CacheWriter};
use russet_data::fuzzing::read;
use russet_data::{Column, ColumnKind, Format, LabelColumn, ReadOptions, Schema};

/// A cache of two blocks, made from a table.
fn cache() -> Vec<u8> {
    let columns = vec![Column { name: "age".to_owned(), kind: ColumnKind::Number }];
    let label = LabelColumn { name: "y".to_owned(), classes: None };
    let schema = Schema { columns, label, weight: None, tag: None };
    let header = CacheHeader { reading: "so".to_owned(), schema: Some(schema), ..CacheHeader::default() };
    let mut writer = CacheWriter::new(Vec::new(), &header).unwrap();
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    for line in 1..5u32 {
        batch.start(&mut dictionary);
        for name in ["age", "sex=f", "zip"] {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, line as f32 / 2.0);
        }
        batch.end_example(Label::new(1.0), b"tag", line.into());
        writer.write(&batch).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn every_flipped_bit_of_a_cache_is_refused() {
    let options = ReadOptions { format: Some(Format::Cache), ..ReadOptions::default() };
    let whole = cache();
    assert_eq!(read(&whole, &options, |_| ()).unwrap().examples, 4);
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[place] ^= 1 << bit;
            let error = read(&changed, &options, |_| ()).expect_err(&format!("bit {bit} of byte {place}")).to_string();
            let clear = ["this cache is", "this cache has version", "this is not a russet cache"];
            assert!(clear.iter().any(|words| error.contains(words)), "{error}");
        }
        assert!(read(&whole[..place], &options, |_| ()).is_err(), "cut at {place}");
    }
}
