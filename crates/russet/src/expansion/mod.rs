//! Which products of an example's base features are active, as rows of the products' table.
//!
//! Base features are sorted by slot, the constant (slot 0, value 1) first. Slots are small whole numbers given
//! out in order, so a product of known features has a place of its own that can be computed: no hashing, no
//! collision, and a table that grows at its end when a new feature appears. Only where such places would pass the
//! table's limit are they hashed.

pub(crate) mod adaptive;
pub(crate) mod blocks;
mod cubic;
pub(crate) mod dense;
pub(crate) mod families;
pub(crate) mod few;
mod ngram;
mod quadratic;
pub(crate) mod steps;
pub(crate) mod sweep;

use crate::settings::{ExpansionKind, Settings};
use crate::weights::{BaseFeatures, Row, Rows, WeightTable};

pub(crate) use ngram::{Grams, Incoming};

/// The row of the base features themselves, in the table of base weights.
pub(crate) fn linear(base: &BaseFeatures) -> Row {
    let end = base.slots.len() as u32;
    Row::whole(crate::weights::Place::Own(0), 1.0, 0, end)
}

/// No example has more products: what an example needs for each while it is learned from, some 32 bytes, has to fit in memory.
pub(crate) const MOST_PRODUCTS: usize = 1 << 25;

/// Writes the rows of the example's products, as the loops over `table` want them.
#[inline(always)]
pub(crate) fn products(
    settings: &Settings,
    base: &mut BaseFeatures,
    slot_count: usize,
    table: &WeightTable,
    rows: &mut Rows,
) {
    if settings.expansion == ExpansionKind::Linear {
        rows.clear();
    } else if table.is_tiled() {
        rows.clear();
        rows.push(dense::row(settings.expansion, base, slot_count));
    } else {
        rows_by_factor(settings.expansion, base, table, settings.seed, rows);
    }
}

/// Writes the rows of the example's products that [`row_factors`] tells the factors of.
pub(crate) fn rows_by_factor(
    kind: ExpansionKind,
    base: &BaseFeatures,
    table: &WeightTable,
    seed: u64,
    rows: &mut Rows,
) {
    rows.clear();
    match kind {
        ExpansionKind::Linear | ExpansionKind::Apple => {}
        ExpansionKind::Quadratic => quadratic::rows(base, table, seed, rows),
        ExpansionKind::Cubic => cubic::rows(base, table, seed, rows),
    }
}

/// The base slots whose product is the monomial of each row that [`rows_by_factor`] writes.
pub(crate) fn row_factors(kind: ExpansionKind, base: &BaseFeatures) -> Vec<Vec<u32>> {
    match kind {
        ExpansionKind::Linear | ExpansionKind::Apple => Vec::new(),
        ExpansionKind::Quadratic => quadratic::row_factors(base),
        ExpansionKind::Cubic => cubic::row_factors(base),
    }
}

/// How many slots the products of base slots below `slot_count` need, if none is shared.
pub(crate) fn slots_needed(kind: ExpansionKind, slot_count: usize) -> u64 {
    match kind {
        ExpansionKind::Linear | ExpansionKind::Apple => 0,
        ExpansionKind::Quadratic => triangle(slot_count as u64),
        ExpansionKind::Cubic => pyramid(slot_count as u64),
    }
}

/// Visits every product that has a place of its own below `limit`: its place and the base slots it multiplies, the
/// places ascending.
pub(crate) fn visit_places(kind: ExpansionKind, slot_count: usize, limit: usize, visit: &mut dyn FnMut(usize, &[u32])) {
    match kind {
        ExpansionKind::Linear | ExpansionKind::Apple => {}
        ExpansionKind::Quadratic => quadratic::visit_places(slot_count, limit, visit),
        ExpansionKind::Cubic => cubic::visit_places(slot_count, limit, visit),
    }
}

/// `n (n + 1) / 2`: how many pairs `(i <= j)` have `j < n`.
fn triangle(n: u64) -> u64 {
    n * (n + 1) / 2
}

/// `n (n + 1) (n + 2) / 6`: how many triples `(i <= j <= k)` have `k < n`; at most what fits in 64 bits.
fn pyramid(n: u64) -> u64 {
    u64::try_from(u128::from(n) * u128::from(n + 1) * u128::from(n + 2) / 6).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn base(slots: &[u32]) -> BaseFeatures {
        let values = slots.iter().map(|slot| if *slot == 0 { 1.0 } else { *slot as f32 + 0.5 }).collect();
        BaseFeatures { slots: slots.to_vec(), values, ..BaseFeatures::default() }
    }

    /// Active products, by place.
    fn active(kind: ExpansionKind, base: &BaseFeatures) -> BTreeMap<usize, f32> {
        let table = WeightTable::new(24);
        let mut rows = Rows::default();
        rows_by_factor(kind, base, &table, 0, &mut rows);
        let mut found = BTreeMap::new();
        for row in rows.iter() {
            for (position, value) in row.values(base).iter().enumerate() {
                let place = row.place(base, position, 0);
                let again = found.insert(place, row.multiplier * value);
                assert_eq!(again, None, "place {place} is active twice");
            }
        }
        found
    }

    /// The same, by the factors of the rows.
    fn monomials(kind: ExpansionKind, base: &BaseFeatures) -> BTreeSet<Vec<u32>> {
        let (table, mut rows, mut found) = (WeightTable::new(24), Rows::default(), BTreeSet::new());
        rows_by_factor(kind, base, &table, 0, &mut rows);
        let factors = row_factors(kind, base);
        assert_eq!(rows.len(), factors.len());
        for (row, factors) in rows.iter().zip(factors) {
            for position in 0..row.len() {
                let slots = factors.iter().copied().chain([row.slot(base, position)]);
                let mut product: Vec<u32> = slots.filter(|slot| *slot != 0).collect();
                product.sort_unstable();
                assert!(found.insert(product));
            }
        }
        found
    }

    /// All products of 2 to `degree` base features, by brute force.
    fn brute_force(base: &BaseFeatures, degree: u32) -> BTreeMap<Vec<u32>, f32> {
        let features: Vec<_> = base.slots.iter().zip(&base.values).filter(|(slot, _)| **slot != 0).collect();
        let mut all: BTreeMap<Vec<u32>, f32> = BTreeMap::from([(vec![], 1.0)]);
        for _ in 0..degree {
            for (product, value) in all.clone() {
                for (slot, factor) in &features {
                    let mut longer = product.clone();
                    longer.push(**slot);
                    longer.sort_unstable();
                    all.insert(longer, value * **factor);
                }
            }
        }
        all.into_iter().filter(|(product, _)| (2..=degree as usize).contains(&product.len())).collect()
    }

    #[test]
    fn cubic_places_beyond_64_bits_are_shared() {
        // Found as a segmentation fault: the place of this triple wrapped around to a small number.
        let table = WeightTable::new(23);
        let mut rows = Rows::default();
        rows_by_factor(ExpansionKind::Cubic, &base(&[0, 2_188_723, 7_959_589]), &table, 0, &mut rows);
        assert!(rows.iter().all(|row| matches!(row.place, crate::weights::Place::Shared(_))));
    }

    proptest! {
        #[test]
        fn active_products_are_the_brute_force_set(picked in prop::collection::btree_set(1u32..12, 0..7)) {
            let mut slots = vec![0];
            slots.extend(picked);
            let base = base(&slots);
            for kind in [ExpansionKind::Quadratic, ExpansionKind::Cubic] {
                prop_assert_eq!(monomials(kind, &base), brute_force(&base, kind.degree()).into_keys().collect());
                let found = active(kind, &base);
                let expected = brute_force(&base, kind.degree());
                let mut names = BTreeMap::new();
                visit_places(kind, 12, 1 << 24, &mut |place, product| {
                    assert_eq!(names.insert(place, product.to_vec()), None);
                });
                prop_assert_eq!(found.len(), expected.len());
                for (place, value) in found {
                    let wanted = expected[&names[&place]];
                    prop_assert!((value - wanted).abs() <= wanted.abs() * 1e-5);
                    prop_assert!((place as u64) < slots_needed(kind, 12));
                }
            }
        }
    }
}
