use super::adaptive::Parents;
use crate::weights::{Place, Slot, TILE, WeightTable};

/// Where the weights of products are when each parent has a straight row with a place for every base slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blocks {
    /// How many places a row has.
    stride: u32,
    /// Whether rows are of tiles: for data where an example has most of the base features.
    tiled: bool,
    /// How many parents have a row.
    rows: u32,
}

impl Blocks {
    pub(crate) fn new(stride: u32, tiled: bool) -> Blocks {
        Blocks { stride, tiled, rows: 0 }
    }

    /// An empty table of the right order of weights.
    pub(crate) fn table(&self) -> WeightTable {
        if self.tiled { WeightTable::of_tiles(usize::MAX) } else { WeightTable::with_limit(usize::MAX) }
    }

    pub(crate) fn stride(&self) -> u32 {
        self.stride
    }

    pub(crate) fn is_tiled(&self) -> bool {
        self.tiled
    }

    /// A stride with room for base slots below `slot_count`.
    pub(crate) fn stride_for(slot_count: usize, tiled: bool) -> usize {
        // The constant has no products, and a row of tiles begins after it.
        if tiled { (slot_count - 1).next_multiple_of(TILE) } else { slot_count.next_power_of_two().max(16) }
    }

    /// A row has room for base slots below this.
    pub(crate) fn room(&self) -> u32 {
        self.stride + u32::from(self.tiled)
    }

    /// True if a row has room for base slots below `slot_count`.
    pub(crate) fn has_room_for(&self, slot_count: usize) -> bool {
        self.room() as usize >= slot_count
    }

    pub(crate) fn place(&self, parent: u32, slot: u32) -> u32 {
        parent * self.stride + slot - u32::from(self.tiled)
    }

    /// The parent and the base slot at a place.
    fn product(&self, place: usize) -> (u32, u32) {
        let place = place as u32;
        (place / self.stride, place % self.stride + u32::from(self.tiled))
    }

    /// Where a parent's row is, and which of an example's base features it goes over.
    #[inline]
    pub(crate) fn row(&self, parent: u32, features: u32) -> (Place, u32, u32) {
        if self.tiled {
            (Place::Tiles(parent * self.stride / TILE as u32), 0, self.stride)
        } else {
            (Place::Own(parent * self.stride), 1, features)
        }
    }

    /// Makes room for all parents, and seals what new ones do not own.
    pub(crate) fn fit(&mut self, parents: &Parents, table: &mut WeightTable) {
        table.grow_to(parents.len() * self.stride as usize);
        for parent in self.rows..parents.len() as u32 {
            for slot in parents.sealed(parent) {
                table.set(self.place(parent, slot) as usize, Slot::SEALED);
            }
        }
        self.rows = parents.len() as u32;
    }

    /// Visits all products that have a weight, by parent and base slot: parent, slot, place.
    pub(crate) fn visit(&self, table: &WeightTable, mut visit: impl FnMut(u32, u32, usize)) {
        for place in (0..table.len()).filter(|place| !table.get(*place).is_untouched()) {
            let (parent, slot) = self.product(place);
            visit(parent, slot, place);
        }
    }

    /// Takes a sealed product into the feature set.
    pub(crate) fn unseal(&self, parent: u32, slot: u32, table: &mut WeightTable) {
        let place = self.place(parent, slot) as usize;
        table.set(place, Slot::default());
        table.set_active(place, 0);
    }
}
