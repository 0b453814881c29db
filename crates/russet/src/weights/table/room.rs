//! How much a table holds, in which order, and the memory for it.

use super::{Cells, Moments, WeightTable};
use crate::weights::{Slot, TILE, memory};

impl WeightTable {
    /// Sets address space for `length` slots aside, so that the table never moves as it grows. Where there is not so much, it moves.
    pub(crate) fn reserve(&mut self, length: usize) {
        if let Cells::Slots(slots) = &mut self.cells {
            memory::reserve(slots, length);
        }
        memory::reserve(&mut self.counts, length);
    }

    /// Makes memory ready for the first `length` slots, which will be written soon.
    pub(crate) fn expect(&self, length: usize) {
        if let Cells::Slots(slots) = &self.cells {
            memory::fill_large_pages(slots, length);
        }
        memory::fill_large_pages(&self.counts, length);
    }

    /// A copy that has as much room to grow as the table itself.
    pub(crate) fn copy_with_room(&self) -> WeightTable {
        let Cells::Slots(slots) = &self.cells else { return self.clone() };
        let copies = memory::copy_with_room(slots, slots.capacity());
        let counts = memory::copy_with_room(&self.counts, self.counts.capacity());
        WeightTable { cells: Cells::Slots(copies), counts, moments: self.moments.clone(), limit: self.limit }
    }

    /// True if the system can give memory for this many slots.
    pub(crate) fn can_have(slots: usize) -> bool {
        Vec::<Slot>::new().try_reserve_exact(slots.saturating_add(slots / 2)).is_ok()
    }

    /// Makes sure that there are at least `length` slots, or all that there may be.
    pub fn grow_to(&mut self, length: usize) {
        let length = length.min(self.limit);
        if self.len() < length {
            match &mut self.cells {
                Cells::Slots(slots) => memory::extend_with_zeros(slots, length, self.limit),
                Cells::Tiles(tiles) => tiles.extend(length.div_ceil(TILE), self.limit.div_ceil(TILE)),
            }
            memory::extend_with_zeros(&mut self.counts, length, self.limit);
            if !self.moments.is_empty() {
                self.moments.resize(length, Moments::default());
            }
        }
    }

    /// Keeps eight neighbours together, or each weight by itself: the places stay.
    pub(crate) fn set_tiled(&mut self, tiled: bool) {
        if tiled == self.is_tiled() {
            return;
        }
        let empty = if tiled { WeightTable::of_tiles(self.limit) } else { WeightTable::with_limit(self.limit) };
        let before = std::mem::replace(self, empty);
        match &mut self.cells {
            Cells::Slots(slots) => memory::extend_with_zeros(slots, before.len(), self.limit),
            Cells::Tiles(tiles) => tiles.extend(before.len().div_ceil(TILE), self.limit.div_ceil(TILE)),
        }
        // What was never written stays so, and takes no memory.
        let touched = (0..).zip(before.iter()).filter(|(_, slot)| *slot != Slot::default());
        touched.for_each(|(place, slot)| self.set(place, slot));
        (self.counts, self.moments) = (before.counts, before.moments);
    }
}
