//! Made-up examples.

use crate::*;

/// Random numbers that are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number from 0 to `below` - 1.
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A few of many features, the first far more frequent than the last; half of them fractional.
pub(crate) fn sparse(count: usize, features: u64, seed: u64) -> Vec<Drawn> {
    let mut dice = Dice(seed);
    let mut one = || {
        let mut names: Vec<u64> = (0..12).map(|_| dice.roll(features) * dice.roll(features) / features).collect();
        names.extend((0..6).filter(|_| dice.roll(2) == 0));
        names.sort_unstable();
        names.dedup();
        let has = |name: u64| names.contains(&name) as i64;
        let score = 2 * has(0) * has(1) - has(2) * has(3) + has(4) + dice.roll(2) as i64;
        let value = |name: u64, roll: u64| if name.is_multiple_of(2) { 1.0 } else { (1 + roll) as f32 / 65.0 };
        let features = names.iter().map(|name| (*name as u32, value(*name, dice.roll(63)))).collect();
        Drawn { features, label: if score > 1 { 1.0 } else { -1.0 }, importance: 1.0 }
    };
    (0..count).map(|_| one()).collect()
}

/// Every feature in every example.
pub(crate) fn dense(count: usize, features: u32, seed: u64) -> Vec<Drawn> {
    let mut dice = Dice(seed);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..features).map(|name| (name, (1 + dice.roll(255)) as f32 / 256.0)).collect();
        let label = features[0].1 * features[1].1 - features[2].1 + dice.roll(8) as f32 / 64.0;
        Drawn { features, label, importance: 1.0 }
    };
    (0..count).map(|_| one()).collect()
}
