//! How people's ways of looking at a model read its weights: the only place where they do.

use super::Model;
use crate::step::Shrinkage;
use crate::weights::{Slot, WeightTable};

/// Which of the two tables a weight is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// That of the base features.
    Linear,
    /// That of products.
    Products,
}

/// A weight as predictions use it, and the scale of its feature.
#[derive(Clone, Copy, Default)]
struct Weight {
    weight: f32,
    scale: f32,
}

impl Weight {
    fn new(slot: Slot, shrinkage: &Shrinkage, share: f32) -> Weight {
        Weight { weight: share * shrinkage.weight(slot.weight), scale: slot.scale }
    }
}

impl Model {
    /// The weight at a place as a prediction uses it.
    pub(super) fn effective_weight(&self, table: Table, place: usize) -> f32 {
        self.weight(table, place).weight
    }

    /// The weight at a place on its feature's own scale: what the feature adds to a prediction at its largest value.
    pub(super) fn effect(&self, table: Table, place: usize) -> f32 {
        let Weight { weight, scale } = self.weight(table, place);
        // Without a scale the weight has to speak for itself.
        weight * if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
    }

    /// For products `a w`, for base features `a w + (1 - a) v`: `v` is the guard's weight and `a` what it leaves to others.
    fn weight(&self, table: Table, place: usize) -> Weight {
        let share = self.adaptive_share();
        let own = slot(self.table(table), place).map(|slot| Weight::new(slot, &self.shrinkage, share));
        let guard = self.guard.as_ref().filter(|_| table == Table::Linear).and_then(|guard| {
            let slot = slot(&guard.linear, place)?;
            Some(Weight::new(slot, &guard.state.shrinkage, 1.0 - share))
        });
        let (own, guard) = (own.unwrap_or_default(), guard.unwrap_or_default());
        Weight { weight: own.weight + guard.weight, scale: own.scale.max(guard.scale) }
    }

    /// In which share of the examples the feature at a place was active, of those counted after the constant's count was
    /// `before`: the feature is in the feature set since then.
    pub(super) fn active_share(&self, table: Table, place: usize, before: u32) -> Option<f64> {
        let total = self.linear.active(0).saturating_sub(before);
        (total > 0).then(|| (f64::from(self.table(table).active(place)) / f64::from(total)).min(1.0))
    }

    /// A table by its name.
    pub(super) fn table(&self, table: Table) -> &WeightTable {
        match table {
            Table::Linear => &self.linear,
            Table::Products => &self.products,
        }
    }

    /// The name of a product of base features; the empty one is the constant.
    pub(super) fn product_name(&self, slots: &[u32]) -> String {
        if slots.is_empty() {
            return "constant".to_owned();
        }
        let names: Vec<_> = slots.iter().map(|slot| self.features.name(*slot)).collect();
        names.join(" * ")
    }
}

fn slot(table: &WeightTable, place: usize) -> Option<Slot> {
    (place < table.len()).then(|| table.get(place))
}
