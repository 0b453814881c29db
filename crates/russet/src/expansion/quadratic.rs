//! All products `x_i x_j` with `i <= j`: for each `j` a row of its partners.

use super::triangle;
use crate::feature::mix;
use crate::weights::{BaseFeatures, Row, Rows, WeightTable};

/// The pair `(i <= j)` is at `j (j + 1) / 2 + i`.
pub(super) fn rows(base: &BaseFeatures, table: &WeightTable, seed: u64, rows: &mut Rows) {
    for position in 1..base.slots.len() {
        let slot = base.slots[position];
        let place = table.place(triangle(slot.into()), slot, || mix(seed ^ u64::from(slot)));
        rows.push(Row::whole(place, base.values[position], 1, position as u32 + 1));
    }
}

/// The factor of each row.
pub(super) fn row_factors(base: &BaseFeatures) -> Vec<Vec<u32>> {
    base.slots[1..].iter().map(|slot| vec![*slot]).collect()
}

pub(super) fn visit_places(slot_count: usize, limit: usize, visit: &mut dyn FnMut(usize, &[u32])) {
    for last in 1..slot_count as u32 {
        let start = triangle(last.into());
        if start + u64::from(last) >= limit as u64 {
            return;
        }
        (1..=last).for_each(|other| visit(start as usize + other as usize, &[other, last]));
    }
}
