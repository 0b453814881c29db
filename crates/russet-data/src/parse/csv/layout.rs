//! Which field of a row is what.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use russet::feature::{FeatureId, Namespace};

use super::guess::Guess;
use super::record::{Record, visit_ends};
use crate::error::quoted;
use crate::parse::{Column, ColumnKind, Fault, Layout, Schema};
use crate::{DataError, ReadOptions};

/// What each field of a row of one file is.
#[derive(Clone, Debug)]
pub(crate) struct CsvLayout {
    pub(crate) schema: Arc<Schema>,
    pub(super) delimiter: u8,
    pub(super) roles: Vec<Role>,
}

#[derive(Clone, Debug)]
pub(super) enum Role {
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
    let mut met = HashSet::new();
    if let Some(twice) = header.iter().find(|column| !met.insert(column.as_str())) {
        return Err(DataError::file(name, format!("the column {} is there twice", quoted(twice.as_bytes()))));
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
    let columns: HashSet<&str> = header.iter().map(String::as_str).collect();
    let wanted = schema.columns.iter().map(|column| &column.name);
    // Predicting needs neither label nor weight, and a tag only where there is one.
    let special =
        options.labels.then_some(&schema.label.name).into_iter().chain(schema.weight.iter().filter(|_| options.labels));
    let wanted = wanted.chain(special);
    if let Some(missing) = wanted.into_iter().find(|column| !columns.contains(column.as_str())) {
        return Err(DataError::file(name, format!("there is no column `{missing}`, which the model was trained with")));
    }
    let mut known = HashMap::new();
    for column in &schema.columns {
        known.entry(column.name.as_str()).or_insert(column);
    }
    Ok(header.iter().map(|column| role(column, schema, &known)).collect())
}

fn role(column: &str, schema: &Schema, known: &HashMap<&str, &Column>) -> Role {
    if schema.label.name == column {
        return Role::Label;
    }
    if schema.weight.as_deref() == Some(column) {
        return Role::Weight;
    }
    if schema.tag.as_deref() == Some(column) {
        return Role::Tag;
    }
    match known.get(column).copied() {
        Some(Column { name, kind: ColumnKind::Number }) => {
            Role::Number { name: name.clone(), id: Namespace::ANONYMOUS.feature(name.as_bytes()) }
        }
        Some(Column { name, kind: ColumnKind::Category }) => {
            Role::Category { name: name.clone(), namespace: Namespace::new(name.as_bytes()) }
        }
        None => Role::Ignored,
    }
}

/// How many rows there are.
pub(crate) fn count(bytes: &[u8], layout: &CsvLayout) -> usize {
    let (mut start, mut rows) = (0, 0);
    visit_ends(bytes, layout.delimiter, |end| {
        rows += usize::from(!bytes[start..end].trim_ascii().is_empty());
        start = end;
    });
    rows + usize::from(!bytes[start..].trim_ascii().is_empty())
}
