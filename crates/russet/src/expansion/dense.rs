//! All products of data where examples have most of the features: their values in the order of their places, so that the
//! loops run straight over the whole table. Products of features that an example does not have are 0.

use super::{pyramid, triangle};
use crate::settings::ExpansionKind;
use crate::weights::{BaseFeatures, Place, Row, Span, TILE, bounded, write_products};

/// An example has at least this share of the base features, on average. At 3/4 half of all products of two are not 0,
/// and straight loops take a third of the time of others.
const SHARE: f64 = 0.75;
/// With more features the learner may know those of later examples, and could not tell how many there are up to this one.
const MOST_SLOTS: usize = 1 << 11;

/// True if the products are better kept in tiles, one after the other. `average`: how many base features examples have.
pub(crate) fn suits(kind: ExpansionKind, average: f64, slot_count: usize, limit: usize) -> bool {
    is_possible(kind, slot_count, limit) && average >= SHARE * (slot_count as f64 - 1.0)
}

/// True if the products can be kept in tiles: it is a fixed expansion, none share a weight, and an example can have all of them.
pub(crate) fn is_possible(kind: ExpansionKind, slot_count: usize, limit: usize) -> bool {
    let fixed = matches!(kind, ExpansionKind::Quadratic | ExpansionKind::Cubic);
    let needed = super::slots_needed(kind, slot_count);
    fixed && (2..=MOST_SLOTS).contains(&slot_count) && needed <= limit.min(super::MOST_PRODUCTS) as u64
}

/// The row of all products. Their values are written to [`BaseFeatures::by_slot`], behind those of the features.
#[inline(always)]
pub(super) fn row(kind: ExpansionKind, base: &mut BaseFeatures, slot_count: usize) -> Row {
    let (first, length) = (slot_count.next_multiple_of(TILE), super::slots_needed(kind, slot_count) as usize);
    let end = first + length.next_multiple_of(TILE);
    spread(kind, base, first, end);
    let in_range = Span::of(base).has_products_in_range(kind.degree());
    let (factors, values) = base.by_slot.split_at_mut(first);
    // Two loops, each without a question.
    if in_range {
        write::<true>(kind, &factors[..slot_count], factors.as_chunks().0, values);
    } else {
        write::<false>(kind, &factors[..slot_count], factors.as_chunks().0, values);
    }
    // What the last ones have written too much.
    values[length..end - first].fill(0.0);
    let features = base.slots.len() as u64 - 1;
    let triples = if kind == ExpansionKind::Cubic { pyramid(features) } else { 0 };
    let active = (triangle(features) + triples) as u32;
    Row { active, ..Row::whole(Place::Tiles(0), 1.0, first as u32, end as u32) }
}

/// Writes the value of each base slot, with room for the products behind them, which are written in whole tiles.
#[inline(always)]
fn spread(kind: ExpansionKind, base: &mut BaseFeatures, first: usize, end: usize) {
    base.by_slot.resize(end + TILE, 0.0);
    base.by_slot[..first].fill(0.0);
    for (slot, value) in base.slots.iter().zip(&base.values) {
        base.by_slot[*slot as usize] = *value;
    }
    // A pair with the constant is no product, but a triple with it is one of two features.
    base.by_slot[0] = if kind == ExpansionKind::Quadratic { 0.0 } else { 1.0 };
}

/// Writes all products in the order of their places. `tiles`: the factors once more, filled up with zeros.
#[inline(always)]
fn write<const IN_RANGE: bool>(kind: ExpansionKind, factors: &[f32], tiles: &[[f32; TILE]], values: &mut [f32]) {
    if kind == ExpansionKind::Quadratic {
        write_rows::<IN_RANGE>(1.0, factors, tiles, values);
        return;
    }
    let mut start = 0;
    for (last, factor) in factors.iter().enumerate() {
        write_rows::<IN_RANGE>(*factor, &factors[..=last], tiles, &mut values[start..]);
        // With the constant in the middle it is no product.
        values[start] = 0.0;
        start += triangle(last as u64 + 1) as usize;
    }
}

/// Writes `common` times each pair of factors: the pair `(i <= j)` to `j (j + 1) / 2 + i`. More is written of each row, for the next to write over.
#[inline(always)]
fn write_rows<const IN_RANGE: bool>(common: f32, factors: &[f32], tiles: &[[f32; TILE]], values: &mut [f32]) {
    let mut rest = values;
    for (middle, factor) in factors.iter().enumerate() {
        let multiplier = bounded(common * *factor);
        write_products::<IN_RANGE>(&tiles[..=middle / TILE], multiplier, rest);
        rest = &mut rest[middle + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows_by_factor;
    use super::*;
    use crate::weights::{Rows, WeightTable};
    use proptest::prelude::*;

    proptest! {
        /// Every product has the value, to the bit, that its row by factor gives it, and all else is 0.
        #[test]
        fn values_are_those_of_the_rows_by_factor(
            features in prop::collection::btree_map(1u32..20, -3f32..3.0, 0..20),
            scale in prop::sample::select(vec![1.0f32, 1e-18, 1e18]),
            cubic in any::<bool>(),
        ) {
            let kind = if cubic { ExpansionKind::Cubic } else { ExpansionKind::Quadratic };
            let mut base = BaseFeatures { slots: vec![0], values: vec![1.0], ..BaseFeatures::default() };
            base.slots.extend(features.keys());
            base.values.extend(features.values().map(|value| value * scale));
            // What an earlier example may have left.
            base.by_slot = vec![7.0; 3_000];
            let (table, mut rows) = (WeightTable::new(24), Rows::default());
            rows_by_factor(kind, &base, &table, 0, &mut rows);
            let mut expected = vec![0.0f32; super::super::slots_needed(kind, 20) as usize];
            for by_factor in rows.iter() {
                for position in 0..by_factor.len() {
                    expected[by_factor.place(&base, position, 0)] = by_factor.value(&base, position);
                }
            }
            let row = row(kind, &mut base, 20);
            prop_assert_eq!(row.active as usize, rows.iter().map(Row::len).sum::<usize>());
            expected.resize(row.len(), 0.0);
            let is_same = |(one, other): (&f32, &f32)| one.to_bits() == other.to_bits() || *one == 0.0 && *other == 0.0;
            prop_assert!(row.values(&base).iter().zip(&expected).all(is_same));
        }
    }

    #[test]
    fn data_with_most_features_in_every_example_suits() {
        let suits = |kind, average| suits(kind, average, 31, 1 << 18);
        assert!(suits(ExpansionKind::Quadratic, 30.0) && suits(ExpansionKind::Cubic, 23.0));
        assert!(!suits(ExpansionKind::Quadratic, 20.0) && !suits(ExpansionKind::Linear, 30.0));
        assert!(!is_possible(ExpansionKind::Cubic, 200, 1 << 18), "more products than weights");
        assert!(!is_possible(ExpansionKind::Cubic, 1000, 1 << 30), "more products than an example can have");
        assert!(!is_possible(ExpansionKind::Quadratic, 1, 1 << 18), "no features yet");
    }
}
