//! apple: parents, and the products of each with every base feature.
//!
//! A *parent* is a monomial whose products with all base features are in the feature set. A product that two parents
//! reach belongs to the earlier one; the later one is *barred* from it. A product is a candidate to become a parent
//! itself, so parents form trees: each is a base feature, or one factor more than an earlier parent. The parents
//! present in an example are found from the roots down, at the cost of those present and their offspring.

use crate::monomial::Monomial;
use crate::weights::BaseFeatures;

/// A monomial whose products are in the feature set.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) monomial: Monomial,
    /// The parent that it is a product of, unless it is a base feature; and the last factor.
    pub(crate) origin: (Option<u32>, u32),
    /// After which epoch it became a parent, from 1.
    pub(crate) epoch: u32,
    /// Base slots whose product with it belongs to an earlier parent, ascending.
    barred: Vec<u32>,
    /// Its products that are parents: the further factor and the parent, by ascending factor.
    offspring: Vec<(u32, u32)>,
}

/// All parents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parents {
    all: Vec<Parent>,
    /// Base features that are parents: slot and parent, by ascending slot.
    roots: Vec<(u32, u32)>,
    /// A bit for each base slot that has had a value other than 1: only those have squares of their own.
    fractional: Vec<u64>,
}

impl Parents {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Parent> {
        self.all.iter()
    }

    pub(crate) fn get(&self, parent: u32) -> &Parent {
        &self.all[parent as usize]
    }

    /// The bits of [`Parents::is_fractional`], to be saved.
    pub(crate) fn fractional_bits(&self) -> &[u64] {
        &self.fractional
    }

    /// Sets the bits of [`Parents::is_fractional`] from a saved model.
    pub(crate) fn set_fractional_bits(&mut self, bits: Vec<u64>) {
        self.fractional = bits;
    }

    /// Takes note of which base features have values other than 1.
    #[inline]
    pub(crate) fn note_values(&mut self, base: &BaseFeatures) {
        for (slot, value) in base.slots.iter().zip(&base.values) {
            if *value != 1.0 {
                let word = *slot as usize / 64;
                if self.fractional.len() <= word {
                    self.fractional.resize(word + 1, 0);
                }
                self.fractional[word] |= 1 << (slot % 64);
            }
        }
    }

    /// True if a base feature has had a value other than 1, so that its square is a feature of its own.
    #[inline]
    pub(crate) fn is_fractional(&self, slot: u32) -> bool {
        self.fractional.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// True if a base feature is a parent.
    pub(crate) fn is_root(&self, slot: u32) -> bool {
        self.roots.binary_search_by_key(&slot, |root| root.0).is_ok()
    }

    /// True if the product of a parent and a base feature is in the feature set by this parent.
    pub(crate) fn owns(&self, parent: u32, slot: u32) -> bool {
        let parent = self.get(parent);
        let square = !self.is_fractional(slot) && parent.monomial.slots().binary_search(&slot).is_ok();
        !square && parent.barred.binary_search(&slot).is_err()
    }

    /// True if the product of a parent and a base feature is a parent itself.
    pub(crate) fn is_offspring(&self, parent: u32, slot: u32) -> bool {
        self.get(parent).offspring.binary_search_by_key(&slot, |child| child.0).is_ok()
    }

    /// Visits all parents as the trees they form, each before its offspring: how deep it is, and its number.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, u32)) {
        let mut waiting: Vec<(usize, u32)> = self.roots.iter().rev().map(|root| (0, root.1)).collect();
        while let Some((depth, parent)) = waiting.pop() {
            visit(depth, parent);
            waiting.extend(self.get(parent).offspring.iter().rev().map(|child| (depth + 1, child.1)));
        }
    }

    /// Makes a base feature (`None`) or the product of a parent and a base feature a parent.
    pub(crate) fn add(&mut self, origin: Option<u32>, slot: u32, epoch: u32) {
        let number = self.all.len() as u32;
        let (monomial, list) = match origin {
            None => (Monomial::base(slot), &mut self.roots),
            Some(parent) => {
                let parent = &mut self.all[parent as usize];
                (parent.monomial.times(slot), &mut parent.offspring)
            }
        };
        list.insert(list.partition_point(|child| child.0 < slot), (slot, number));
        let mut barred: Vec<u32> =
            self.all.iter().filter_map(|earlier| monomial.one_step_to(&earlier.monomial)).collect();
        barred.sort_unstable();
        barred.dedup();
        self.all.push(Parent { monomial, origin: (origin, slot), epoch, barred, offspring: Vec::new() });
    }
}

/// Finds the parents present in an example and lists their rows, with buffers that are reused.
#[derive(Default)]
pub(crate) struct Enumerator {
    /// For each base slot: 1 + its position in the current example, or 0.
    position_of: Vec<u32>,
    present: Vec<(u32, f32)>,
    left_out: Vec<u32>,
}

impl Enumerator {
    /// Calls `emit(parent, multiplier, left_out)` for each parent that is present: what it is multiplied with are all
    /// base features but the constant and those at the positions left out, which ascend. `base` is sorted by slot.
    pub(crate) fn visit(&mut self, parents: &Parents, base: &BaseFeatures, mut emit: impl FnMut(u32, f32, &[u32])) {
        if parents.all.is_empty() {
            return;
        }
        self.note_positions(base);
        self.find_present(parents, base);
        for &(number, multiplier) in &self.present {
            let parent = parents.get(number);
            self.left_out.clear();
            let squares = parent.monomial.slots().iter().filter(|slot| !parents.is_fractional(**slot));
            for slot in parent.barred.iter().chain(squares) {
                let position = self.position_of.get(*slot as usize).copied().unwrap_or(0);
                if position > 0 {
                    self.left_out.push(position - 1);
                }
            }
            self.left_out.sort_unstable();
            self.left_out.dedup();
            emit(number, multiplier, &self.left_out);
        }
        for &slot in &base.slots {
            self.position_of[slot as usize] = 0;
        }
    }

    fn note_positions(&mut self, base: &BaseFeatures) {
        let needed = base.slots.last().map_or(0, |slot| *slot as usize + 1);
        if self.position_of.len() < needed {
            self.position_of.resize(needed.next_power_of_two(), 0);
        }
        for (position, &slot) in base.slots.iter().enumerate() {
            self.position_of[slot as usize] = position as u32 + 1;
        }
    }

    fn find_present(&mut self, parents: &Parents, base: &BaseFeatures) {
        self.present.clear();
        let value_of = |slot: u32, positions: &[u32]| match positions.get(slot as usize) {
            Some(position) if *position > 0 => Some(base.values[*position as usize - 1]),
            _ => None,
        };
        for &(slot, parent) in &parents.roots {
            if let Some(value) = value_of(slot, &self.position_of) {
                self.present.push((parent, value));
            }
        }
        let mut next = 0;
        while let Some(&(parent, multiplier)) = self.present.get(next) {
            for &(slot, child) in &parents.get(parent).offspring {
                if let Some(value) = value_of(slot, &self.position_of) {
                    self.present.push((child, multiplier * value));
                }
            }
            next += 1;
        }
    }
}
