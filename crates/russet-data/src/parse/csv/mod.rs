//! Tables: a header, then a row an example. Fields apart by commas, tabs or semicolons; quotes as in RFC 4180.
//!
//! A number is a feature named as its column, left out if it is 0; a name is a 0/1 feature `column=name`; a
//! missing field is no feature. Which columns hold numbers is told from the first block of the first file, or by
//! the user.

mod guess;
mod layout;
mod record;

use russet::batch::{Batch, Label};

use super::{Context, Fault, LabelColumn, Parsed, not_finite};
use crate::error::quoted;
use crate::{OnError, number};
use layout::Role;
use record::Record;

pub use guess::is_missing;
pub(crate) use guess::{MOST_CLASSES, too_many_classes};
pub(crate) use layout::{CsvLayout, count, delimiter, layout};
pub(crate) use record::visit_ends;

/// Reads rows, with buffers that are reused.
#[derive(Default)]
pub(super) struct Reader {
    record: Record,
}

impl Reader {
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        layout: &CsvLayout,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
    ) {
        let (mut at, mut line) = (0, parsed.block.first_line);
        while at < bytes.len() {
            let start = at;
            let row = self.record.read(bytes, at, layout.delimiter);
            // After a quote that is never closed, the next line is taken for a record of its own.
            let line_end = || memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length + 1);
            at = row.as_ref().copied().unwrap_or_else(|_| line_end());
            let empty = bytes[start..at].trim_ascii().is_empty();
            let read = row.and_then(|_| {
                if empty { Ok(()) } else { self.row(bytes, start, line, layout, context, &mut parsed.batch) }
            });
            if let Err(fault) = read {
                let (line, fault) = locate(bytes, start, line, fault);
                if !parsed.forgive(fault, line, on_error) {
                    return;
                }
            }
            line += memchr::memchr_iter(b'\n', &bytes[start..at]).count() as u64;
        }
    }

    fn row(
        &self,
        bytes: &[u8],
        start: usize,
        line: u64,
        layout: &CsvLayout,
        context: &mut Context<'_>,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let (found, wanted) = (self.record.len(), layout.roles.len());
        if found != wanted {
            return Err(Fault::new(start, format!("this row has {found} fields; expected {wanted}, as in the header")));
        }
        let mut label = Label::unknown();
        let mut tag: &[u8] = b"";
        for (place, role) in layout.roles.iter().enumerate() {
            let (field, at) = (self.record.field(bytes, place).trim_ascii(), self.record.fields[place].at);
            match role {
                Role::Ignored => {}
                Role::Label if is_missing(field) => {}
                Role::Label => label.value = label_value(field, at, layout, context.labels)?,
                Role::Tag => tag = field,
                Role::Weight => label.importance = importance(field, at)?,
                _ if is_missing(field) => {}
                Role::Number { name, id } => {
                    let value = number::parse_whole(field).filter(|value| value.is_finite());
                    let value = value.ok_or_else(|| not_a_number(field, at, name))?;
                    if value != 0.0 {
                        let index = context.dictionary.index(batch, *id, |names| names.push(name.as_bytes()));
                        batch.push(index, value);
                    }
                }
                Role::Category { name, namespace } => {
                    let id = namespace.verbatim(field);
                    let index =
                        context.dictionary.index(batch, id, |names| names.push_parts(&[name.as_bytes(), b"=", field]));
                    batch.push(index, 1.0);
                }
            }
        }
        if label.value.is_none() && context.labels {
            return Err(Fault::new(start, format!("there is no label in the column `{}`", layout.schema.label.name)));
        }
        batch.end_namespace();
        batch.end_example(label, tag, line);
        Ok(())
    }
}

/// The label that a field says. Where labels are not needed, one that makes no sense is no label.
fn label_value(field: &[u8], at: usize, layout: &CsvLayout, needed: bool) -> Result<Option<f32>, Fault> {
    let value = match &layout.schema.label.classes {
        Some(_) => layout.schema.label.class_value(field),
        None => number::parse_whole(field).filter(|value| value.is_finite()),
    };
    match value {
        None if needed => Err(unexpected_label(field, at, &layout.schema.label)),
        value => Ok(value),
    }
}

#[cold]
fn unexpected_label(field: &[u8], at: usize, label: &LabelColumn) -> Fault {
    let what = format!("label in the column `{}`", label.name);
    let expected = match label.classes.as_deref() {
        None => "a finite number".to_owned(),
        Some([negative, positive]) => {
            format!("`{negative}` or `{positive}` (if there are more classes, name all with --classes)")
        }
        Some(several) => {
            format!("one of the {} names in the first rows (if there are more, name all with --classes)", several.len())
        }
    };
    Fault::expected(at, &what, field, &expected)
}

fn importance(field: &[u8], at: usize) -> Result<f32, Fault> {
    let value = number::parse_whole(field).filter(|value| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| Fault::expected(at, "weight", field, "a finite number, 0 or more"))
}

#[cold]
fn not_a_number(field: &[u8], at: usize, column: &str) -> Fault {
    if number::is_meant_as_number(field) {
        return not_finite(at, &format!("value in the column `{column}`"), field);
    }
    let message = format!(
        "value in the column `{column}` is {}; expected a number, as in the first rows (if the column holds names, say --categorical {column})",
        quoted(field)
    );
    Fault::new(at, message)
}

/// A row may span lines: the line of the fault, and the fault with its place in that line.
fn locate(bytes: &[u8], start: usize, line: u64, fault: Fault) -> (u64, Fault) {
    let before = &bytes[start..fault.at.max(start)];
    let line_start = memchr::memrchr(b'\n', before).map_or(start, |end| start + end + 1);
    let line = line + memchr::memchr_iter(b'\n', before).count() as u64;
    (line, Fault { at: fault.at.max(start) - line_start, message: fault.message })
}

#[cfg(test)]
mod tests {
    use crate::parse::tests::{read_csv, read_csv_error};
    use russet::batch::Label;

    fn names(features: &[(&str, f32)]) -> Vec<(String, f32)> {
        features.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn numbers_names_and_missing_fields() {
        let seen = read_csv("age,sex,y\n30,f,yes\n0,m,no\nNA,,yes\n", "y");
        assert_eq!(seen[0].features, names(&[("age", 30.0), ("sex=f", 1.0)]));
        assert_eq!(seen[0].label, Label::new(1.0));
        assert_eq!(seen[1].features, names(&[("sex=m", 1.0)]));
        assert_eq!(seen[1].label, Label::new(-1.0));
        assert_eq!(seen[2].features, names(&[]));
    }

    #[test]
    fn quotes_hold_commas_breaks_and_quotes() {
        let seen = read_csv("a,y\r\n\"x, \"\"y\"\"\nz\",1\r\n\"p\",2\r\n", "y");
        assert_eq!(seen[0].features, names(&[("a=x, \"y\"\nz", 1.0)]));
        assert_eq!((seen[1].features.clone(), seen[1].line), (names(&[("a=p", 1.0)]), 4));
    }

    #[test]
    fn other_delimiters() {
        assert_eq!(read_csv("a\ty\n1,5\t1\n", "y")[0].features, names(&[("a=1,5", 1.0)]));
        assert_eq!(read_csv("a;b;y\n1;2;1\n", "y")[0].features, names(&[("a", 1.0), ("b", 2.0)]));
    }

    #[test]
    fn digits_in_a_column_of_names_stay_letters() {
        let seen = read_csv("zip,y\n007,1\n7,2\nx,1\n", "y");
        assert_eq!(seen[0].features, names(&[("zip=007", 1.0)]));
        assert_eq!(seen[1].features, names(&[("zip=7", 1.0)]));
    }

    #[test]
    fn more_than_two_names_are_numbered_in_their_order() {
        let labels: Vec<Label> = read_csv("a,y\n1,b\n2,c\n3,a\n4,c\n", "y").iter().map(|seen| seen.label).collect();
        assert_eq!(labels, [1.0, 2.0, 0.0, 2.0].map(Label::new));
    }

    #[test]
    fn a_label_of_all_different_names_is_refused() {
        let rows: String = (0..2000).map(|row| format!("{row},n{row}\n")).collect();
        assert_eq!(
            read_csv_error(&format!("a,y\n{rows}"), "y"),
            "test: the label column `y` has more than 1000 names; expected numbers or classes"
        );
    }

    #[test]
    fn faults_name_their_place() {
        let error = |text, label| read_csv_error(text, label);
        assert_eq!(error("a,b,y\n1,2,1\n1,2\n", "y"), "test:3:1: this row has 2 fields; expected 3, as in the header");
        assert_eq!(
            error("a,y\n\"x,1\n", "y"),
            "test:2:1: this quote is never closed; expected a `\"` at the end of the field"
        );
        assert_eq!(
            error("a,y\n\"x\"z,1\n", "y"),
            "test:2:4: text after a closing quote is `z`; expected the end of the field"
        );
        assert_eq!(
            error("age,survived\n1,1\n", "survive"),
            "test: there is no column `survive`; the nearest name is `survived`"
        );
        assert_eq!(
            error("a,b\n1,1\n", ""),
            "test: which column is the label? Name it with --label; there are `a`, `b`"
        );
        assert_eq!(
            error("a,y\n1e999,1\n", "y"),
            "test:2:1: value in the column `a` is `1e999`; expected a finite number"
        );
        assert_eq!(error("a,y\n1,\n", "y"), "test:2:1: there is no label in the column `y`");
        assert_eq!(error("a,a,y\n1,1,1\n", "y"), "test: the column `a` is there twice");
    }
}
