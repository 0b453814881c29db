//! How people's ways of looking at a model read its weights: the only place where they do.

use super::Model;
use crate::weights::Slot;

/// Which of the two tables a weight is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// That of the base features.
    Linear,
    /// That of products.
    Products,
}

impl Model {
    /// The weight at a place as a prediction uses it.
    pub(super) fn effective_weight(&self, table: Table, place: usize) -> f32 {
        self.shrinkage.weight(self.slot(table, place).map_or(0.0, |slot| slot.weight))
    }

    /// The weight at a place on its feature's own scale: what the feature adds to a prediction at its largest value.
    pub(super) fn effect(&self, table: Table, place: usize) -> f32 {
        // Without a scale the weight has to speak for itself.
        let known = |slot: &Slot| slot.scale > 0.0 && slot.scale.is_finite();
        let scale = self.slot(table, place).filter(known).map_or(1.0, |slot| slot.scale);
        self.effective_weight(table, place) * scale
    }

    /// True if an example has touched the weight at a place.
    pub(super) fn is_touched(&self, table: Table, place: usize) -> bool {
        self.slot(table, place).is_some_and(|slot| !slot.is_untouched())
    }

    /// In which share of the examples the feature at a place was active, of those counted after the constant's count was
    /// `before`: the feature is in the feature set since then.
    pub(super) fn active_share(&self, table: Table, place: usize, before: u32) -> Option<f64> {
        let counts = match table {
            Table::Linear => &self.linear,
            Table::Products => &self.products,
        };
        let total = self.linear.active(0).saturating_sub(before);
        (total > 0).then(|| (f64::from(counts.active(place)) / f64::from(total)).min(1.0))
    }

    fn slot(&self, table: Table, place: usize) -> Option<Slot> {
        let weights = match table {
            Table::Linear => &self.linear,
            Table::Products => &self.products,
        };
        (place < weights.len()).then(|| weights.get(place))
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
