mod family;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod listing;
mod plain;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{Cpu, Listed};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_as_the_standard_map(
            products in prop::collection::vec((0u32..5, 1u32..90), 0..400), limit in 0usize..600,
        ) {
            let mut table = WeightTable::with_limit(usize::MAX);
            let mut families = Families::new(limit, true, &mut table);
            let mut map = BTreeMap::new();
            for (parent, slot) in products {
                let place = families.insert(parent, slot, &mut table);
                prop_assert!(place.is_none() || !map.contains_key(&(parent, slot)));
                if let Some(place) = place {
                    let weight = map.len() as f32;
                    table.set(place as usize, Slot { weight, key: slot, ..Slot::default() });
                    map.insert((parent, slot), weight);
                }
            }
            prop_assert!(families.places() <= limit);
            let mut found = BTreeMap::new();
            families.visit_in_order(&table, |parent, slot, place| {
                assert_eq!(families.place(parent, slot, &table), Some(place as u32));
                assert_eq!(found.insert((parent, slot), table.get(place).weight), None);
            });
            prop_assert_eq!(found, map);
        }
    }

    proptest! {
        /// A loaded model must have room for just as much as the one that was saved, whatever the order products came in.
        #[test]
        fn room_made_at_once_is_that_made_one_by_one(
            slots in prop::collection::hash_set(prop_oneof![1u32..40, 1u32..100_000], 1..200), limit in 0usize..600,
        ) {
            let slots: Vec<u32> = slots.into_iter().collect();
            let (mut table, mut other) = (WeightTable::with_limit(usize::MAX), WeightTable::with_limit(usize::MAX));
            let (mut grown, mut made) = (Families::new(limit, true, &mut table), Families::new(limit, true, &mut other));
            let all = slots.iter().all(|slot| grown.insert(1, *slot, &mut table).is_some());
            let weight = |slot: &u32| (Slot { weight: *slot as f32, key: *slot, ..Slot::default() }, slot + 1);
            let restored = made.restore(1, &slots, &mut other, weight);
            prop_assert_eq!(restored.is_some(), all);
            if all {
                prop_assert_eq!(made.places(), grown.places());
                for slot in &slots {
                    let place = made.place(1, *slot, &other).unwrap() as usize;
                    prop_assert_eq!((other.get(place), other.active(place)), weight(slot));
                }
                let mut visited = 0;
                made.visit(&other, |_, _, _| visited += 1);
                prop_assert_eq!(visited, slots.len());
                // As ready for more as the other.
                for slot in 1..200 {
                    let more = [made.insert(1, slot, &mut other).is_some(), grown.insert(1, slot, &mut table).is_some()];
                    prop_assert_eq!(more[0], more[1]);
                    prop_assert_eq!(made.places(), grown.places());
                }
            }
        }

        #[test]
        fn a_saved_product_that_occurs_twice_is_refused(slots in prop::collection::vec(1u32..60, 1..12)) {
            let mut table = WeightTable::with_limit(usize::MAX);
            let weight = |slot: &u32| (Slot { key: *slot, ..Slot::default() }, 0);
            let restored = Families::new(1 << 10, true, &mut table).restore(0, &slots, &mut table, weight);
            let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
            prop_assert_eq!(restored.is_some(), distinct.len() == slots.len());
        }
    }

    /// The rows of an example that has `slots`, one for each of five parents: places, slots and values.
    fn list(lookup: Lookup<'_>, slots: &[u32], sealed: &[usize]) -> Vec<(u32, u32, f32)> {
        let (mut listed, mut words) = (Listed::default(), Sealed::default());
        let values: Vec<f32> = slots.iter().map(|slot| *slot as f32 + 0.5).collect();
        words.clear(slots.len());
        sealed.iter().for_each(|position| words.add(position % slots.len()));
        let mut ends = vec![0];
        for parent in 0..5 {
            lookup.aim(parent, Features { slots, values: &values }, &words, &mut listed);
            ends.push(listed.len());
        }
        let mut to = 0;
        for (parent, row) in (0..).zip(ends.windows(2)) {
            to += lookup.confirm(parent, row[0]..row[1], to, &mut listed);
        }
        let all = listed.places[..to].iter().zip(&listed.slots).zip(&listed.values);
        all.map(|((place, slot), value)| (*place, *slot, *value)).collect()
    }

    proptest! {
        /// Whatever looks for products, it lists just those that have a place or may get one, and others' as sealed.
        #[test]
        fn every_processor_lists_what_there_is(
            products in prop::collection::vec((0u32..5, prop_oneof![1u32..60, 1u32..5_000]), 0..500),
            example in prop::collection::hash_set(prop_oneof![1u32..60, 1u32..5_000], 1..90),
            sealed in prop::collection::vec(0usize..90, 0..4),
            limit in 0usize..600,
            admits in any::<bool>(),
        ) {
            let mut table = WeightTable::with_limit(usize::MAX);
            let mut families = Families::new(limit, admits, &mut table);
            let slots: Vec<u32> = example.into_iter().collect();
            let is_sealed = |slot: u32| sealed.iter().any(|position| slots[position % slots.len()] == slot);
            for (parent, slot) in products.into_iter().filter(|(_, slot)| !is_sealed(*slot)) {
                families.insert(parent, slot, &mut table);
            }
            let (mut expected, mut old) = (Vec::new(), Vec::new());
            for (parent, slot) in (0..5).flat_map(|parent| slots.iter().map(move |slot| (parent, *slot))) {
                let place = families.place(parent, slot, &table);
                let in_time = (slot < families.late_from(parent)).then_some(Families::NEW);
                let with_others = if is_sealed(slot) { in_time.map(|_| Families::SEALED) } else { place.or(in_time) };
                let [all, old_ones] = [with_others, place].map(|place| place.map(|place| (place, slot, slot as f32 + 0.5)));
                expected.extend(all);
                old.extend(old_ones);
            }
            for cpu in Cpu::available() {
                let lookup = families.lookup(&table, cpu);
                prop_assert_eq!(&list(lookup, &slots, &sealed), &expected, "{:?}", cpu);
                prop_assert_eq!(&list(lookup.of_old_ones(), &slots, &[]), &old, "{:?}", cpu);
            }
        }

        /// A model that was saved and loaded goes on to the bit, so whether a product may still get a place must not hang on
        /// which was refused before.
        #[test]
        fn who_may_get_a_place_hangs_on_what_is_there_alone(
            products in prop::collection::vec((0u32..5, 1u32..3_000), 0..500), limit in 0usize..600,
        ) {
            let (mut table, mut other) = (WeightTable::with_limit(usize::MAX), WeightTable::with_limit(usize::MAX));
            let (mut grown, mut made) = (Families::new(limit, true, &mut table), Families::new(limit, true, &mut other));
            for (parent, slot) in products {
                grown.insert(parent, slot, &mut table);
            }
            for parent in 0..5 {
                let mut slots = Vec::new();
                grown.visit_in_order(&table, |owner, slot, _| slots.extend((owner == parent).then_some(slot)));
                if !slots.is_empty() {
                    let weight = |slot: &u32| (Slot { key: *slot, ..Slot::default() }, 1);
                    prop_assert!(made.restore(parent, &slots, &mut other, weight).is_some());
                }
            }
            prop_assert!((0..5).all(|parent| made.late_from(parent) == grown.late_from(parent)));
        }
    }

    #[test]
    fn a_listed_row_gets_its_places_also_when_the_family_moves() {
        let mut table = WeightTable::with_limit(usize::MAX);
        let mut families = Families::new(1 << 10, true, &mut table);
        let slots: Vec<u32> = (1..40).collect();
        let mut listed = Listed::default();
        let lookup = families.lookup(&table, Cpu::fastest());
        let mut sealed = Sealed::default();
        sealed.clear(39);
        sealed.add(3);
        lookup.aim(2, Features { slots: &slots, values: &[1.0; 39] }, &sealed, &mut listed);
        let row = 0..lookup.confirm(2, 0..39, 0, &mut listed);
        assert_eq!(row, 0..39);
        let expected = (0..39).map(|position| if position == 3 { Families::SEALED } else { Families::NEW });
        assert!(listed.places[row.clone()].iter().copied().eq(expected));
        families.admit(2, row.clone(), &mut listed, &mut table, |_, _| ());
        let expected =
            listed.slots[row.clone()].iter().map(|slot| families.place(2, *slot, &table).unwrap_or(Families::SEALED));
        assert!(listed.places[row].iter().copied().eq(expected));
    }
}
