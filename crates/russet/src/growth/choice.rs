//! Which monomials become parents when the feature set grows.

use super::{Growth, Storage};
use crate::select::{Candidate, Choice, Evidence};
use crate::step::Shrinkage;
use crate::weights::{Moments, Slot, WeightTable};

impl Growth {
    /// Chooses at most `count` monomials to become parents; with a picky rule, first which products enter the feature set.
    pub(crate) fn choose(
        &mut self,
        count: usize,
        linear: &WeightTable,
        table: &mut WeightTable,
        shrinkage: &Shrinkage,
    ) -> Vec<Candidate> {
        let mut choice = self.rule.choice(count);
        for passed in self.settle_trial(count, table) {
            choice.offer(passed);
        }
        self.offer_candidates(linear, table, shrinkage, &mut *choice);
        // What would be on trial when the course ends would never pass.
        let last = self.schedule.next_growth(self.grown + 1).is_none();
        if self.trial.is_some() && last { Vec::new() } else { choice.chosen() }
    }

    /// Takes the products that have passed their trial into the feature set, as far as there is room.
    fn settle_trial(&mut self, count: usize, table: &mut WeightTable) -> Vec<Candidate> {
        let (Some(trial), Storage::Families(families)) = (&mut self.trial, &mut self.storage) else {
            return Vec::new();
        };
        let mut passed = trial.settle(&self.parents, self.rule, count);
        passed.retain(|product| {
            product.origin.is_some_and(|parent| families.insert(parent, product.slot, table).is_some())
        });
        passed
    }

    /// Offers every monomial of the feature set that has a weight and is not a parent yet.
    fn offer_candidates(
        &self,
        linear: &WeightTable,
        table: &WeightTable,
        shrinkage: &Shrinkage,
        choice: &mut dyn Choice,
    ) {
        // Most are weaker than what is found already, which is soonest seen.
        let (mut floor, observes) = (choice.floor(), self.rule.observes());
        let strength = |weight: Slot, moments: Moments| {
            let weight = shrinkage.weight(weight.weight).abs() * weight.scale;
            if observes { self.rule.strength(Evidence { weight, index: moments.index() }) } else { weight }
        };
        let mut offer = |candidate: Candidate| {
            choice.offer(candidate);
            choice.floor()
        };
        for (slot, weight) in (0..).zip(linear.slots()).skip(1) {
            let strength = strength(*weight, linear.moments(slot as usize));
            if strength >= floor && !weight.is_untouched() && !self.parents.is_root(slot) {
                floor = offer(Candidate { origin: None, slot, degree: 1, strength });
            }
        }
        self.visit_products(table, |parent, slot, place| {
            let weight = table.get(place);
            let strength = strength(weight, table.moments(place));
            if strength >= floor && !weight.is_untouched() && !self.parents.is_offspring(parent, slot) {
                let degree = self.parents.get(parent).monomial.degree() + 1;
                floor = offer(Candidate { origin: Some(parent), slot, degree, strength });
            }
        });
    }
}
