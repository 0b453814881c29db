//! A feature set made anew from parents that were found elsewhere: how ranks that learned apart come to one.

use std::collections::HashMap;

use super::{Growth, Storage};
use crate::expansion::blocks::Blocks;
use crate::monomial::Monomial;
use crate::settings::Settings;
use crate::weights::WeightTable;

/// A parent, by what it is a product of.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub(crate) monomial: Monomial,
    pub(crate) epoch: u32,
    pub(crate) heritage: f32,
}

/// Finds the parent that a product belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners(HashMap<Monomial, u32>);

impl Owners {
    /// Of a list of parents, in its order.
    pub(crate) fn of(parents: &[Joined]) -> Owners {
        Owners((0..).zip(parents).map(|(number, parent)| (parent.monomial.clone(), number)).collect())
    }

    /// The first parent that has the monomial for a product, and the further factor.
    pub(crate) fn owner(&self, monomial: &Monomial) -> Option<(u32, u32)> {
        let parent = |slot: &u32| self.0.get(&monomial.without(*slot)).map(|parent| (*parent, *slot));
        monomial.slots().iter().filter_map(parent).min()
    }

    /// The number of a parent, if the monomial is one.
    pub(crate) fn number(&self, monomial: &Monomial) -> Option<u32> {
        self.0.get(monomial).copied()
    }

    pub(crate) fn insert(&mut self, monomial: &Monomial, number: u32) {
        self.0.insert(monomial.clone(), number);
    }
}

/// What a feature set is made of besides its parents.
pub(crate) struct Ground {
    /// Which base slots have had a value other than 1: see [`crate::expansion::adaptive::Parents::fractional_bits`].
    pub(crate) fractional: Vec<u64>,
    pub(crate) slot_count: usize,
    /// The base features an example.
    pub(crate) average: f64,
}

impl Growth {
    /// A feature set with other parents, each after the one that it is a product of, which will not grow; `table` becomes
    /// the empty one of its products. It depends on nothing else, so equal ones are made alike everywhere.
    pub(crate) fn joined(
        &self,
        parents: &[Joined],
        ground: Ground,
        settings: &Settings,
        table: &mut WeightTable,
    ) -> Growth {
        let mut growth = Growth::new(self.schedule, settings);
        growth.counted.clone_from(&self.counted);
        // It counts as fully grown, so that it stays as it is.
        growth.counted.resize(settings.epochs.max(1) as usize - 1, self.counted.last().copied().unwrap_or(0));
        growth.grown = growth.counted.len() as u32;
        growth.parents.set_fractional_bits(ground.fractional);
        let mut owners = Owners::default();
        for (number, parent) in (0..).zip(parents) {
            let (origin, slot) = match owners.owner(&parent.monomial) {
                Some((origin, slot)) => (Some(origin), slot),
                None => (None, parent.monomial.slots()[0]),
            };
            growth.parents.add(origin, slot, parent.epoch, parent.heritage);
            owners.insert(&parent.monomial, number);
        }
        *table = Blocks::new(16, false).table();
        growth.choose_layout(table, ground.slot_count, ground.average);
        growth.fit(table, ground.slot_count, ground.average);
        growth
    }

    /// The count of the constant at each growth.
    pub(crate) fn counted(&mut self) -> &mut Vec<u32> {
        &mut self.counted
    }

    /// Sets how often a product found no room.
    pub(crate) fn set_left_out(&mut self, left_out: u64) {
        if let Storage::Families(families) = &mut self.storage {
            families.set_left_out(left_out);
        }
    }
}
