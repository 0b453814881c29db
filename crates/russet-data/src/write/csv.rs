use std::io::{self, Write};

use russet::batch::Batch;
use russet::feature::{IdList, Names};

use super::ExampleWriter;
use super::book::NameBook;

/// The most columns that a table may get.
const MOST_COLUMNS: usize = 100_000;

/// Which columns a table needs: found by going through the data once before it is written.
#[derive(Default)]
pub struct Columns {
    book: NameBook,
    places: IdList,
    names: Names,
    importance: bool,
    tags: bool,
    bases: u64,
}

impl Columns {
    /// Takes note of what the examples of a batch need.
    pub fn add(&mut self, batch: &Batch) -> io::Result<()> {
        let page = self.book.page(batch);
        for example in batch.iter() {
            self.importance |= example.label.importance != 1.0;
            self.tags |= !example.tag.is_empty();
            self.bases += u64::from(example.label.base != 0.0);
            for &code in example.codes {
                if self.places.place(page.id(code)).is_none() {
                    self.places.push(page.id(code));
                    self.names.push(&page.name(code));
                }
            }
        }
        let special = [("label", true), ("weight", self.importance), ("tag", self.tags)];
        let taken =
            special.iter().find(|(column, used)| *used && self.names.iter().any(|name| name == column.as_bytes()));
        if let Some((column, _)) = taken {
            return Err(io::Error::other(format!(
                "a feature is named `{column}`, as the column of the {column}s would be"
            )));
        }
        if self.names.len() > MOST_COLUMNS {
            return Err(io::Error::other(format!("a table of more than {MOST_COLUMNS} columns would be needed")));
        }
        Ok(())
    }

    /// The flags that reading the table needs besides `--label label`.
    pub fn flags(&self) -> String {
        let flags = [(self.importance, " --weight weight"), (self.tags, " --tag tag")];
        flags.iter().filter(|(used, _)| *used).map(|(_, flag)| *flag).collect()
    }

    /// How many examples had a base prediction, which a table has no place for.
    pub fn bases(&self) -> u64 {
        self.bases
    }
}

/// Writes a table with a column for every feature; a feature that an example does not have is 0.
pub struct CsvWriter {
    columns: Columns,
    delimiter: u8,
    book: NameBook,
    row: Vec<f32>,
    header_written: bool,
}

impl CsvWriter {
    /// Writes the columns that were found, fields apart by `delimiter`.
    pub fn new(columns: Columns, delimiter: u8) -> CsvWriter {
        let row = vec![0.0; columns.names.len()];
        CsvWriter { columns, delimiter, book: NameBook::default(), row, header_written: false }
    }

    fn write_header(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let special = [(true, "label"), (self.columns.importance, "weight"), (self.columns.tags, "tag")];
        let special = special.iter().filter(|(there, _)| *there).map(|(_, name)| name.as_bytes());
        for (place, name) in special.chain(self.columns.names.iter()).enumerate() {
            if place > 0 {
                out.write_all(&[self.delimiter])?;
            }
            write_field(name, self.delimiter, out)?;
        }
        out.write_all(b"\n")
    }
}

impl ExampleWriter for CsvWriter {
    fn write(&mut self, batch: &Batch, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.header_written, true) {
            self.write_header(out)?;
        }
        let page = self.book.page(batch);
        for example in batch.iter() {
            self.row.fill(0.0);
            for (&code, value) in example.codes.iter().zip(example.values) {
                if let Some(place) = self.columns.places.place(page.id(code)) {
                    self.row[place as usize] += value;
                }
            }
            if let Some(label) = example.label.value {
                write!(out, "{label}")?;
            }
            if self.columns.importance {
                out.write_all(&[self.delimiter])?;
                write!(out, "{}", example.label.importance)?;
            }
            if self.columns.tags {
                out.write_all(&[self.delimiter])?;
                write_field(example.tag, self.delimiter, out)?;
            }
            for value in &self.row {
                out.write_all(&[self.delimiter])?;
                write!(out, "{value}")?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Writes one field of a table, in quotes where it needs them.
pub fn write_field(field: &[u8], delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    if !field.iter().any(|byte| *byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r')) {
        return out.write_all(field);
    }
    out.write_all(b"\"")?;
    for (place, part) in field.split(|byte| *byte == b'"').enumerate() {
        if place > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part)?;
    }
    out.write_all(b"\"")
}
