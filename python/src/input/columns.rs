//! Frames: named columns of numbers and names. A number is a feature called as its column, a name a feature
//! `column=name`, exactly as in a CSV file.

use std::ops::Range;

use russet::batch::Dictionary;
use russet::feature::{FeatureId, Namespace};

use super::view::{Field, View};
use super::{Labels, Target, not_finite};
use crate::errors::Error;

/// A column with its name.
pub(crate) struct Column<'a> {
    pub(crate) name: String,
    pub(crate) view: View<'a>,
}

/// What a column's fields become.
pub(crate) enum Role {
    Ignored,
    Number { id: FeatureId },
    Category { namespace: Namespace },
}

/// A frame, with the role of each column.
pub(crate) struct Columns<'a> {
    pub(crate) columns: Vec<Column<'a>>,
    roles: Vec<Role>,
    rows: usize,
}

/// What a reader of columns has found out so far.
#[derive(Default)]
pub(super) struct Known {
    /// For each column of numbers its number in the dictionary; for each column of categories those of the categories.
    codes: Vec<Vec<u32>>,
    cells: Vec<(u32, f32)>,
}

/// Not asked for yet.
const UNKNOWN: u32 = u32::MAX;
/// Asked for, and it says that nothing is known.
const ABSENT: u32 = u32::MAX - 1;

impl<'a> Columns<'a> {
    pub(crate) fn new(columns: Vec<Column<'a>>, roles: Vec<Role>) -> Result<Columns<'a>, Error> {
        let rows = columns.first().map_or(0, |column| column.view.len());
        if let Some(odd) = columns.iter().find(|column| column.view.len() != rows) {
            let (name, found) = (&odd.name, odd.view.len());
            return Err(Error::data(format!("the column `{name}` has {found} rows, but the first has {rows}")));
        }
        Ok(Columns { columns, roles, rows })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn width(&self) -> usize {
        self.roles.iter().filter(|role| !matches!(role, Role::Ignored)).count()
    }

    pub(super) fn fill(
        &self,
        rows: Range<usize>,
        labels: &Labels<'_>,
        target: &mut Target<'_>,
        known: &mut Known,
    ) -> Result<(), Error> {
        let width = self.columns.len();
        known.codes.resize_with(width, Vec::new);
        let mut cells = std::mem::take(&mut known.cells);
        cells.clear();
        cells.resize(rows.len() * width, (0, 0.0));
        for (place, role) in self.roles.iter().enumerate() {
            let codes = &mut known.codes[place];
            let mut put = |offset: usize, cell: (u32, f32)| cells[offset * width + place] = cell;
            match role {
                Role::Ignored => {}
                Role::Number { id } => self.numbers(place, *id, rows.clone(), target, codes, &mut put)?,
                Role::Category { namespace } => {
                    self.categories(place, *namespace, rows.clone(), target, codes, &mut put);
                }
            }
        }
        for (row, cells) in rows.zip(cells.chunks_exact(width.max(1))) {
            cells.iter().filter(|(_, value)| *value != 0.0).for_each(|(code, value)| target.batch.push(*code, *value));
            target.batch.end_namespace();
            target.batch.end_example(labels.of(row), b"", row as u64 + 2);
        }
        known.cells = cells;
        Ok(())
    }

    fn numbers(
        &self,
        place: usize,
        id: FeatureId,
        rows: Range<usize>,
        target: &mut Target<'_>,
        codes: &mut Vec<u32>,
        put: &mut impl FnMut(usize, (u32, f32)),
    ) -> Result<(), Error> {
        let column = &self.columns[place];
        codes.resize(1, UNKNOWN);
        let code = cached(&mut codes[0], || {
            target.dictionary.index(target.batch, id, |names| names.push(column.name.as_bytes()))
        });
        let (mut offset, mut problem, start) = (0, None, rows.start);
        column.view.visit(rows, |field| {
            if let Field::Number(number) = field {
                let value = number.single();
                if value.is_infinite() {
                    problem.get_or_insert_with(|| {
                        not_finite(start + offset, &format!("`{}`", column.name), number.double())
                    });
                } else if !value.is_nan() {
                    put(offset, (code, value));
                }
            }
            offset += 1;
        });
        problem.map_or(Ok(()), Err)
    }

    fn categories(
        &self,
        place: usize,
        namespace: Namespace,
        rows: Range<usize>,
        target: &mut Target<'_>,
        codes: &mut Vec<u32>,
        put: &mut impl FnMut(usize, (u32, f32)),
    ) {
        let column = &self.columns[place];
        let mut offset = 0;
        column.view.visit(rows, |field| {
            let code = match field {
                // Most have come before.
                Field::Category(number, _) if codes.get(number as usize).is_some_and(|code| *code != UNKNOWN) => {
                    codes[number as usize]
                }
                Field::Category(number, _) => {
                    codes.resize(codes.len().max(number as usize + 1), UNKNOWN);
                    cached(&mut codes[number as usize], || code_of(column, namespace, field, target))
                }
                other => code_of(column, namespace, other, target),
            };
            if code != ABSENT {
                put(offset, (code, 1.0));
            }
            offset += 1;
        });
    }
}

/// The code of the feature that a field names; [`ABSENT`] if it says that nothing is known.
fn code_of(column: &Column<'_>, namespace: Namespace, field: Field<'_>, target: &mut Target<'_>) -> u32 {
    let Some(text) = field.text() else { return ABSENT };
    target.dictionary.index(target.batch, namespace.verbatim(text.as_bytes()), |names| {
        names.push_parts(&[column.name.as_bytes(), b"=", text.as_bytes()]);
    })
}

/// The code that was found before, or finds it; what holds for one batch only is not kept.
#[inline]
fn cached(known: &mut u32, find: impl FnOnce() -> u32) -> u32 {
    if *known != UNKNOWN {
        return *known;
    }
    let code = find();
    if (code as usize) < Dictionary::LIMIT || code == ABSENT {
        *known = code;
    }
    code
}
