use serde::{Deserialize, Serialize};

use crate::weights::WeightTable;

/// L1 and L2, lazily: what all weights have in common, so that an example costs nothing for the absent ones.
///
/// A stored weight `w` stands for `contraction * (w moved towards zero by gravity, and no further)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shrinkage {
    contraction: f64,
    gravity: f64,
}

impl Default for Shrinkage {
    fn default() -> Shrinkage {
        Shrinkage { contraction: 1.0, gravity: 0.0 }
    }
}

impl Shrinkage {
    /// The factor that L2 has left of every weight.
    pub fn contraction(&self) -> f32 {
        self.contraction as f32
    }

    /// How far L1 has moved every stored weight towards zero.
    pub fn gravity(&self) -> f32 {
        self.gravity as f32
    }

    /// What a stored weight stands for.
    pub fn weight(&self, stored: f32) -> f32 {
        let gravity = self.gravity();
        (stored - stored.clamp(-gravity, gravity)) * self.contraction()
    }

    /// Pulls for a time of `rate`: L2 by the implicit step `1 / (1 + l2 rate)`, which is stable for any rate, L1 by
    /// `l1 rate`. Returns the step `size` as it has to be added to stored weights.
    pub(super) fn pull(&mut self, size: f32, rate: f32, l1: f32, l2: f32) -> f32 {
        if l1 == 0.0 && l2 == 0.0 {
            return size;
        }
        let rate = f64::from(rate).max(0.0);
        self.pull_by(size, 1.0 / (1.0 + f64::from(l2) * rate), f64::from(l1) * rate)
    }

    /// Pulls by the factor `kept` and the amount `taken`. Returns the step as for stored weights.
    pub(super) fn pull_by(&mut self, size: f32, kept: f64, taken: f64) -> f32 {
        self.contraction *= kept;
        self.gravity += taken / self.contraction;
        (f64::from(size) / self.contraction).clamp(f32::MIN.into(), f32::MAX.into()) as f32
    }

    /// True if the numbers are such as pulls can lead to.
    pub(crate) fn is_sound(&self) -> bool {
        self.contraction > 0.0 && self.contraction <= 1.0 && self.gravity >= 0.0 && self.gravity.is_finite()
    }

    /// True when stored weights have grown so large against what they stand for that digits would be lost.
    pub(super) fn is_spent(&self) -> bool {
        self.contraction < 1e-6 || self.gravity > 1e6
    }

    /// Writes out what every weight stands for and starts anew. Rare, so its cost is spread over many examples.
    pub(crate) fn settle(&mut self, tables: &mut [&mut WeightTable]) {
        tables.iter_mut().for_each(|table| table.change_weights(|stored| self.weight(stored)));
        *self = Shrinkage::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Slot;

    #[test]
    fn lazy_pulls_equal_pulls_at_once() {
        let (mut lazy, mut stored, mut direct) = (Shrinkage::default(), 0.0f32, 0.0f64);
        for round in 0..1000 {
            let (rate, size) = (0.01, if round % 7 == 0 { 0.5 } else { -0.02 });
            stored += lazy.pull(size, rate, 0.03, 0.2);
            direct /= 1.0 + 0.2 * f64::from(rate);
            direct -= direct.clamp(-0.03 * f64::from(rate), 0.03 * f64::from(rate));
            direct += f64::from(size);
        }
        let found = f64::from(lazy.weight(stored));
        // The weight never crosses zero here, where lazy and direct pulls of L1 would differ.
        assert!((found - direct).abs() < 1e-3 * direct.abs(), "{found} {direct}");
    }

    #[test]
    fn settling_changes_no_weight() {
        let mut shrinkage = Shrinkage::default();
        shrinkage.pull_by(0.0, 1e-7, 1e-9);
        assert!(shrinkage.is_spent());
        let mut table = WeightTable::new(4);
        table.grow_to(3);
        table.set(1, Slot { weight: 2e6, ..Slot::default() });
        table.set(2, Slot { weight: -0.001, ..Slot::default() });
        let weights = |shrinkage: &Shrinkage, table: &WeightTable| -> Vec<f32> {
            table.iter().map(|slot| shrinkage.weight(slot.weight)).collect()
        };
        let before = weights(&shrinkage, &table);
        shrinkage.settle(&mut [&mut table]);
        let after = weights(&shrinkage, &table);
        assert_eq!(before, after);
        assert_eq!(after[2], 0.0);
    }
}
