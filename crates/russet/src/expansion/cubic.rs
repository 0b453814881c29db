//! All products of two and three base features.
//!
//! With the constant as feature 0, a pair is a triple that contains it: `x_j x_k = 1 x_j x_k`. So all products
//! up to degree 3 are the triples `(i <= j <= k)` with `j >= 1`, a row for each pair `(j, k)`.

use super::{pyramid, triangle};
use crate::feature::mix;
use crate::weights::{BaseFeatures, Row, Rows, WeightTable, bounded};

/// The triple `(i <= j <= k)` is at `k (k + 1) (k + 2) / 6 + j (j + 1) / 2 + i`.
pub(super) fn rows(base: &BaseFeatures, table: &WeightTable, seed: u64, rows: &mut Rows) {
    for third in 1..base.slots.len() {
        let last = base.slots[third];
        for second in 1..=third {
            let middle = base.slots[second];
            let start = pyramid(last.into()).saturating_add(triangle(middle.into()));
            let place = table.place(start, middle, || mix(mix(seed ^ u64::from(last)) ^ u64::from(middle)));
            let multiplier = bounded(base.values[third] * base.values[second]);
            rows.push(Row::whole(place, multiplier, 0, second as u32 + 1));
        }
    }
}

/// The factors of each row.
pub(super) fn row_factors(base: &BaseFeatures) -> Vec<Vec<u32>> {
    let pairs = (1..base.slots.len()).flat_map(|third| (1..=third).map(move |second| (second, third)));
    pairs.map(|(second, third)| vec![base.slots[second], base.slots[third]]).collect()
}

pub(super) fn visit_places(slot_count: usize, limit: usize, visit: &mut dyn FnMut(usize, &[u32])) {
    for last in 1..slot_count as u32 {
        for middle in 1..=last {
            let start = pyramid(last.into()).saturating_add(triangle(middle.into()));
            if start.saturating_add(middle.into()) >= limit as u64 {
                return;
            }
            visit(start as usize, &[middle, last]);
            (1..=middle).for_each(|first| visit(start as usize + first as usize, &[first, middle, last]));
        }
    }
}
