//! All products `x_i x_j` with `i <= j`: for each `j` a row of its partners.

use super::triangle;
use crate::feature::mix;
use crate::weights::{BaseFeatures, Row, WeightTable};

/// The pair `(i <= j)` is at `j (j + 1) / 2 + i`.
pub(super) fn rows(base: &BaseFeatures, table: &WeightTable, seed: u64, rows: &mut Vec<Row>) {
    for position in 1..base.slots.len() {
        let slot = base.slots[position];
        let place = table.place(triangle(slot.into()), slot, || mix(seed ^ u64::from(slot)));
        rows.push(Row { place, multiplier: base.values[position], first: 1, end: position as u32 + 1 });
    }
}

pub(super) fn named_places(slot_count: usize, limit: usize) -> Vec<(usize, Vec<u32>)> {
    let whole_rows = (1..slot_count as u32).take_while(|last| triangle(u64::from(*last) + 1) <= limit as u64);
    whole_rows
        .flat_map(|last| {
            (1..=last).map(move |other| (triangle(last.into()) as usize + other as usize, vec![other, last]))
        })
        .collect()
}
