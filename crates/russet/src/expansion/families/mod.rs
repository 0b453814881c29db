mod family;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod listing;
mod plain;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

use super::steps;
use crate::weights::{Slot, WeightTable};
use family::{Family, NO_FAMILY};
pub(crate) use listing::{Features, Lookup, Sealed};

/// Where the weights of products are when straight rows would be mostly empty: each parent has a *family*, a hash table of
/// its products with the base slot as the key ([`Slot::key`]; 0 if the place is free). A family lies together, so an
/// example that has a parent meets one stretch of memory. Keys are exact: no two products share a weight. When memory is
/// full, further products have none.
#[derive(Clone, Debug)]
pub(crate) struct Families {
    families: Vec<Family>,
    /// Stretches that families have left, by the bits of their length.
    left: Vec<Vec<u32>>,
    /// How many places the families have, and may have.
    places: usize,
    limit: usize,
    /// Whether products get places as examples have them.
    admits: bool,
    /// How often a product found no room.
    left_out: u64,
}

const SMALLEST_FAMILY: u32 = 4;

/// How many products ahead a place is asked for while many get theirs.
const AHEAD: usize = 16;

impl Families {
    /// The place of a product that is not in the feature set. Its weight is sealed.
    pub(crate) const SEALED: u32 = 0;
    /// The place listed for a product that has no place yet. Its weight is sealed.
    pub(crate) const NEW: u32 = 1;

    /// No family yet. `limit`: how many places there may be; `admits`: whether products get places as examples have them. The
    /// table must be empty.
    pub(crate) fn new(limit: usize, admits: bool, table: &mut WeightTable) -> Families {
        table.grow_to(2);
        table.set(Families::SEALED as usize, Slot::SEALED);
        table.set(Families::NEW as usize, Slot::SEALED);
        Families { families: Vec::new(), left: vec![Vec::new(); 32], places: 0, limit, admits, left_out: 0 }
    }

    pub(crate) fn places(&self) -> usize {
        self.places
    }

    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(crate) fn set_left_out(&mut self, left_out: u64) {
        self.left_out = left_out;
    }

    /// Counts products that found no room.
    pub(crate) fn leave_out(&mut self, products: u64) {
        self.left_out += products;
    }

    /// The place of a product, if it has one and is in the feature set.
    pub(crate) fn place(&self, parent: u32, slot: u32, table: &WeightTable) -> Option<u32> {
        let place = self.family(parent)?.find(slot, table.slots());
        (table.slots()[place as usize].key == slot).then_some(place)
    }

    /// The family of a parent, if it has places.
    fn family(&self, parent: u32) -> Option<&Family> {
        self.families.get(parent as usize).filter(|family| family.bits > 0)
    }

    /// How many places a parent's family has.
    fn length_of(&self, parent: u32) -> usize {
        self.families.get(parent as usize).map_or(0, Family::len)
    }

    /// From which base slot on products of a parent that have no place get none: they come when memory is full.
    fn late_from(&self, parent: u32) -> u32 {
        let family = self.families.get(parent as usize).unwrap_or(&NO_FAMILY);
        match family.is_full() && !self.can_enlarge(family) {
            _ if !self.admits => 0,
            true => family.half,
            false => u32::MAX,
        }
    }

    /// True if there is memory for a family that is twice as long.
    fn can_enlarge(&self, family: &Family) -> bool {
        self.places - family.len() + (1 << family.next_bits()) <= self.limit
    }

    /// Gives a product a place; none if memory is full, or if it has one.
    pub(crate) fn insert(&mut self, parent: u32, slot: u32, table: &mut WeightTable) -> Option<u32> {
        if self.families.len() <= parent as usize {
            self.families.resize(parent as usize + 1, Family::default());
        }
        while self.families[parent as usize].is_full_for(slot) {
            self.enlarge(parent, table)?;
        }
        let family = &mut self.families[parent as usize];
        let place = family.find(slot, table.slots());
        if table.get(place as usize).key != 0 {
            return None;
        }
        family.take_in(slot);
        table.set(place as usize, Slot { key: slot, ..Slot::default() });
        Some(place)
    }

    /// Gives saved products of a parent that has none yet their places and weights, all at once: the family is as long as it
    /// has to be from the start, so nothing moves, and memory is asked for before it is used. `read` gives the weight of a
    /// product, with its key, and its count. Nothing if there is not so much memory, or a product occurs twice.
    pub(crate) fn restore<P>(
        &mut self,
        parent: u32,
        products: &[P],
        table: &mut WeightTable,
        read: impl Fn(&P) -> (Slot, u32),
    ) -> Option<()> {
        let key = |product: &P| read(product).0.key;
        let in_order = products.is_sorted_by(|a, b| key(a) < key(b));
        let below = |slot| products.partition_point(|product| key(product) < slot);
        let bits = if in_order {
            Family::bits_for(|slot| products.len() - below(slot))
        } else {
            Family::bits_for(|slot| products.iter().filter(|product| key(product) >= slot).count())
        };
        self.make_room(parent, bits, table)?;
        let family = &mut self.families[parent as usize];
        // In order, as they are saved, those come first that are at their own number and need not be looked for.
        let (direct, others) = products.split_at(if in_order { below(family.half) } else { 0 });
        let (weights, counts) = table.slots_and_counts();
        let own = family.range();
        let (own_weights, own_counts) = (&mut weights[own.clone()], &mut counts[own]);
        for (weight, count) in direct.iter().map(&read) {
            own_weights[weight.key as usize] = weight;
            own_counts[weight.key as usize] = count;
        }
        family.take_in_all(others, weights, counts, read)
    }

    /// True if a parent has products with a place.
    pub(crate) fn has(&self, parent: u32) -> bool {
        self.length_of(parent) > 0
    }

    /// Makes a family that has no places yet 2^bits long. Nothing if there is not so much memory.
    fn make_room(&mut self, parent: u32, bits: u32, table: &mut WeightTable) -> Option<()> {
        debug_assert!(!self.has(parent));
        if self.places + (1 << bits) > self.limit {
            return None;
        }
        if self.families.len() <= parent as usize {
            self.families.resize(parent as usize + 1, Family::default());
        }
        self.places += 1 << bits;
        self.rehouse(parent, bits, table);
        Some(())
    }

    /// Visits all products that have places: parent, slot, place.
    pub(crate) fn visit(&self, table: &WeightTable, mut visit: impl FnMut(u32, u32, usize)) {
        for (parent, family) in self.families.iter().enumerate().filter(|(_, family)| family.bits > 0) {
            for place in family.range() {
                let key = table.slots()[place].key;
                if key != 0 {
                    visit(parent as u32, key, place);
                }
            }
        }
    }

    /// The same, by parent and base slot.
    pub(crate) fn visit_in_order(&self, table: &WeightTable, mut visit: impl FnMut(u32, u32, usize)) {
        let mut members = Vec::new();
        for (parent, family) in self.families.iter().enumerate().filter(|(_, family)| family.bits > 0) {
            members.clear();
            members.extend(family.range().map(|place| (table.slots()[place].key, place)).filter(|(key, _)| *key != 0));
            members.sort_unstable();
            members.iter().for_each(|(slot, place)| visit(parent as u32, *slot, *place));
        }
    }

    /// Moves a family to a stretch twice as long, unless memory is full.
    fn enlarge(&mut self, parent: u32, table: &mut WeightTable) -> Option<()> {
        let family = &self.families[parent as usize];
        let (had, bits) = (family.len(), family.next_bits());
        if !self.can_enlarge(family) {
            return None;
        }
        self.places += (1 << bits) - had;
        self.rehouse(parent, bits, table);
        Some(())
    }

    #[cold]
    fn rehouse(&mut self, parent: u32, bits: u32, table: &mut WeightTable) {
        let mut family = Family::new(self.stretch(bits, table), bits);
        let old = std::mem::take(&mut self.families[parent as usize]);
        for from in old.range() {
            let slot = table.get(from);
            if slot.key != 0 {
                let to = family.find(slot.key, table.slots()) as usize;
                family.take_in(slot.key);
                table.move_weight(from, to);
            }
        }
        if old.bits > 0 {
            self.left[old.bits as usize].push(old.start);
        }
        self.families[parent as usize] = family;
    }

    /// A free stretch of 2^bits places.
    fn stretch(&mut self, bits: u32, table: &mut WeightTable) -> u32 {
        self.left[bits as usize].pop().unwrap_or_else(|| {
            let start = table.len();
            table.grow_to(start + (1 << bits));
            start as u32
        })
    }
}
