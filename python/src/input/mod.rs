//! Data as Python holds it, turned into batches a block of rows at a time. Arrays and Arrow buffers are looked at where they
//! are; only the current batches are copies.

mod columns;
mod dense;
mod extract;
mod reader;
mod roles;
mod sparse;
mod view;

use columns::Columns;
pub(crate) use extract::Held;
pub(crate) use reader::{Batches, Reader};
pub(crate) use roles::{Plan, plan_for_model, plan_for_training};

use russet::batch::{Batch, Dictionary, Label};

use crate::errors::Error;
use dense::Dense;
use sparse::Sparse;

/// The rows of one input, wherever they lie.
pub(crate) enum Table<'a> {
    Dense32(Dense<'a, f32>),
    Dense64(Dense<'a, f64>),
    Sparse(Sparse<'a>),
    Columns(Columns<'a>),
}

/// The label and weight of each row, if they are known.
#[derive(Clone, Copy, Default)]
pub(crate) struct Labels<'a> {
    pub(crate) values: Option<&'a [f32]>,
    pub(crate) weights: Option<&'a [f32]>,
}

impl Labels<'_> {
    fn of(&self, row: usize) -> Label {
        let value = self.values.map(|values| values[row]);
        Label { value, importance: self.weights.map_or(1.0, |weights| weights[row]), base: 0.0 }
    }

    /// There has to be one for every row.
    pub(crate) fn check(&self, rows: usize) -> Result<(), Error> {
        for (what, found) in [("labels", self.values), ("weights", self.weights)] {
            if let Some(found) = found.filter(|found| found.len() != rows) {
                let found = found.len();
                return Err(Error::data(format!("there are {found} {what} for {rows} rows; expected one for each")));
            }
        }
        Ok(())
    }
}

impl Table<'_> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Table::Dense32(dense) => dense.rows(),
            Table::Dense64(dense) => dense.rows(),
            Table::Sparse(sparse) => sparse.rows(),
            Table::Columns(columns) => columns.rows(),
        }
    }

    /// How many features a row has, about.
    fn width(&self) -> usize {
        match self {
            Table::Dense32(dense) => dense.width(),
            Table::Dense64(dense) => dense.width(),
            Table::Sparse(sparse) => sparse.width(),
            Table::Columns(columns) => columns.width(),
        }
    }

    /// The line that row 0 would be on in a file: a table has its header before it.
    pub(crate) fn first_line(&self) -> u64 {
        if matches!(self, Table::Columns(_)) { 2 } else { 1 }
    }
}

/// A feature's value that is no number a model can learn from.
fn not_finite(row: usize, column: &str, value: f64) -> Error {
    Error::data(format!(
        "row {row}, column {column} is {value:?}; expected a finite number within single precision (NaN for a missing one)"
    ))
}

/// Where a reader puts rows.
struct Target<'b> {
    batch: &'b mut Batch,
    dictionary: &'b mut Dictionary,
}
