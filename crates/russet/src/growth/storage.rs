//! Which layout the weights of products have, and how they are moved to another.

use serde::{Deserialize, Serialize};

use super::{Growth, Storage};
use crate::expansion::blocks::Blocks;
use crate::expansion::families::Families;
use crate::weights::WeightTable;

/// How the weights of products are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A straight row for each parent, with a place for every base feature.
    Rows,
    /// The same, for data where an example has most of the base features.
    Tiles,
    /// A hash table for each parent, with the base feature as the key.
    Families,
}

/// How the products of an adaptive expansion use memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StorageReport {
    /// How they are stored.
    pub layout: Layout,
    /// How many places for weights there are.
    pub places: usize,
    /// How often a product of an example had no weight because memory was full. No two products ever share one.
    pub left_out: u64,
}

/// Blocks that take more slots than this (32 MiB) are mostly empty and leave the processor's caches: families are faster.
const LARGEST_BLOCKS: usize = 1 << 21;

impl Growth {
    /// How the products use memory.
    pub(crate) fn storage(&self, table: &WeightTable) -> StorageReport {
        match &self.storage {
            Storage::Blocks(blocks) => {
                let layout = if blocks.is_tiled() { Layout::Tiles } else { Layout::Rows };
                StorageReport { layout, places: table.len(), left_out: 0 }
            }
            Storage::Families(families) => {
                StorageReport { layout: Layout::Families, places: families.places(), left_out: families.left_out() }
            }
        }
    }

    /// Makes the table fit the parents and base slots below `slot_count`: rows are moved apart when there are more
    /// features than they have room for, and given up for families when that would need too much memory. Examples have
    /// `average` of the base features.
    pub(crate) fn fit(&mut self, table: &mut WeightTable, slot_count: usize, average: f64) {
        if self.trial.is_some() && matches!(self.storage, Storage::Blocks(_)) {
            // Few products of a parent pass, and a product that has no place is not in the feature set.
            self.move_to_families(table);
        }
        let Storage::Blocks(blocks) = &self.storage else { return };
        let fits = blocks.has_room_for(slot_count);
        let tiled = blocks.is_tiled() && (fits || Growth::suits_tiles(slot_count, average));
        let stride = match fits {
            true => blocks.stride() as usize,
            // Twice the room, so that this is rare.
            false => Blocks::stride_for(slot_count.next_power_of_two() + 1, tiled),
        };
        if !self.have_room_for(stride) {
            self.move_to_families(table);
        } else if !fits {
            self.move_to_blocks(table, stride, tiled);
        } else if let Storage::Blocks(blocks) = &mut self.storage {
            blocks.fit(&self.parents, table);
        }
    }

    /// Chooses the order of weights in blocks, for examples with `average` of the base features.
    pub(crate) fn choose_layout(&mut self, table: &mut WeightTable, slot_count: usize, average: f64) {
        let Storage::Blocks(blocks) = &self.storage else { return };
        let tiled = Growth::suits_tiles(slot_count, average);
        let stride = Blocks::stride_for(slot_count, tiled);
        if tiled != blocks.is_tiled() && slot_count > 1 && self.have_room_for(stride) {
            self.move_to_blocks(table, stride, tiled);
        }
    }

    /// True if examples have so many of the base features that tiles, which go over all, are faster than scattered weights.
    fn suits_tiles(slot_count: usize, average: f64) -> bool {
        // A tile's weights cost less than half of what scattered ones do.
        slot_count as f64 - 1.0 <= 2.0 * average
    }

    /// True if blocks of this stride fit in memory.
    pub(super) fn have_room_for(&self, stride: usize) -> bool {
        self.parents.len().saturating_mul(stride) <= self.limit.min(LARGEST_BLOCKS)
    }

    pub(super) fn move_to_blocks(&mut self, table: &mut WeightTable, stride: usize, tiled: bool) {
        let mut blocks = Blocks::new(stride as u32, tiled);
        let mut moved = blocks.table();
        blocks.fit(&self.parents, &mut moved);
        self.visit_products(table, |parent, slot, place| {
            moved.copy_weight(blocks.place(parent, slot) as usize, table, place);
        });
        (*table, self.storage) = (moved, Storage::Blocks(blocks));
    }

    pub(super) fn move_to_families(&mut self, table: &mut WeightTable) {
        let mut moved = WeightTable::with_limit(usize::MAX);
        moved.reserve(self.limit);
        // The stretches that families have left take as much again.
        let mut families = Families::new(self.limit / 2, self.trial.is_none(), &mut moved);
        self.visit_products(table, |parent, slot, place| match families.insert(parent, slot, &mut moved) {
            Some(to) => moved.copy_weight(to as usize, table, place),
            None => families.leave_out(1),
        });
        (*table, self.storage) = (moved, Storage::Families(families));
    }
}
