//! The parents present in an example, found by going over all of them: where there are few base features, faster than from
//! the roots down.

use super::blocks::Blocks;
use super::few::{Few, is_narrow};
use super::steps;
use crate::weights::{BaseFeatures, Row, Span, bounded};

/// A sweep is used for up to this many parents for each feature of the example: so its cost stays in proportion.
const PARENTS_A_FEATURE: usize = 8;

/// What a sweep reads of a parent, close together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swept {
    /// 1 + the parent that it is a product of; 0 for a base feature.
    pub(crate) origin: u32,
    /// The last factor.
    pub(crate) slot: u32,
    /// See [`super::adaptive::Parent::heritage`].
    pub(crate) heritage: f32,
}

/// Sweeps over parents, with buffers that are reused.
#[derive(Default)]
pub(crate) struct Sweep {
    /// The value of each parent at 1 + its number; before them the empty product's.
    values: Vec<f32>,
    /// The parents present, by ascending number; what is beyond their count is of no account.
    present: Vec<u32>,
    /// What the rows that were written last hang on, if all parents were present.
    settled: Option<Settled>,
    /// How many active features they stand for.
    active: usize,
}

/// What all of a row hangs on but its value. Where an example has most features, it is mostly the same as for the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settled {
    /// See [`super::adaptive::Parents::changes`].
    pub(crate) changes: u64,
    /// How many features the example has, and which.
    pub(crate) features: u32,
    pub(crate) slots: Few,
    pub(crate) blocks: Blocks,
}

/// What a sweep has found.
pub(crate) struct Found {
    /// How many rows there are.
    pub(crate) count: usize,
    /// Between which magnitudes their multipliers are, if there is one for each parent, in the order of their numbers.
    pub(crate) span: Option<Span>,
    /// How many active features they stand for.
    pub(crate) active: usize,
}

/// True if a sweep is the way to find the parents in an example with so many features.
#[inline]
pub(crate) fn suits(parents: usize, width: u32, features: usize) -> bool {
    is_narrow(width) && parents <= PARENTS_A_FEATURE * features
}

impl Sweep {
    /// Forgets which rows were written last: others have been.
    pub(crate) fn forget(&mut self) {
        self.settled = None;
    }

    /// As [`Sweep::find`], but only values are written where all the rest of the rows stays.
    #[inline(always)]
    pub(crate) fn find_settled(
        &mut self,
        settled: Settled,
        parents: &[Swept],
        base: &BaseFeatures,
        rows: &mut [Row],
        row: impl Fn(u32, f32, &Swept) -> Row,
    ) -> Found {
        if self.settled == Some(settled) {
            let span = self.renew(parents, base, rows);
            if !span.has_zero() {
                return Found { count: parents.len(), span: Some(span), active: self.active };
            }
        }
        let count = self.find(parents, base, settled.blocks.is_tiled(), rows, row);
        self.settled = (count == parents.len()).then_some(settled);
        self.active = rows[..count].iter().map(|row| row.active as usize).sum();
        Found { count, span: None, active: self.active }
    }

    /// Writes the values of all parents to their rows. If there is one of 0, the rows are of no use.
    #[inline(always)]
    fn renew(&mut self, parents: &[Swept], base: &BaseFeatures, rows: &mut [Row]) -> Span {
        steps::count(parents.len());
        self.values.resize(parents.len() + 1, 1.0);
        let (values, by_slot) = (&mut self.values[..], &base.by_slot[..]);
        let mut span = Span::default();
        for ((number, parent), row) in parents.iter().enumerate().zip(rows) {
            let value = value_of(parent, values, by_slot);
            values[number + 1] = value;
            row.multiplier = value;
            span.include(value);
        }
        span
    }

    /// Writes the rows of the parents present, and gives their number. The values of the example are in
    /// [`BaseFeatures::by_slot`]; there is room in `rows` for all parents; `row` makes a row of a parent's number and value.
    /// `dense`: most of them are present.
    #[inline(always)]
    fn find(
        &mut self,
        parents: &[Swept],
        base: &BaseFeatures,
        dense: bool,
        rows: &mut [Row],
        row: impl Fn(u32, f32, &Swept) -> Row,
    ) -> usize {
        steps::count(parents.len());
        self.values.resize(parents.len() + 1, 1.0);
        self.present.resize(parents.len() + 1, 0);
        // As slices of their own: what is written to one would have the others looked up again.
        let (values, present, by_slot) = (&mut self.values[..], &mut self.present[..], &base.by_slot[..]);
        let mut count = 0;
        // No branch on which parents are present: that is hard to foresee.
        if dense {
            for (number, parent) in parents.iter().enumerate() {
                let value = value_of(parent, values, by_slot);
                values[number + 1] = value;
                rows[count] = row(number as u32, value, parent);
                count += usize::from(value != 0.0);
            }
            return count;
        }
        for (number, parent) in parents.iter().enumerate() {
            let value = value_of(parent, values, by_slot);
            values[number + 1] = value;
            present[count] = number as u32;
            count += usize::from(value != 0.0);
        }
        for (place, number) in rows.iter_mut().zip(&present[..count]) {
            *place = row(*number, values[*number as usize + 1], &parents[*number as usize]);
        }
        count
    }
}

/// The value of a parent, that of its origin being known.
#[inline(always)]
fn value_of(parent: &Swept, values: &[f32], by_slot: &[f32]) -> f32 {
    // Finite, so that what is absent has the value 0 also where others have passed the range.
    bounded(values[parent.origin as usize] * by_slot[parent.slot as usize - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::adaptive::{Enumerator, Parents};
    use crate::expansion::few::WIDEST;
    use crate::weights::Place;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Parents of up to three factors; where one is there already, the next in turn.
    fn parents(dice: &[(u32, u32)]) -> Parents {
        let mut parents = Parents::default();
        for &(origin, slot) in dice {
            let origin = origin.checked_sub(1).map(|origin| origin % parents.len().max(1) as u32);
            match origin.filter(|_| parents.len() > 0) {
                Some(origin) if parents.get(origin).monomial.degree() > 2 || parents.is_offspring(origin, slot) => {}
                None if parents.is_root(slot) => {}
                origin => parents.add(origin, slot, 1, 0.0),
            }
        }
        parents
    }

    /// Puts another example in the place of one.
    fn fill(base: &mut BaseFeatures, slots: BTreeSet<u32>) {
        base.slots = std::iter::once(0).chain(slots).collect();
        base.values = base.slots.iter().map(|slot| 1.0 + *slot as f32 / 16.0).collect();
    }

    proptest! {
        #[test]
        fn finds_what_a_search_from_the_roots_finds(
            dice in prop::collection::vec((0u32..9, 1..WIDEST), 1..60),
            examples in prop::collection::vec(prop::collection::btree_set(1..WIDEST, 1..WIDEST as usize), 1..4),
            straight in 1..WIDEST,
        ) {
            let parents = parents(&dice);
            let (mut enumerator, mut sweep, mut base) =
                (Enumerator::default(), Sweep::default(), BaseFeatures::default());
            let empty = Row::whole(Place::Own(0), 0.0, 0, 0);
            let mut rows = vec![empty; parents.len()];
            // The last one twice, so that its rows stay.
            let last: BTreeSet<u32> = (1..=straight).collect();
            for slots in examples.into_iter().chain([last.clone(), last]) {
                fill(&mut base, slots);
                let slots = Few::of_base(&base);
                enumerator.find(&parents, &mut base, WIDEST as usize);
                let searched: BTreeMap<u32, f32> = enumerator.present.iter().copied().collect();
                let settled = Settled { changes: 0, features: 0, slots, blocks: Blocks::new(WIDEST, true) };
                let row = |parent, multiplier, _: &Swept| Row { parent, multiplier, ..empty };
                let found = sweep.find_settled(settled, parents.swept(), &base, &mut rows, row);
                let swept: BTreeMap<u32, f32> =
                    rows[..found.count].iter().map(|row| (row.parent, row.multiplier)).collect();
                prop_assert_eq!(swept, searched);
                for (parent, sealed) in (0..).zip(parents.few_sealed()) {
                    prop_assert_eq!(sealed.count_common(slots), parents.get(parent).count_sealed(&enumerator.factors));
                }
            }
        }
    }
}
