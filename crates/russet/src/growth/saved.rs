//! What of a growth is saved, and how it is rebuilt from that.

use serde::{Deserialize, Serialize};

use super::{Growth, Layout, Storage, StorageReport};
use crate::expansion::blocks::Blocks;
use crate::schedule::Schedule;
use crate::settings::Settings;
use crate::weights::{Slot, TILE, WeightTable};

/// What of a growth is saved in the header; `parents` are origin + 1 (or 0), last factor, epoch, heritage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrowthHeader {
    pub(crate) schedule: Schedule,
    pub(crate) grown: u32,
    pub(crate) layout: Layout,
    pub(crate) stride: u32,
    pub(crate) left_out: u64,
    pub(crate) counted: Vec<u32>,
    pub(crate) parents: Vec<(u32, u32, u32, f32)>,
}

impl Growth {
    pub(crate) fn header(&self, table: &WeightTable) -> GrowthHeader {
        let parents = self.parents.iter().map(|parent| {
            let (origin, slot) = parent.origin;
            (origin.map_or(0, |origin| origin + 1), slot, parent.epoch, parent.heritage)
        });
        let StorageReport { layout, left_out, .. } = self.storage(table);
        let stride = match &self.storage {
            Storage::Blocks(blocks) => blocks.stride(),
            Storage::Families(_) => 0,
        };
        let (schedule, grown, counted) = (self.schedule, self.grown, self.counted.clone());
        GrowthHeader { schedule, grown, layout, stride, left_out, counted, parents: parents.collect() }
    }

    /// Rebuilds a growth from what was saved, and the table for its products; nothing if that contradicts itself.
    pub(crate) fn restore(
        header: &GrowthHeader,
        settings: &Settings,
        fractional: Vec<u64>,
        slot_count: usize,
        table: &mut WeightTable,
    ) -> Option<Growth> {
        let mut growth = Growth::new(header.schedule, settings);
        growth.grown = header.grown;
        growth.counted.clone_from(&header.counted);
        if growth.counted.len() != growth.grown as usize {
            return None;
        }
        growth.parents.set_fractional_bits(fractional);
        for (origin, slot, epoch, heritage) in &header.parents {
            growth.restore_parent(origin.checked_sub(1), *slot, slot_count)?;
            if !(heritage.is_finite() && *heritage >= 0.0) {
                return None;
            }
            growth.parents.add(origin.checked_sub(1), *slot, *epoch, *heritage);
        }
        match header.layout {
            Layout::Families => {
                growth.move_to_families(table);
                let Storage::Families(families) = &mut growth.storage else { return None };
                families.set_left_out(header.left_out);
            }
            layout => {
                let blocks = Blocks::new(header.stride, layout == Layout::Tiles);
                let fits = growth.have_room_for(header.stride as usize);
                let sound = header.stride.is_multiple_of(TILE as u32) && header.stride > 0;
                if !(fits && sound && (blocks.has_room_for(slot_count) || growth.parents.len() == 0)) {
                    return None;
                }
                growth.move_to_blocks(table, header.stride as usize, layout == Layout::Tiles);
            }
        }
        Some(growth)
    }

    /// Checks that a saved parent can be one.
    fn restore_parent(&self, origin: Option<u32>, slot: u32, slot_count: usize) -> Option<()> {
        let known = match origin {
            None => self.parents.is_root(slot),
            Some(parent) if (parent as usize) < self.parents.len() => self.parents.is_offspring(parent, slot),
            Some(_) => return None,
        };
        (!known && slot != 0 && (slot as usize) < slot_count).then_some(())
    }

    /// Restores all saved products of a parent at once, if they are stored as a family that has none yet; otherwise
    /// [`Growth::restore_product`] has to, one by one, and this gives false. `read` gives the weight of a product, with the
    /// base slot as its key, and its count. Nothing if they cannot be in the feature set.
    pub(crate) fn restore_family<P>(
        &mut self,
        parent: u32,
        products: &[P],
        slot_count: usize,
        table: &mut WeightTable,
        read: impl Fn(&P) -> (Slot, u32),
    ) -> Option<bool> {
        let Storage::Families(families) = &mut self.storage else { return Some(false) };
        if families.has(parent) {
            return Some(false);
        }
        let parents = &self.parents;
        let can_be = |slot: u32| slot > 0 && (slot as usize) < slot_count && parents.owns(parent, slot);
        let sound = (parent as usize) < parents.len() && products.iter().all(|product| can_be(read(product).0.key));
        sound.then(|| families.restore(parent, products, table, read))?.map(|()| true)
    }

    /// The place of a saved product, which gets one if it needs to; none if it cannot be in the feature set.
    pub(crate) fn restore_product(
        &mut self,
        parent: u32,
        slot: u32,
        slot_count: usize,
        table: &mut WeightTable,
    ) -> Option<usize> {
        let inside = (parent as usize) < self.parents.len() && slot > 0 && (slot as usize) < slot_count;
        if !inside || !self.parents.owns(parent, slot) {
            return None;
        }
        let place = match &mut self.storage {
            Storage::Blocks(blocks) => blocks.place(parent, slot),
            Storage::Families(families) => families.insert(parent, slot, table)?,
        };
        table.get(place as usize).is_untouched().then_some(place as usize)
    }
}
