use std::collections::HashMap;

use super::{Bits, Parent};
use crate::expansion::few::Few;
use crate::expansion::steps;
use crate::expansion::sweep::Swept;
use crate::monomial::Monomial;
use crate::weights::{BaseFeatures, extend_with_zeros};

/// All parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parents {
    pub(super) all: Vec<Parent>,
    /// What a sweep needs of each.
    swept: Vec<Swept>,
    /// Of each, the base slots whose product with it is not in the feature set by this parent, where slots are few.
    sealed: Vec<Few>,
    /// For each base slot: 1 + the parent that it is, or 0.
    pub(super) roots: Vec<u32>,
    /// Base slots that have had a value other than 1: only those have squares of their own.
    fractional: Bits,
    /// Base slots that are a factor of some parent are numbered: for each slot, 1 + its number, or 0.
    factors: Vec<u32>,
    pub(super) factor_count: u32,
    /// Base slots that are a factor: far smaller than `factors`, so most slots are ruled out within the nearest cache.
    pub(super) is_factor: Bits,
    /// Parents that have offspring.
    pub(super) with_offspring: Bits,
    /// For each monomial that is a parent less one factor: that factor, of all such parents.
    siblings: HashMap<Monomial, Vec<u32>>,
    /// How often what a sweep needs has changed.
    changes: u64,
}

impl Parents {
    /// How often parents have come, or have had a product come that they had not.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Parent> {
        self.all.iter().inspect(|_| steps::count(1))
    }

    pub(crate) fn get(&self, parent: u32) -> &Parent {
        steps::count(1);
        &self.all[parent as usize]
    }

    /// What a sweep needs of each.
    pub(crate) fn swept(&self) -> &[Swept] {
        &self.swept
    }

    /// Which base slots make no product with each parent, where they are few: see [`Few`].
    pub(crate) fn few_sealed(&self) -> &[Few] {
        &self.sealed
    }

    /// Which base slots have had a value other than 1, to be saved.
    pub(crate) fn fractional_bits(&self) -> &[u64] {
        &self.fractional.0
    }

    /// Sets [`Parents::fractional_bits`] from a saved model.
    pub(crate) fn set_fractional_bits(&mut self, bits: Vec<u64>) {
        self.fractional = Bits(bits);
    }

    /// Takes note of which base features have values other than 1. Calls `unseal(parent, slot)` for each product that
    /// this makes a feature of its own.
    #[inline]
    pub(crate) fn note_values(&mut self, base: &BaseFeatures, unseal: impl FnMut(u32, u32)) {
        if base.is_straight() && self.fractional.has_first(base.slots.len() - 1) {
            return;
        }
        let news = |(slot, value): (&u32, &f32)| *value != 1.0 && !self.fractional.has(*slot);
        if base.slots.iter().zip(&base.values).any(news) {
            self.note_fractional(base, unseal);
        }
    }

    #[cold]
    fn note_fractional(&mut self, base: &BaseFeatures, mut unseal: impl FnMut(u32, u32)) {
        for (slot, value) in base.slots.iter().zip(&base.values) {
            if *value == 1.0 || self.fractional.has(*slot) {
                continue;
            }
            self.fractional.set(*slot);
            let Some(factor) = self.factor(*slot) else { continue };
            for ((number, parent), few) in (0..).zip(&mut self.all).zip(&mut self.sealed) {
                if parent.monomial.contains(*slot) && parent.barred.binary_search(slot).is_err() {
                    parent.sealed.clear(factor);
                    *few = few.without(*slot);
                    self.changes += 1;
                    unseal(number, *slot);
                }
            }
        }
    }

    /// The number of a base slot among the factors, if it is one.
    #[inline]
    pub(super) fn factor(&self, slot: u32) -> Option<u32> {
        self.is_factor.has(slot).then(|| self.factors[slot as usize] - 1)
    }

    /// True if a base feature is a parent.
    pub(crate) fn is_root(&self, slot: u32) -> bool {
        self.roots.get(slot as usize).is_some_and(|parent| *parent > 0)
    }

    /// The base slots whose product with a parent is not in the feature set by this parent: another owns it, or it would
    /// be the square of a 0/1 feature.
    pub(crate) fn sealed(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = self.get(parent);
        let slots = (0..).zip(&self.factors).filter(|(_, factor)| **factor > 0);
        slots.filter(|(_, factor)| parent.sealed.has(**factor - 1)).map(|(slot, _)| slot)
    }

    /// True if the product of a parent and a base feature is in the feature set by this parent.
    pub(crate) fn owns(&self, parent: u32, slot: u32) -> bool {
        self.factor(slot).is_none_or(|factor| !self.get(parent).sealed.has(factor))
    }

    /// True if the product of a parent and a base feature is a parent itself.
    pub(crate) fn is_offspring(&self, parent: u32, slot: u32) -> bool {
        self.get(parent).offspring.binary_search_by_key(&slot, |child| child.0).is_ok()
    }

    /// Visits all parents as the trees they form, each before its offspring: how deep it is, and its number.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, u32)) {
        let roots = self.roots.iter().rev().filter(|parent| **parent > 0);
        let mut waiting: Vec<(usize, u32)> = roots.map(|parent| (0, parent - 1)).collect();
        while let Some((depth, parent)) = waiting.pop() {
            visit(depth, parent);
            waiting.extend(self.get(parent).offspring.iter().rev().map(|child| (depth + 1, child.1)));
        }
    }

    /// Makes a base feature (`None`) or the product of a parent and a base feature a parent.
    pub(crate) fn add(&mut self, origin: Option<u32>, slot: u32, epoch: u32, heritage: f32) {
        let number = self.all.len() as u32;
        let factor = self.number_factor(slot);
        let monomial = match origin {
            None => {
                let length = self.roots.len().max(slot as usize + 1);
                extend_with_zeros(&mut self.roots, length, usize::MAX);
                self.roots[slot as usize] = number + 1;
                Monomial::base(slot)
            }
            Some(parent) => {
                self.with_offspring.set(parent);
                let Parent { monomial, offspring, offspring_factors, .. } = &mut self.all[parent as usize];
                let place = offspring.partition_point(|child| child.0 < slot);
                offspring.insert(place, (slot, number));
                offspring_factors.insert(place, factor);
                monomial.times(slot)
            }
        };
        let mut barred = self.take_among_siblings(&monomial);
        let mut sealed = Bits::default();
        let squares = monomial.slots().iter().filter(|slot| !self.fractional.has(**slot));
        let slots: Vec<u32> = barred.iter().chain(squares).copied().collect();
        slots.iter().filter_map(|slot| self.factor(*slot)).for_each(|factor| sealed.set(factor));
        self.sealed.push(Few::of(&slots));
        barred.retain(|slot| monomial.contains(*slot));
        barred.sort_unstable();
        barred.dedup();
        barred.shrink_to_fit();
        self.changes += 1;
        self.swept.push(Swept { origin: origin.map_or(0, |origin| origin + 1), slot, heritage });
        let (origin, offspring, offspring_factors) = ((origin, slot), Vec::new(), Vec::new());
        self.all.push(Parent { monomial, origin, epoch, heritage, barred, sealed, offspring, offspring_factors });
    }

    /// Takes a new parent among the others; gives the base slots whose product with it an earlier parent reaches: a parent of its
    /// degree that differs from it in one factor reaches its product with that factor.
    fn take_among_siblings(&mut self, monomial: &Monomial) -> Vec<u32> {
        let (mut slots, mut barred) = (monomial.slots().to_vec(), Vec::new());
        slots.dedup();
        for slot in slots {
            let siblings = self.siblings.entry(monomial.without(slot)).or_default();
            barred.extend(siblings.iter().filter(|sibling| **sibling != slot));
            siblings.push(slot);
        }
        barred
    }

    /// The number of a base slot among the factors, which it gets if it has none.
    fn number_factor(&mut self, slot: u32) -> u32 {
        if self.factors.len() <= slot as usize {
            extend_with_zeros(&mut self.factors, slot as usize + 1, usize::MAX);
        }
        if self.factors[slot as usize] == 0 {
            self.factor_count += 1;
            self.factors[slot as usize] = self.factor_count;
            self.is_factor.set(slot);
        }
        self.factors[slot as usize] - 1
    }
}
