//! Two-dimensional arrays, in whatever order they lie in memory.

use std::ops::Range;

use numpy::ndarray::ArrayView2;
use russet::batch::Code;

use super::{Labels, Target, not_finite};
use crate::errors::Error;

/// A number of an array.
pub(crate) trait Element: Copy + Send + Sync {
    /// In single precision; infinite where that has no room for it.
    fn single(self) -> f32;
    fn double(self) -> f64;
}

impl Element for f32 {
    #[inline(always)]
    fn single(self) -> f32 {
        self
    }

    fn double(self) -> f64 {
        self.into()
    }
}

impl Element for f64 {
    #[inline(always)]
    fn single(self) -> f32 {
        self as f32
    }

    fn double(self) -> f64 {
        self
    }
}

/// An array of numbers: each column is the feature called by its number.
pub(crate) struct Dense<'a, T> {
    view: ArrayView2<'a, T>,
}

/// Rows that are copied together where columns, not rows, lie together in memory.
const TOGETHER: usize = 64;

impl<'a, T: Element> Dense<'a, T> {
    pub(crate) fn new(view: ArrayView2<'a, T>) -> Result<Dense<'a, T>, Error> {
        if view.ncols() > Code::NUMBERS as usize {
            return Err(Error::data(format!(
                "the array has {} columns; expected {} at most (wider data can be sparse)",
                view.ncols(),
                Code::NUMBERS
            )));
        }
        Ok(Dense { view })
    }

    pub(crate) fn rows(&self) -> usize {
        self.view.nrows()
    }

    pub(crate) fn width(&self) -> usize {
        self.view.ncols()
    }

    pub(super) fn fill(&self, rows: Range<usize>, labels: &Labels<'_>, target: &mut Target<'_>) -> Result<(), Error> {
        if self.view.strides()[1] == 1 {
            for row in rows {
                let values = self.view.row(row).to_slice().unwrap_or_default();
                push_row(values, row, labels, target)?;
            }
            return Ok(());
        }
        let width = self.width();
        let mut block = Vec::new();
        for start in rows.clone().step_by(TOGETHER) {
            let part = start..rows.end.min(start + TOGETHER);
            self.gather(part.clone(), &mut block);
            for (row, values) in part.zip(block.chunks_exact(width.max(1))) {
                push_row(values, row, labels, target)?;
            }
        }
        Ok(())
    }

    /// Copies rows into `block`, one after the other, column by column.
    fn gather(&self, rows: Range<usize>, block: &mut Vec<T>) {
        let width = self.width();
        let Some(&any) = self.view.first() else { return };
        block.clear();
        block.resize(rows.len() * width, any);
        for (place, column) in self.view.columns().into_iter().enumerate() {
            for (offset, row) in rows.clone().enumerate() {
                block[offset * width + place] = column[row];
            }
        }
    }
}

/// Adds an example with a feature for each value that is neither 0 nor missing.
#[inline]
fn push_row<T: Element>(values: &[T], row: usize, labels: &Labels<'_>, target: &mut Target<'_>) -> Result<(), Error> {
    let batch = &mut *target.batch;
    let (mut present, mut finite) = (0, true);
    for value in values {
        let value = value.single();
        present += usize::from(value != 0.0 && !value.is_nan());
        finite &= !value.is_infinite();
    }
    if !finite {
        let place = values.iter().position(|value| value.single().is_infinite()).unwrap_or(0);
        return Err(not_finite(row, &place.to_string(), values[place].double()));
    }
    let mut features = (Code::NUMBERED..).zip(values.iter().map(|value| value.single()));
    if present == values.len() {
        batch.push_many(present, || features.next());
    } else {
        let mut there = features.filter(|(_, value)| *value != 0.0 && !value.is_nan());
        batch.push_many(present, || there.next());
    }
    batch.end_namespace();
    batch.end_example(labels.of(row), b"", row as u64 + 1);
    Ok(())
}
