//! Tables: a header, then a row an example. Fields apart by commas, tabs or semicolons; quotes as in RFC 4180.
//!
//! A number is a feature named as its column, left out if it is 0; a name is a 0/1 feature `column=name`; a
//! missing field is no feature. Which columns hold numbers is told from the first block of the first file, or by
//! the user.

use std::sync::Arc;

use russet::batch::{Batch, Label};
use russet::feature::{FeatureId, Namespace};

use super::{Column, ColumnKind, Context, Fault, LabelColumn, Layout, Parsed, Schema, not_finite};
use crate::error::quoted;
use crate::{DataError, OnError, ReadOptions, number};

/// What each field of a row of one file is.
#[derive(Clone, Debug)]
pub(crate) struct CsvLayout {
    pub(crate) schema: Arc<Schema>,
    delimiter: u8,
    roles: Vec<Role>,
}

#[derive(Clone, Debug)]
enum Role {
    Ignored,
    Label,
    Weight,
    Tag,
    Number { name: String, id: FeatureId },
    Category { name: String, namespace: Namespace },
}

/// Reads the header at the start of `bytes`; gives the layout and where the rows begin.
///
/// `whole`: whether `bytes` is all there is, so that its last row is complete even without a line end.
pub(crate) fn layout(
    name: &Arc<str>,
    bytes: &[u8],
    whole: bool,
    options: &ReadOptions,
) -> Result<(Layout, usize), DataError> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let delimiter = delimiter(&bytes[start..]);
    let mut record = Record::default();
    let content = |fault: Fault| DataError::Content {
        name: Arc::clone(name),
        line: 1,
        column: fault.at as u64 + 1,
        message: fault.message,
    };
    let rows = record.read(bytes, start, delimiter).map_err(content)?;
    let header: Vec<String> = (0..record.len())
        .map(|place| String::from_utf8_lossy(record.field(bytes, place).trim_ascii()).into_owned())
        .collect();
    if let Some(twice) = (1..header.len()).find(|place| header[..*place].contains(&header[*place])) {
        return Err(DataError::file(name, format!("the column {} is there twice", quoted(header[twice].as_bytes()))));
    }
    let schema = match &options.schema {
        Some(schema) => Arc::clone(schema),
        None => Arc::new(Guess { name, header: &header, bytes, rows, whole, delimiter, options }.schema()?),
    };
    let roles = roles(name, &header, &schema, options)?;
    Ok((Layout::Csv(Arc::new(CsvLayout { schema, delimiter, roles })), rows))
}

/// The first of tab, comma and semicolon that the header line has, by their count.
pub(crate) fn delimiter(bytes: &[u8]) -> u8 {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |wanted: &u8| header.iter().filter(|byte| *byte == wanted).count();
    *[b';', b'\t', b','].iter().max_by_key(|byte| count(byte)).unwrap_or(&b',')
}

fn roles(name: &Arc<str>, header: &[String], schema: &Schema, options: &ReadOptions) -> Result<Vec<Role>, DataError> {
    let has = |column: &String| header.contains(column);
    let wanted = schema.columns.iter().map(|column| &column.name);
    // Predicting needs neither label nor weight, and a tag only where there is one.
    let special =
        options.labels.then_some(&schema.label.name).into_iter().chain(schema.weight.iter().filter(|_| options.labels));
    let wanted = wanted.chain(special);
    if let Some(missing) = wanted.into_iter().find(|column| !has(column)) {
        return Err(DataError::file(name, format!("there is no column `{missing}`, which the model was trained with")));
    }
    Ok(header.iter().map(|column| role(column, schema)).collect())
}

fn role(column: &str, schema: &Schema) -> Role {
    if schema.label.name == column {
        return Role::Label;
    }
    if schema.weight.as_deref() == Some(column) {
        return Role::Weight;
    }
    if schema.tag.as_deref() == Some(column) {
        return Role::Tag;
    }
    match schema.columns.iter().find(|known| known.name == column) {
        Some(Column { name, kind: ColumnKind::Number }) => {
            Role::Number { name: name.clone(), id: Namespace::ANONYMOUS.feature(name.as_bytes()) }
        }
        Some(Column { name, kind: ColumnKind::Category }) => {
            Role::Category { name: name.clone(), namespace: Namespace::new(name.as_bytes()) }
        }
        None => Role::Ignored,
    }
}

/// Calls `visit` with the end of each record that is closed by a line end. `bytes` begin outside quotes.
///
/// A quote opens a quoted field only where a field begins; within one, two quotes stand for one.
pub(crate) fn visit_ends(bytes: &[u8], delimiter: u8, mut visit: impl FnMut(usize)) {
    let mut inside = false;
    let mut skip = None;
    for at in memchr::memchr2_iter(b'"', b'\n', bytes) {
        if skip == Some(at) {
            continue;
        }
        let begins_field = at == 0 || bytes[at - 1] == delimiter || bytes[at - 1] == b'\n';
        match bytes[at] {
            b'"' if inside && bytes.get(at + 1) == Some(&b'"') => skip = Some(at + 1),
            b'"' if inside => inside = false,
            b'"' => inside = begins_field,
            _ if !inside => visit(at + 1),
            _ => {}
        }
    }
}

/// How many rows there are.
pub(super) fn count(bytes: &[u8], layout: &CsvLayout) -> usize {
    let (mut start, mut rows) = (0, 0);
    visit_ends(bytes, layout.delimiter, |end| {
        rows += usize::from(!bytes[start..end].trim_ascii().is_empty());
        start = end;
    });
    rows + usize::from(!bytes[start..].trim_ascii().is_empty())
}

/// True for fields that say that nothing is known.
fn is_missing(field: &[u8]) -> bool {
    matches!(field, b"" | b"?" | b"NA" | b"N/A" | b"NaN" | b"nan" | b"NAN" | b"null" | b"NULL" | b"None")
}

/// Tells what columns mean from the first rows of a file.
struct Guess<'a> {
    name: &'a Arc<str>,
    header: &'a [String],
    bytes: &'a [u8],
    rows: usize,
    whole: bool,
    delimiter: u8,
    options: &'a ReadOptions,
}

impl Guess<'_> {
    fn schema(&self) -> Result<Schema, DataError> {
        let csv = &self.options.csv;
        for column in
            [&csv.numeric, &csv.categorical, &csv.ignore].into_iter().flatten().chain(&csv.weight).chain(&csv.tag)
        {
            self.place(column)?;
        }
        let label = self.label_place()?;
        let mut numeric = vec![true; self.header.len()];
        let mut names: Vec<String> = Vec::new();
        self.for_each_row(|record| {
            for (place, numeric) in numeric.iter_mut().enumerate().take(record.len()) {
                let field = record.field(self.bytes, place).trim_ascii();
                *numeric &= is_missing(field) || number::is_meant_as_number(field);
            }
            let field = String::from_utf8_lossy(record.field(self.bytes, label).trim_ascii());
            if names.len() < 3 && !is_missing(field.as_bytes()) && !names.iter().any(|name| *name == field) {
                names.push(field.into_owned());
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
            let columns = self.header.iter().map(|column| quoted(column.as_bytes())).collect::<Vec<_>>().join(", ");
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

    /// The names of the two classes, unless labels are numbers.
    fn classes(&self, label: &str, numeric: bool, mut names: Vec<String>) -> Result<Option<[String; 2]>, DataError> {
        if let Some(classes) = &self.options.csv.classes {
            return Ok(Some(classes.clone()));
        }
        if numeric {
            return Ok(None);
        }
        names.sort();
        let problem = |what: String| Err(DataError::file(self.name, what));
        match names.len() {
            2 => Ok(Some([names.remove(0), names.remove(0)])),
            1 => problem(format!(
                "the label column `{label}` has only one name, `{}`, in the first rows; name both with --classes",
                names[0]
            )),
            _ => problem(format!(
                "the label column `{label}` has more than two names: `{}`, ...; expected numbers or two classes",
                names.join("`, `")
            )),
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

/// The fields of one row, as places in the bytes read or, if quotes were doubled in it, in a buffer.
#[derive(Default)]
struct Record {
    fields: Vec<Field>,
    unquoted: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Field {
    start: usize,
    end: usize,
    in_buffer: bool,
    /// Where it begins in the bytes read.
    at: usize,
}

impl Record {
    fn len(&self) -> usize {
        self.fields.len()
    }

    fn field<'a>(&'a self, bytes: &'a [u8], place: usize) -> &'a [u8] {
        let field = self.fields[place];
        let source = if field.in_buffer { &self.unquoted } else { bytes };
        &source[field.start..field.end]
    }

    /// Splits the row at `at`; gives the start of the next one.
    fn read(&mut self, bytes: &[u8], mut at: usize, delimiter: u8) -> Result<usize, Fault> {
        self.fields.clear();
        self.unquoted.clear();
        loop {
            at = if bytes.get(at) == Some(&b'"') { self.quoted(bytes, at)? } else { self.plain(bytes, at, delimiter) };
            match bytes.get(at) {
                Some(byte) if *byte == delimiter => at += 1,
                Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => return Ok(at + 2),
                Some(b'\n') => return Ok(at + 1),
                None => return Ok(at),
                Some(b'\r') if at + 1 == bytes.len() => return Ok(at + 1),
                Some(_) => {
                    return Err(Fault::expected(
                        at,
                        "text after a closing quote",
                        &bytes[at..=at],
                        "the end of the field",
                    ));
                }
            }
        }
    }

    /// A field up to the next delimiter or line end.
    fn plain(&mut self, bytes: &[u8], at: usize, delimiter: u8) -> usize {
        let rest = &bytes[at..];
        let length = memchr::memchr2(delimiter, b'\n', rest).unwrap_or(rest.len());
        let end = at + length;
        // The carriage return of a line's end is not part of its last field.
        let trimmed = if bytes.get(end) != Some(&delimiter) && rest[..length].ends_with(b"\r") { end - 1 } else { end };
        self.fields.push(Field { start: at, end: trimmed, in_buffer: false, at });
        trimmed
    }

    /// A field in quotes; two quotes stand for one.
    fn quoted(&mut self, bytes: &[u8], at: usize) -> Result<usize, Fault> {
        let buffered = self.unquoted.len();
        let mut start = at + 1;
        loop {
            let rest = &bytes[start..];
            let quote = memchr::memchr(b'"', rest)
                .ok_or_else(|| Fault::new(at, "this quote is never closed; expected a `\"` at the end of the field"))?;
            self.unquoted.extend_from_slice(&rest[..quote]);
            start += quote + 1;
            if bytes.get(start) != Some(&b'"') {
                break;
            }
            self.unquoted.push(b'"');
            start += 1;
        }
        self.fields.push(Field { start: buffered, end: self.unquoted.len(), in_buffer: true, at });
        Ok(start)
    }
}

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
    let what = format!("label in the column `{}`", layout.schema.label.name);
    let (value, expected) = match &layout.schema.label.classes {
        Some([negative, positive]) => {
            let class = |name: &str, value: f32| (field == name.as_bytes()).then_some(value);
            (class(negative, -1.0).or(class(positive, 1.0)), format!("`{negative}` or `{positive}`"))
        }
        None => (number::parse_whole(field).filter(|value| value.is_finite()), "a finite number".to_owned()),
    };
    match value {
        None if needed => Err(Fault::expected(at, &what, field, &expected)),
        value => Ok(value),
    }
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
        assert_eq!(
            error("a,y\n1,a\n2,b\n3,c\n", "y"),
            "test: the label column `y` has more than two names: `a`, `b`, `c`, ...; expected numbers or two classes"
        );
        assert_eq!(error("a,a,y\n1,1,1\n", "y"), "test: the column `a` is there twice");
    }
}
