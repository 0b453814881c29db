use std::ops::Range;

use super::{Bits, Parent, Parents};
use crate::expansion::families::Sealed;
use crate::expansion::steps;
use crate::expansion::sweep::Sweep;
use crate::weights::{BaseFeatures, Cpu, TILE, bounded};

/// The base features of an example that are factors of parents.
#[derive(Default)]
pub(crate) struct Factors {
    /// Their numbers, as a set and in the order of the example.
    pub(super) present: Bits,
    pub(super) listed: Vec<u32>,
    /// The position in the example of each factor that is present.
    pub(super) positions: Vec<u32>,
    /// The value of each factor; 0 if it is absent.
    values: Vec<f32>,
}

/// A parent whose products are looked for in its family.
pub(crate) struct Aimed {
    pub(crate) parent: u32,
    pub(crate) multiplier: f32,
    /// Where they are listed for now.
    pub(crate) range: Range<usize>,
    /// How many are in the feature set.
    pub(crate) active: u32,
    /// How many others are listed, as sealed.
    pub(crate) sealed: u32,
}

/// Finds the parents present in an example, with buffers that are reused.
#[derive(Default)]
pub(crate) struct Enumerator {
    pub(crate) factors: Factors,
    /// Positions of base features that are factors.
    picked: Vec<u32>,
    /// The base slots that [`BaseFeatures::by_slot`] has values for.
    filled: Vec<u32>,
    /// Whether these are 1, 2 and so on.
    straight: bool,
    pub(crate) sweep: Sweep,
    /// The parents present and the value of each: those of smaller degree first.
    pub(crate) present: Vec<(u32, f32)>,
    /// What is known of each before it is known where its products are.
    pub(crate) aimed: Vec<Aimed>,
    /// Which products one of them has not.
    pub(crate) sealed: Sealed,
    /// Which instructions look for them.
    pub(crate) cpu: Cpu,
    /// Whether products that have no weight may get one. If not, the rows of families leave them out, and sealed ones.
    pub(crate) admits: bool,
}

impl Enumerator {
    /// For learning, on this processor.
    pub(crate) fn to_learn(cpu: Cpu) -> Enumerator {
        Enumerator { cpu, admits: true, ..Enumerator::default() }
    }

    /// For predicting.
    pub(crate) fn to_predict(cpu: Cpu) -> Enumerator {
        Enumerator { cpu, ..Enumerator::default() }
    }

    /// Finds the parents present. `width`: up to where [`BaseFeatures::by_slot`] is wanted; 0 if it is not.
    #[inline]
    pub(crate) fn find(&mut self, parents: &Parents, base: &mut BaseFeatures, width: usize) {
        self.present.clear();
        if parents.all.is_empty() {
            return;
        }
        self.find_factors(parents, base);
        if width > 0 {
            self.spread(base, width);
        }
        let mut next = 0;
        while let Some(&(parent, multiplier)) = self.present.get(next) {
            next += 1;
            // Most have none: told without a look at all there is of a parent.
            if !parents.with_offspring.has(parent) {
                continue;
            }
            let Parent { offspring, offspring_factors, .. } = parents.get(parent);
            // A search takes about as many steps as the length has bits.
            let search = offspring.len().checked_ilog2().unwrap_or(0) as usize + 1;
            if offspring.len() > self.factors.listed.len() * search {
                self.search(parents, parent, multiplier, base);
            } else {
                steps::count(offspring.len());
                for (&(_, child), factor) in offspring.iter().zip(offspring_factors) {
                    let value = self.factors.values[*factor as usize];
                    if value != 0.0 {
                        self.present.push((child, bounded(multiplier * value)));
                    }
                }
            }
        }
    }

    /// Finds the offspring present of a parent that has many, from the example's side; in the same order.
    #[cold]
    fn search(&mut self, parents: &Parents, parent: u32, multiplier: f32, base: &BaseFeatures) {
        let (offspring, first) = (&parents.get(parent).offspring, self.present.len());
        for factor in &self.factors.listed {
            let position = self.factors.positions[*factor as usize] as usize;
            let found = offspring.binary_search_by(|(slot, _)| {
                steps::count(1);
                slot.cmp(&base.slots[position])
            });
            if let Ok(child) = found {
                self.present.push((offspring[child].1, bounded(multiplier * base.values[position])));
            }
        }
        // By ascending factor, as they are listed.
        self.present[first..].sort_unstable_by_key(|(child, _)| parents.get(*child).origin.1);
    }

    /// Finds the factors that are present, and the base features that are parents.
    #[inline]
    fn find_factors(&mut self, parents: &Parents, base: &BaseFeatures) {
        let Factors { present, listed, positions, values } = &mut self.factors;
        for factor in listed.drain(..) {
            present.clear(factor);
            values[factor as usize] = 0.0;
        }
        positions.resize(parents.factor_count as usize, 0);
        values.resize(parents.factor_count as usize, 0.0);
        // Few base features are factors, and which cannot be foreseen: first they are picked out, without a branch.
        self.picked.resize(self.picked.len().max(base.slots.len()), 0);
        let mut count = 0;
        for (position, slot) in (1..).zip(&base.slots[1..]) {
            steps::count(1);
            self.picked[count] = position;
            count += usize::from(parents.is_factor.has(*slot));
        }
        for position in &self.picked[..count] {
            let (slot, value) = (base.slots[*position as usize], base.values[*position as usize]);
            let Some(factor) = parents.factor(slot).filter(|_| value != 0.0) else { continue };
            present.set(factor);
            listed.push(factor);
            positions[factor as usize] = *position;
            values[factor as usize] = value;
            let parent = parents.roots.get(slot as usize).copied().unwrap_or(0);
            if parent > 0 {
                self.present.push((parent - 1, value));
            }
        }
    }

    /// Spreads the example's values out by slot.
    #[inline]
    pub(crate) fn spread(&mut self, base: &mut BaseFeatures, width: usize) {
        // Where one example after the other has all of the first features, they just take each other's place.
        let was_straight = std::mem::replace(&mut self.straight, base.is_straight());
        let stays = self.straight && was_straight && base.slots.len() == self.filled.len() + 1;
        if stays && base.by_slot.len() >= width {
            base.by_slot[..self.filled.len()].copy_from_slice(&base.values[1..]);
            return;
        }
        for slot in self.filled.drain(..) {
            base.by_slot[slot as usize - 1] = 0.0;
        }
        if base.by_slot.len() < width {
            base.by_slot.resize(width.next_multiple_of(TILE), 0.0);
        }
        for (slot, value) in base.slots.iter().zip(&base.values).skip(1) {
            base.by_slot[*slot as usize - 1] = *value;
        }
        self.filled.extend_from_slice(&base.slots[1..]);
    }
}
