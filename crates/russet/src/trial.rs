//! Products on trial: picky rules let a product learn for an epoch before it has a say.

use crate::expansion::MOST_PRODUCTS;
use crate::expansion::adaptive::{Enumerator, Parents};
use crate::expansion::families::{Families, Features, Sealed};
use crate::select::{Candidate, Evidence, Select};
use crate::weights::{BaseFeatures, LANES, Place, Plain, Row, Scratch, Slot, WeightTable};

/// The products of the newest parents, each with a weight that learns from the model's errors but is not part of it.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    families: Families,
    pub(crate) table: WeightTable,
    limit: usize,
}

impl Trial {
    /// Nothing on trial. `limit`: how many products there may be.
    pub(crate) fn new(limit: usize) -> Trial {
        let mut table = WeightTable::with_limit(usize::MAX);
        Trial { families: Families::new(limit, true, &mut table), table, limit }
    }

    /// Learns from an example after the model has: `slope` is that of the loss, `rate` the learning rate. The parents on
    /// trial are those of epoch `newest`.
    pub(crate) fn learn(
        &mut self,
        (parents, newest): (&Parents, u32),
        base: &mut BaseFeatures,
        enumerator: &Enumerator,
        rule: &dyn Select,
        (importance, slope, rate): (f32, f32, f32),
    ) {
        let rows = self.rows(parents, newest, base, enumerator);
        // Each as if it alone were added to the model: a plain step along its own gradient.
        let (mut scratch, mut ignored) = (Scratch::default(), [0.0; LANES]);
        self.table.open(Plain, &rows, base, 0.0, &mut ignored, &mut scratch);
        let squared_slope = (importance * slope * slope).min(f32::MAX);
        self.table.measure(Plain, &rows, base, &[], squared_slope, &mut scratch);
        let step = if slope == 0.0 { 0.0 } else { (-rate * importance * slope).clamp(f32::MIN, f32::MAX) };
        self.table.close(Plain, &rows, base, step, &mut scratch);
        if rule.observes() {
            self.table.observe(&rows, base, importance, slope);
        }
    }

    /// A row for each parent on trial that is present, its products having places as far as there is room.
    fn rows(&mut self, parents: &Parents, newest: u32, base: &mut BaseFeatures, enumerator: &Enumerator) -> Vec<Row> {
        let (mut rows, mut sealed) = (Vec::new(), Sealed::default());
        let BaseFeatures { slots, values, listed, .. } = base;
        let features = Features { slots: &slots[1..], values: &values[1..] };
        // An example with very many features makes do with the first parents.
        let most = MOST_PRODUCTS / features.slots.len().max(1);
        let on_trial = enumerator.present.iter().filter(|(parent, _)| parents.get(*parent).epoch == newest);
        for &(parent, multiplier) in on_trial.take(most) {
            sealed.clear(features.slots.len());
            parents.get(parent).visit_sealed(&enumerator.factors, |position| sealed.add(position - 1));
            let (lookup, start) = (self.families.lookup(&self.table, enumerator.cpu), listed.len());
            lookup.aim(parent, features, &sealed, listed);
            let row = start..start + lookup.confirm(parent, start..listed.len(), start, listed);
            listed.truncate(row.end);
            self.families.admit(parent, row.clone(), listed, &mut self.table, |_, _| ());
            rows.push(Row { parent, ..Row::whole(Place::Listed, multiplier, row.start as u32, row.end as u32) });
        }
        rows
    }

    /// Ends the trial: the strongest products, at most `count`; all others are forgotten.
    pub(crate) fn settle(&mut self, parents: &Parents, rule: &dyn Select, count: usize) -> Vec<Candidate> {
        let mut choice = rule.choice(count);
        self.families.visit(&self.table, |parent, slot, place| {
            let weight = self.table.get(place);
            let index = self.table.moments(place).index();
            let strength = rule.strength(Evidence { weight: weight.weight.abs() * weight.scale, index });
            let degree = parents.get(parent).monomial.degree() + 1;
            choice.offer(Candidate { origin: Some(parent), slot, degree, strength });
        });
        *self = Trial::new(self.limit);
        choice.chosen()
    }

    /// Visits all products on trial, by parent and base slot: parent, base slot, place.
    pub(crate) fn visit_in_order(&self, visit: impl FnMut(u32, u32, usize)) {
        self.families.visit_in_order(&self.table, visit);
    }

    /// The place of a saved product; none if it cannot be on trial.
    pub(crate) fn restore_product(&mut self, parents: &Parents, parent: u32, slot: u32) -> Option<usize> {
        // Before anything is made for it.
        if parent as usize >= parents.len() || slot == 0 || !parents.owns(parent, slot) {
            return None;
        }
        let place = self.families.insert(parent, slot, &mut self.table)?;
        debug_assert!(self.table.get(place as usize) == Slot { key: slot, ..Slot::default() });
        Some(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::SelectKind;

    /// A fuzzer's model of 2 KB asked for 69 GB: families up to the parent's number were made before it was known that there is none.
    #[test]
    fn a_product_of_a_parent_that_is_not_there_takes_no_memory() {
        assert_eq!(Trial::new(1 << 10).restore_product(&Parents::default(), u32::MAX - 1, 1), None);
    }

    /// Two parents of one epoch, base slots 1 and 2; the label goes with slot 3 times slot 1.
    fn tried(kind: SelectKind, count: usize) -> Vec<(Option<u32>, u32)> {
        let mut parents = Parents::default();
        parents.add(None, 1, 1, 0.0);
        parents.add(None, 2, 1, 0.0);
        let (mut trial, mut enumerator, mut base) =
            (Trial::new(1 << 10), Enumerator::default(), BaseFeatures::default());
        for (slots, slope) in [([0, 1, 3], 2.0), ([0, 1, 4], 0.1), ([0, 2, 3], 0.2), ([0, 2, 4], -0.3)] {
            base.slots = slots.to_vec();
            base.values = vec![1.0; 3];
            base.listed.clear();
            enumerator.find(&parents, &mut base, 0);
            trial.learn((&parents, 1), &mut base, &enumerator, kind.rule(), (1.0, slope, 0.5));
        }
        let chosen = trial.settle(&parents, kind.rule(), count);
        assert!(trial.settle(&parents, kind.rule(), 9).is_empty(), "the trial goes on");
        chosen.iter().map(|candidate| (candidate.origin, candidate.slot)).collect()
    }

    #[test]
    fn only_the_strongest_products_pass() {
        assert_eq!(tried(SelectKind::PickySsm, 2), [(Some(0), 3), (Some(1), 4)]);
        assert_eq!(tried(SelectKind::PickyWeight, 1).len(), 1);
        // 0/1 features: no squares, so four products were on trial.
        assert_eq!(tried(SelectKind::PickyWeight, 9).len(), 4);
    }
}
