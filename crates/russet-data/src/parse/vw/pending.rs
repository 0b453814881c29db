use russet::batch::{Batch, Ending};

use super::names::Found;

/// Lines that are on their way to the batch.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) codes: Vec<u32>,
    pub(super) values: Vec<f32>,
    /// How many features the lines have; what is behind them is void.
    pub(super) complete: usize,
    pub(super) lines: Vec<Ending>,
    /// What was found in the line that is being read, if its features have names.
    pub(super) found: Found,
}

impl Pending {
    /// Makes room for the features of a block with so many marks.
    pub(super) fn make_room(&mut self, marks: usize) {
        // Each feature has a mark at its end; one is written that may not count.
        if self.codes.len() < marks + 1 {
            self.codes.resize(marks + 1, 0);
            self.values.resize(marks + 1, 0.0);
        }
    }

    /// Gives the batch all lines that were read.
    pub(super) fn hand_over(&mut self, batch: &mut Batch) {
        batch.push_by(|codes, values| {
            codes.extend_from_slice(&self.codes[..self.complete]);
            values.extend_from_slice(&self.values[..self.complete]);
            Some(())
        });
        batch.end_examples(self.lines.drain(..));
        self.complete = 0;
    }
}
