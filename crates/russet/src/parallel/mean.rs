use serde::{Deserialize, Serialize};

use crate::weights::Slot;

/// How the weights of several ranks become one. `w`, `G` and `N` are a weight, the sum of its squared gradients and the
/// largest value of its feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// Each rank's `w`, and its `G`, count by its `G`: who has seen more of a feature has more say, and a feature that only
    /// one rank has met keeps its weight. `G` stays that of one rank, so steps stay as large as those of a learner alone.
    #[default]
    Adaptive,
    /// All ranks count the same.
    Plain,
}

/// A weight on several ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    /// The sum of `w` over the ranks that have touched it, and how many they are.
    weight: f64,
    touched: u32,
    gradient: f64,
    weighted: f64,
    squared_gradient: f64,
    scale: f32,
}

impl Mean {
    /// Adds what a rank has.
    pub(super) fn add(&mut self, slot: Slot) {
        let (weight, gradient) = (f64::from(slot.weight), f64::from(slot.gradient));
        self.weight += weight;
        self.touched += u32::from(!slot.is_untouched());
        self.gradient += gradient;
        self.weighted += gradient * weight;
        self.squared_gradient += gradient * gradient;
        self.scale = self.scale.max(slot.scale);
    }

    /// The weight that `ranks` have together; a `share` of them, above 0, has its feature in their feature set. The others predict
    /// without it, that is with a weight of 0.
    pub(super) fn slot(&self, average: Average, ranks: usize, share: f64) -> Slot {
        let (weight, gradient) = match average {
            Average::Plain => (self.weight / ranks as f64, self.gradient / ranks as f64),
            Average::Adaptive if self.gradient > 0.0 => {
                (share * (self.weighted / self.gradient), self.squared_gradient / self.gradient)
            }
            // Plain gradient steps keep no G.
            Average::Adaptive => (share * self.weight / f64::from(self.touched.max(1)), 0.0),
        };
        Slot { weight: weight as f32, gradient: gradient as f32, scale: self.scale, ..Slot::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(slots: &[(f32, f32, f32)]) -> Mean {
        let mut mean = Mean::default();
        slots
            .iter()
            .for_each(|&(weight, gradient, scale)| mean.add(Slot { weight, gradient, scale, ..Slot::default() }));
        mean
    }

    fn found(mean: Mean, average: Average, share: f64) -> (f32, f32, f32) {
        let Slot { weight, gradient, scale, .. } = mean.slot(average, 2, share);
        (weight, gradient, scale)
    }

    #[test]
    fn who_has_seen_more_has_more_say() {
        let both = mean(&[(1.0, 3.0, 2.0), (5.0, 1.0, 4.0)]);
        assert_eq!(found(both, Average::Adaptive, 1.0), (2.0, 2.5, 4.0));
        assert_eq!(found(both, Average::Plain, 1.0), (3.0, 2.0, 4.0));
    }

    #[test]
    fn a_feature_of_one_rank_keeps_its_weight_to_the_bit() {
        let (weight, gradient) = (0.123_456_79, 7.654_321e-3);
        let rare = mean(&[(weight, gradient, 1.0), (0.0, 0.0, 0.0)]);
        assert_eq!(found(rare, Average::Adaptive, 1.0), (weight, gradient, 1.0));
        assert_eq!(found(rare, Average::Adaptive, 0.5), (weight / 2.0, gradient, 1.0));
    }

    #[test]
    fn weights_without_gradients_count_where_they_were_touched() {
        let sgd = mean(&[(2.0, 0.0, 1.0), (0.0, 0.0, 0.0)]);
        assert_eq!(found(sgd, Average::Adaptive, 1.0), (2.0, 0.0, 1.0));
        assert_eq!(found(mean(&[]), Average::Adaptive, 1.0), (0.0, 0.0, 0.0));
    }
}
