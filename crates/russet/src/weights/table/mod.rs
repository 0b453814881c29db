mod room;
mod rows;
mod saved;
#[cfg(test)]
mod tests;

use super::tiles::Tiles;
use super::{Place, Slot, bounded};

pub use rows::Measured;
pub(crate) use saved::unpacked;

/// A table of weights and the loops over it.
///
/// It grows as rows need it, up to a limit that is a power of two; rows past the limit share weights.
#[derive(Clone, Debug)]
pub struct WeightTable {
    cells: Cells,
    /// In how many examples the feature of each weight was active: see [`WeightTable::count`].
    counts: Vec<u32>,
    /// What [`WeightTable::observe`] has seen of each feature; empty if that is not wanted.
    moments: Vec<Moments>,
    limit: usize,
}

/// Sums over the examples of an epoch; `h` is the importance, `r` the slope of the loss, `m` the value of the feature.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// The sum of `h r^2 m^2`.
    pub surprise: f32,
    /// The sum of `h m^2`.
    pub presence: f32,
}

impl Moments {
    /// An estimate of `E[r^2 m^2] / E[m^2]`: how wrong the model is where the feature is active.
    pub(crate) fn index(self) -> f32 {
        if self.presence > 0.0 { bounded(self.surprise / self.presence) } else { 0.0 }
    }
}

/// The weights, in one of two orders.
#[derive(Clone, Debug)]
enum Cells {
    /// All of a weight together: best where an example meets a few, here and there.
    Slots(Vec<Slot>),
    /// Eight neighbours together: best where an example meets most. Rows of such a table are [`Place::Tiles`].
    Tiles(Tiles),
}

impl WeightTable {
    /// An empty table that may grow to `2^bits` slots.
    pub fn new(bits: u32) -> WeightTable {
        WeightTable::with_limit(1 << bits)
    }

    /// An empty table that may grow to `limit` slots; rows that share by hash need a power of two.
    pub fn with_limit(limit: usize) -> WeightTable {
        WeightTable { cells: Cells::Slots(Vec::new()), counts: Vec::new(), moments: Vec::new(), limit }
    }

    /// An empty table of tiles.
    pub(crate) fn of_tiles(limit: usize) -> WeightTable {
        WeightTable { cells: Cells::Tiles(Tiles::default()), counts: Vec::new(), moments: Vec::new(), limit }
    }

    /// How many weights there is room for now.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if there is no room for any.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many slots the table may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The weight at a place.
    #[inline]
    pub fn get(&self, place: usize) -> Slot {
        match &self.cells {
            Cells::Slots(slots) => slots[place],
            Cells::Tiles(tiles) => tiles.get(place),
        }
    }

    /// Replaces the weight at a place.
    pub(crate) fn set(&mut self, place: usize, slot: Slot) {
        match &mut self.cells {
            Cells::Slots(slots) => slots[place] = slot,
            Cells::Tiles(tiles) => tiles.set(place, slot),
        }
    }

    /// Moves a weight to a place that is free.
    pub(crate) fn move_weight(&mut self, from: usize, to: usize) {
        self.set(to, self.get(from));
        self.set(from, Slot::default());
        self.counts[to] = std::mem::take(&mut self.counts[from]);
        if !self.moments.is_empty() {
            self.moments[to] = std::mem::take(&mut self.moments[from]);
        }
    }

    /// Copies a weight from another table, with all that is known of its feature. It keeps its key.
    pub(crate) fn copy_weight(&mut self, to: usize, other: &WeightTable, from: usize) {
        self.set(to, Slot { key: self.get(to).key, ..other.get(from) });
        self.counts[to] = other.counts[from];
        if !other.moments.is_empty() {
            self.set_moments(to, other.moments[from]);
        }
    }

    /// What has been seen of the feature at a place.
    pub(crate) fn moments(&self, place: usize) -> Moments {
        self.moments.get(place).copied().unwrap_or_default()
    }

    /// Sets [`WeightTable::moments`].
    pub(crate) fn set_moments(&mut self, place: usize, moments: Moments) {
        self.moments.resize(self.counts.len(), Moments::default());
        self.moments[place] = moments;
    }

    /// Forgets what has been seen of all features: another epoch begins.
    pub(crate) fn forget_moments(&mut self) {
        self.moments.fill(Moments::default());
    }

    /// All weights in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The weights, for a table that keeps each together.
    #[inline]
    pub(crate) fn slots(&self) -> &[Slot] {
        match &self.cells {
            Cells::Slots(slots) => slots,
            Cells::Tiles(_) => &[],
        }
    }

    /// The same, and their counts, to be changed.
    pub(crate) fn slots_and_counts(&mut self) -> (&mut [Slot], &mut [u32]) {
        match &mut self.cells {
            Cells::Slots(slots) => (slots, &mut self.counts),
            Cells::Tiles(_) => (&mut [], &mut []),
        }
    }

    /// In how many examples the feature at a place was active, as far as examples are counted.
    pub fn active(&self, place: usize) -> u32 {
        self.counts[place]
    }

    /// Sets [`WeightTable::active`].
    pub(crate) fn set_active(&mut self, place: usize, count: u32) {
        self.counts[place] = count;
    }

    /// Changes every weight, and nothing else.
    pub(crate) fn change_weights(&mut self, change: impl Fn(f32) -> f32) {
        match &mut self.cells {
            Cells::Slots(slots) => slots.iter_mut().for_each(|slot| slot.weight = change(slot.weight)),
            Cells::Tiles(tiles) => tiles.change_weights(change),
        }
    }

    /// Where a row of weights for base slots up to `last` goes that would start at `start` if there were no
    /// limit. `key` tells rows apart that have to share.
    #[inline]
    pub fn place(&self, start: u64, last: u32, key: impl FnOnce() -> u64) -> Place {
        if start.saturating_add(last.into()) < self.limit as u64 {
            Place::Own(start as u32)
        } else {
            Place::Shared(key())
        }
    }

    /// True if eight neighbours are kept together.
    #[inline]
    pub(crate) fn is_tiled(&self) -> bool {
        matches!(self.cells, Cells::Tiles(_))
    }
}
