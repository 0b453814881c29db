use std::io::{self, Write};

use russet::batch::{Batch, Example};
use russet::feature::{FeatureId, Namespace};

use super::ExampleWriter;
use super::book::{NameBook, Page};

/// Writes VW text. Letters that have a meaning there become `_` in names.
#[derive(Default)]
pub struct VwWriter {
    book: NameBook,
}

impl ExampleWriter for VwWriter {
    fn write(&mut self, batch: &Batch, out: &mut dyn Write) -> io::Result<()> {
        let page = self.book.page(batch);
        batch.iter().try_for_each(|example| line(&example, page, out))
    }
}

fn line(example: &Example<'_>, page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let label = &example.label;
    if let Some(value) = label.value {
        write!(out, "{value} ")?;
        if label.importance != 1.0 || label.base != 0.0 {
            write!(out, "{} ", label.importance)?;
        }
        if label.base != 0.0 {
            write!(out, "{} ", label.base)?;
        }
    }
    if !example.tag.is_empty() {
        out.write_all(b"'")?;
        write_word(example.tag, out)?;
    }
    out.write_all(b"|")?;
    let mut space = Vec::new();
    for (&code, value) in example.codes.iter().zip(example.values) {
        let name = page.name(code);
        let (namespace, name) = split(page.id(code), &name);
        if namespace != space {
            out.write_all(b" |")?;
            write_word(namespace, out)?;
            space = namespace.to_vec();
        }
        out.write_all(b" ")?;
        write_word(name, out)?;
        if *value != 1.0 {
            write!(out, ":{value}")?;
        }
    }
    out.write_all(b"\n")
}

/// Namespace and name of a feature: a `^` in its name is the border if the feature's id says so.
fn split(id: FeatureId, name: &[u8]) -> (&[u8], &[u8]) {
    for place in memchr::memchr_iter(b'^', name) {
        let (namespace, name) = (&name[..place], &name[place + 1..]);
        if Namespace::new(namespace).feature(name) == id {
            return (namespace, name);
        }
    }
    (b"", name)
}

fn write_word(word: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let special = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b':' | b'|');
    if !word.iter().any(special) {
        return out.write_all(word);
    }
    let cleaned: Vec<u8> = word.iter().map(|byte| if special(byte) { b'_' } else { *byte }).collect();
    out.write_all(&cleaned)
}
