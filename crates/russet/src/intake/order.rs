//! Base features that occur once each, in the order of their slots.

use super::Intake;
use crate::weights::{BaseFeatures, bounded};

/// What is known of the base features of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// They are in the order of their slots, each once.
    Ascending,
    /// Each is there once, and there is no value of 0.
    Distinct,
    /// Some may be there more than once.
    Unknown,
}

impl Intake {
    /// Sums the values of features that occur more than once, at their first place, and drops zeros.
    pub(super) fn merge_repeated(&mut self) {
        let BaseFeatures { slots, values, .. } = &mut self.base;
        let mut repeated = false;
        for &slot in slots.iter() {
            let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
            if self.used.len() <= word {
                self.used.resize((word + 1).next_power_of_two(), 0);
            }
            repeated |= self.used[word] & bit != 0;
            self.used[word] |= bit;
        }
        for &slot in slots.iter() {
            self.used[slot as usize / 64] = 0;
        }
        if repeated {
            merge(slots, values);
        }
    }

    pub(super) fn sort(&mut self) {
        let BaseFeatures { slots, values, .. } = &mut self.base;
        let pack = |(slot, value): (&u32, &f32)| (u64::from(*slot) << 32) | u64::from(value.to_bits());
        self.order.clear();
        self.order.extend(slots.iter().zip(values.iter()).map(pack));
        self.order.sort_unstable();
        for (place, packed) in self.order.iter().enumerate() {
            slots[place] = (packed >> 32) as u32;
            values[place] = f32::from_bits(*packed as u32);
        }
    }
}

/// The slow way, for the rare example that repeats a feature.
fn merge(slots: &mut Vec<u32>, values: &mut Vec<f32>) {
    let mut sums: Vec<(u32, f32)> = Vec::with_capacity(slots.len());
    let mut place_of = std::collections::HashMap::new();
    for (&slot, &value) in slots.iter().zip(values.iter()) {
        let place = *place_of.entry(slot).or_insert(sums.len());
        match sums.get_mut(place) {
            Some(sum) => sum.1 = bounded(sum.1 + value),
            None => sums.push((slot, value)),
        }
    }
    sums.retain(|(_, value)| *value != 0.0);
    (*slots, *values) = sums.into_iter().unzip();
}
