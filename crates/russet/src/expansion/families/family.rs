//! One parent's products, and the filter before them.

use super::{AHEAD, SMALLEST_FAMILY, steps};
use crate::weights::{Slot, prefetch};

/// A hash table in two halves. Base slots are numbered as they first appear, so small ones are frequent: those below half
/// the length are at their own number in the first half, and what is often met lies together. All others are in the second
/// half, by their hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    pub(super) start: u32,
    /// It has 2^bits places; none if this is 0.
    pub(super) bits: u32,
    /// How long a half is.
    pub(super) half: u32,
    /// How many products are in the second half, and which may be.
    hashed: u32,
    pub(super) filter: Filter,
}

/// The family of a parent that has none yet.
pub(super) static NO_FAMILY: Family =
    Family { start: 0, bits: 0, half: 0, hashed: 0, filter: Filter { words: Vec::new(), shift: 0 } };

impl Family {
    /// An empty one of 2^bits places.
    pub(super) fn new(start: u32, bits: u32) -> Family {
        Family { start, bits, half: 1 << (bits - 1), hashed: 0, filter: Filter::new(bits - 3) }
    }

    /// The bits of a family that has got its products one by one, in any order: the fewest with which its second half is not
    /// too full, since each product less leaves it less full. `from` gives how many have a base slot from a given one on.
    pub(super) fn bits_for(from: impl Fn(u32) -> usize) -> u32 {
        let fits = |bits: &u32| from(1 << (bits - 1)) * 4 <= 3 << (bits - 1);
        (SMALLEST_FAMILY..32).find(fits).unwrap_or(32)
    }

    /// Gives saved products their places and weights: see [`super::Families::restore`]. Nothing if one occurs twice.
    pub(super) fn take_in_all<P>(
        &mut self,
        products: &[P],
        weights: &mut [Slot],
        counts: &mut [u32],
        read: impl Fn(&P) -> (Slot, u32),
    ) -> Option<()> {
        let mut ahead = products.iter().skip(AHEAD);
        for product in products {
            if let Some(later) = ahead.next() {
                let home = self.home_place(read(later).0.key) as usize;
                prefetch(weights, home);
                prefetch(counts, home);
            }
            let (weight, count) = read(product);
            let place = self.find(weight.key, weights) as usize;
            if weights[place].key != 0 {
                return None;
            }
            self.take_in(weight.key);
            (weights[place], counts[place]) = (weight, count);
        }
        Some(())
    }

    /// How many places it has.
    pub(super) fn len(&self) -> usize {
        2 * self.half as usize
    }

    /// Its places.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len()
    }

    /// Takes note that a base slot has got a place.
    pub(super) fn take_in(&mut self, slot: u32) {
        if slot >= self.half {
            self.hashed += 1;
            self.filter.add(slot);
        }
    }

    /// True if there is no place for a base slot.
    pub(super) fn is_full_for(&self, slot: u32) -> bool {
        slot >= self.half && self.is_full()
    }

    /// The bits of a family that is twice as long.
    pub(super) fn next_bits(&self) -> u32 {
        (self.bits + 1).max(SMALLEST_FAMILY)
    }

    /// True if no more products can go to the second half, which is three quarters full at most.
    pub(super) fn is_full(&self) -> bool {
        (self.hashed + 1) * 4 > 3 * self.half
    }

    /// True if a product may be in the family, or could be without making it longer.
    #[inline]
    pub(super) fn may_have(&self, slot: u32) -> bool {
        (slot < self.half) | self.filter.may_have(slot)
    }

    /// By how much a hash is shifted down to find its place in the second half.
    #[inline]
    pub(super) fn home_shift(&self) -> u32 {
        33 - self.bits
    }

    /// Where a base slot is looked for first.
    #[inline]
    pub(super) fn home_place(&self, slot: u32) -> u32 {
        self.start + self.home(slot)
    }

    /// Where a base slot is looked for first, from the start.
    #[inline]
    fn home(&self, slot: u32) -> u32 {
        let hashed = self.half + (scattered(slot) >> self.home_shift());
        if slot < self.half { slot } else { hashed }
    }

    /// Where a base slot is, or the free place where it would go. Families are never full.
    #[inline]
    pub(super) fn find(&self, slot: u32, weights: &[Slot]) -> u32 {
        let mut at = self.home(slot);
        loop {
            steps::count(1);
            let key = weights[(self.start + at) as usize].key;
            if key == slot || key == 0 {
                return self.start + at;
            }
            // Only hashed ones can meet another.
            at = self.half | ((at + 1) & (self.half - 1));
        }
    }
}

/// Which base slots may be in a family: three bits for each, in one word, which others may have too. Small enough to stay in the
/// nearer caches, where most products that have no weight are told from the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) words: Vec<u32>,
    /// A hash is shifted down by this to find its word.
    pub(super) shift: u32,
}

impl Filter {
    /// An empty one of 2^bits words.
    fn new(bits: u32) -> Filter {
        Filter { words: vec![0; 1 << bits], shift: 32 - bits }
    }

    #[inline]
    fn may_have(&self, slot: u32) -> bool {
        let (hash, bits) = (scattered(slot), bits_of(scattered(slot)));
        self.words[(hash >> self.shift) as usize] & bits == bits
    }

    fn add(&mut self, slot: u32) {
        let hash = scattered(slot);
        self.words[(hash >> self.shift) as usize] |= bits_of(hash);
    }
}

/// The bits of a hash in its word of a filter.
#[inline]
fn bits_of(hash: u32) -> u32 {
    1 << (hash & 31) | 1 << (hash >> 5 & 31) | 1 << (hash >> 10 & 31)
}

/// See [`scattered`].
pub(super) const SCATTER: u32 = 0x9e37_79b1;

/// A hash of a base slot, best in its upper bits.
#[inline]
fn scattered(slot: u32) -> u32 {
    slot.wrapping_mul(SCATTER)
}
