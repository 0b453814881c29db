//! What columns mean, told from the first rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::record::Record;
use crate::error::quoted;
use crate::parse::{Column, ColumnKind, LabelColumn, Schema};
use crate::{DataError, ReadOptions, number};

/// A label column with more names than this is taken for a mistake.
pub(crate) const MOST_CLASSES: usize = 1000;

/// Says so.
pub(crate) fn too_many_classes(name: &Arc<str>, label: &str) -> DataError {
    let message = format!("the label column `{label}` has more than {MOST_CLASSES} names; expected numbers or classes");
    DataError::file(name, message)
}

/// True for fields of a table that say that nothing is known.
pub fn is_missing(field: &[u8]) -> bool {
    matches!(field, b"" | b"?" | b"NA" | b"N/A" | b"NaN" | b"nan" | b"NAN" | b"null" | b"NULL" | b"None")
}

/// Tells what columns mean from the first rows of a file.
pub(super) struct Guess<'a> {
    pub(super) name: &'a Arc<str>,
    pub(super) header: &'a [String],
    pub(super) bytes: &'a [u8],
    pub(super) rows: usize,
    pub(super) whole: bool,
    pub(super) delimiter: u8,
    pub(super) options: &'a ReadOptions,
}

impl Guess<'_> {
    pub(super) fn schema(&self) -> Result<Schema, DataError> {
        let csv = &self.options.csv;
        for column in
            [&csv.numeric, &csv.categorical, &csv.ignore].into_iter().flatten().chain(&csv.weight).chain(&csv.tag)
        {
            self.place(column)?;
        }
        let label = self.label_place()?;
        let mut numeric = vec![true; self.header.len()];
        let mut names = BTreeSet::new();
        self.for_each_row(|record| {
            for (place, numeric) in numeric.iter_mut().enumerate().take(record.len()) {
                let field = record.field(self.bytes, place).trim_ascii();
                *numeric &= is_missing(field) || number::is_meant_as_number(field);
            }
            let field = String::from_utf8_lossy(record.field(self.bytes, label).trim_ascii());
            if names.len() <= MOST_CLASSES && !is_missing(field.as_bytes()) && !names.contains(&*field) {
                names.insert(field.into_owned());
            }
        });
        let label_name = self.header[label].clone();
        let classes = self.classes(&label_name, numeric[label], names)?;
        let special = |column: &String| {
            *column == label_name
                || [&csv.weight, &csv.tag].into_iter().flatten().chain(&csv.ignore).any(|name| name == column)
        };
        let kind = |column: &String, numeric: bool| {
            let number = csv.numeric.contains(column) || numeric && !csv.categorical.contains(column);
            if number { ColumnKind::Number } else { ColumnKind::Category }
        };
        let columns = self.header.iter().zip(numeric).filter(|(column, _)| !special(column));
        let columns = columns.map(|(column, numeric)| Column { name: column.clone(), kind: kind(column, numeric) });
        Ok(Schema {
            columns: columns.collect(),
            label: LabelColumn { name: label_name.clone(), classes },
            weight: csv.weight.clone(),
            tag: csv.tag.clone(),
        })
    }

    fn label_place(&self) -> Result<usize, DataError> {
        if let Some(label) = &self.options.csv.label {
            return self.place(label);
        }
        let usual =
            ["label", "target", "y"].into_iter().find_map(|name| self.header.iter().position(|column| column == name));
        usual.ok_or_else(|| {
            const SHOWN: usize = 100;
            let shown = self.header.iter().take(SHOWN).map(|column| quoted(column.as_bytes()));
            let columns = shown.collect::<Vec<_>>().join(", ") + if self.header.len() > SHOWN { ", ..." } else { "" };
            DataError::file(self.name, format!("which column is the label? Name it with --label; there are {columns}"))
        })
    }

    fn place(&self, wanted: &str) -> Result<usize, DataError> {
        self.header.iter().position(|column| column == wanted).ok_or_else(|| {
            let likeness = |column: &&String| (strsim::jaro_winkler(column, wanted) * 1e6) as u64;
            let nearest = self.header.iter().max_by_key(likeness).map_or("", String::as_str);
            DataError::file(
                self.name,
                format!("there is no column `{wanted}`; the nearest name is {}", quoted(nearest.as_bytes())),
            )
        })
    }

    /// The names of the classes, unless labels are numbers.
    fn classes(&self, label: &str, numeric: bool, names: BTreeSet<String>) -> Result<Option<Vec<String>>, DataError> {
        if let Some(classes) = &self.options.csv.classes {
            return Ok(Some(classes.clone()));
        }
        if numeric {
            return Ok(None);
        }
        let problem = |what: String| Err(DataError::file(self.name, what));
        match names.len() {
            0 | 1 => problem(format!(
                "the label column `{label}` has only one name, {}, in the first rows; name all with --classes",
                quoted(names.first().map_or("", String::as_str).as_bytes())
            )),
            count if count > MOST_CLASSES => Err(too_many_classes(self.name, label)),
            _ => Ok(Some(names.into_iter().collect())),
        }
    }

    fn for_each_row(&self, mut visit: impl FnMut(&Record)) {
        let (mut record, mut at) = (Record::default(), self.rows);
        while at < self.bytes.len() {
            // The last row may be cut by the end of the block; faults are found when the rows are read.
            match record.read(self.bytes, at, self.delimiter) {
                Ok(next) if self.whole || next < self.bytes.len() || self.bytes.ends_with(b"\n") => at = next,
                _ => return,
            }
            if record.len() == self.header.len() {
                visit(&record);
            }
        }
    }
}
