//! Sparse matrices in rows (CSR), as scipy has them.

use std::ops::Range;

use russet::batch::Code;
use russet::feature::Namespace;

use super::{Labels, Target, not_finite};
use crate::errors::Error;

/// Places in a matrix: scipy takes the smaller kind where it suffices.
#[derive(Clone, Copy)]
pub(crate) enum Places<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
}

/// The values of a matrix.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl Places<'_> {
    #[inline(always)]
    fn at(self, place: usize) -> i64 {
        match self {
            Places::Small(places) => places[place].into(),
            Places::Large(places) => places[place],
        }
    }

    fn len(self) -> usize {
        match self {
            Places::Small(places) => places.len(),
            Places::Large(places) => places.len(),
        }
    }
}

impl Values<'_> {
    #[inline(always)]
    fn at(self, place: usize) -> f64 {
        match self {
            Values::Single(values) => values[place].into(),
            Values::Double(values) => values[place],
        }
    }

    fn len(self) -> usize {
        match self {
            Values::Single(values) => values.len(),
            Values::Double(values) => values.len(),
        }
    }
}

/// A sparse matrix: each column is the feature called by its number.
pub(crate) struct Sparse<'a> {
    starts: Places<'a>,
    columns: Places<'a>,
    values: Values<'a>,
}

impl<'a> Sparse<'a> {
    /// Checks that every row lies within the matrix.
    pub(crate) fn new(starts: Places<'a>, columns: Places<'a>, values: Values<'a>) -> Result<Sparse<'a>, Error> {
        let broken = || Error::data("the sparse matrix is broken: its rows do not lie one after the other");
        let rows = starts.len().checked_sub(1).ok_or_else(broken)?;
        let ascending = (0..rows).all(|row| starts.at(row) <= starts.at(row + 1));
        let stored = columns.len().min(values.len()) as i64;
        if !ascending || starts.at(0) < 0 || starts.at(rows) > stored {
            return Err(broken());
        }
        Ok(Sparse { starts, columns, values })
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn width(&self) -> usize {
        self.values.len() / self.rows().max(1)
    }

    pub(super) fn fill(&self, rows: Range<usize>, labels: &Labels<'_>, target: &mut Target<'_>) -> Result<(), Error> {
        for row in rows {
            for place in self.starts.at(row) as usize..self.starts.at(row + 1) as usize {
                self.push(row, place, target)?;
            }
            target.batch.end_namespace();
            target.batch.end_example(labels.of(row), b"", row as u64 + 1);
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&self, row: usize, place: usize, target: &mut Target<'_>) -> Result<(), Error> {
        let (column, value) = (self.columns.at(place), self.values.at(place) as f32);
        if value == 0.0 || value.is_nan() {
            return Ok(());
        }
        if value.is_infinite() {
            return Err(not_finite(row, &column.to_string(), self.values.at(place)));
        }
        match u32::try_from(column) {
            Ok(number) if number < Code::NUMBERS => target.batch.push_number(number, value),
            _ if column < 0 => return Err(Error::data(format!("row {row} of the sparse matrix has column {column}"))),
            _ => {
                let id = Namespace::ANONYMOUS.numbered(column as u64);
                let name = column.to_string();
                let index = target.dictionary.index(target.batch, id, |names| names.push(name.as_bytes()));
                target.batch.push(index, value);
            }
        }
        Ok(())
    }
}
