use super::steps;
use crate::weights::{Slot, WeightTable, prefetch};

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
    /// How often a product found no room.
    left_out: u64,
}

/// A hash table in two halves. Base slots are numbered as they first appear, so small ones are frequent: those below half
/// the length are at their own number in the first half, and what is often met lies together. All others are in the second
/// half, by their hash.
#[derive(Clone, Debug, Default)]
struct Family {
    start: u32,
    /// It has 2^bits places; none if this is 0.
    bits: u32,
    /// How long a half is.
    half: u32,
    /// How many products are in the second half, and which may be.
    hashed: u32,
    filter: Filter,
    /// Set once the second half is full and memory too.
    is_complete: bool,
}

const SMALLEST_FAMILY: u32 = 4;

/// How many lookups are begun before any is gone on with.
const PENDING: usize = 64;

/// How many products ahead a place is asked for while many get theirs.
const AHEAD: usize = 16;

impl Families {
    /// The place listed for a product that is not in the feature set. Its weight is sealed.
    pub(crate) const SEALED: u32 = 0;
    /// The place listed for a product that has no place yet. Its weight is sealed.
    pub(crate) const NEW: u32 = 1;

    /// No family yet. `limit`: how many places there may be. The table must be empty.
    pub(crate) fn new(limit: usize, table: &mut WeightTable) -> Families {
        table.grow_to(2);
        table.set(Families::SEALED as usize, Slot::SEALED);
        table.set(Families::NEW as usize, Slot::SEALED);
        Families { families: Vec::new(), left: vec![Vec::new(); 32], places: 0, limit, left_out: 0 }
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
        let family = self.families.get(parent as usize).filter(|family| family.bits > 0)?;
        let place = family.find(slot, table.slots());
        (table.slots()[place as usize].key == slot).then_some(place)
    }

    /// Lists where each of a parent's products with base slots is if it is anywhere, and asks for that memory;
    /// [`Families::confirm`] has to follow.
    #[inline]
    pub(crate) fn aim(&self, parent: u32, slots: &[u32], table: &WeightTable, listed: &mut Vec<u32>) {
        let Some(family) = self.families.get(parent as usize).filter(|family| family.bits > 0) else {
            listed.extend(slots.iter().map(|_| Families::NEW));
            return;
        };
        let (weights, Family { start, half, filter, is_complete, .. }) = (table.slots(), family);
        listed.extend(slots.iter().map(|slot| {
            steps::count(1);
            // Without a branch, as which it is cannot be foreseen.
            let (home, may_have) = (start + family.home(*slot), (slot < half) | filter.may_have(*slot));
            // What is not there yet may soon get a place.
            prefetch(weights, if may_have | !is_complete { home } else { Families::NEW } as usize);
            if may_have { home } else { Families::NEW }
        }));
    }

    /// Makes the places of products of what [`Families::aim`] has listed.
    #[inline]
    pub(crate) fn confirm(&self, parent: u32, slots: &[u32], listed: &mut [u32], table: &WeightTable) {
        let Some(family) = self.families.get(parent as usize).filter(|family| family.bits > 0) else { return };
        let weights = table.slots();
        // Most are where they are looked for first, or not at all.
        let (mut pending, mut count) = ([0u8; PENDING], 0);
        for (slots, listed) in slots.chunks(PENDING).zip(listed.chunks_mut(PENDING)) {
            for (position, (slot, place)) in slots.iter().zip(listed.iter_mut()).enumerate() {
                let key = weights[*place as usize].key;
                *place = if key == *slot { *place } else { Families::NEW };
                pending[count % PENDING] = position as u8;
                count += usize::from(key != *slot && key != 0);
            }
            for position in &pending[..count] {
                let position = usize::from(*position);
                let place = family.find(slots[position], weights);
                if weights[place as usize].key == slots[position] {
                    listed[position] = place;
                }
            }
            count = 0;
        }
    }

    /// Gives places to the products of a listed row that have none, and lists them anew; calls `admitted(position, key)`
    /// for each that got one.
    pub(crate) fn admit(
        &mut self,
        parent: u32,
        slots: &[u32],
        listed: &mut [u32],
        table: &mut WeightTable,
        mut admitted: impl FnMut(usize, u32),
    ) {
        let (had, complete_from) = (self.length_of(parent), self.complete_from(parent));
        for (position, (slot, place)) in slots.iter().zip(listed.iter_mut()).enumerate() {
            let (is_new, is_late) = (*place == Families::NEW, *slot >= complete_from);
            self.left_out += u64::from(is_new & is_late);
            if !is_new | is_late {
                continue;
            }
            match self.insert(parent, *slot, table) {
                Some(found) => {
                    *place = found;
                    admitted(position, *slot);
                }
                None => self.left_out += 1,
            }
        }
        if had != self.length_of(parent) {
            let family = &self.families[parent as usize];
            let with_place = |place: &&mut u32| !matches!(**place, Families::SEALED | Families::NEW);
            for (slot, place) in slots.iter().zip(listed).filter(|(_, place)| with_place(place)) {
                *place = family.find(*slot, table.slots());
            }
        }
    }

    /// How many places a parent's family has.
    fn length_of(&self, parent: u32) -> usize {
        self.families.get(parent as usize).map_or(0, Family::len)
    }

    /// From which base slot on no product of a parent will get a place any more.
    fn complete_from(&self, parent: u32) -> u32 {
        self.families.get(parent as usize).filter(|family| family.is_complete).map_or(u32::MAX, |family| family.half)
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

    /// Moves a family to a stretch twice as long, unless memory is full: then that is for good.
    fn enlarge(&mut self, parent: u32, table: &mut WeightTable) -> Option<()> {
        let bits = (self.families[parent as usize].bits + 1).max(SMALLEST_FAMILY);
        let had = self.families[parent as usize].len();
        if self.places - had + (1 << bits) > self.limit {
            self.families[parent as usize].is_complete = true;
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

impl Family {
    /// An empty one of 2^bits places.
    fn new(start: u32, bits: u32) -> Family {
        Family {
            start,
            bits,
            half: 1 << (bits - 1),
            hashed: 0,
            filter: Filter::new((bits + 2).min(31)),
            is_complete: false,
        }
    }

    /// The bits of a family that has got its products one by one, in any order: the fewest with which its second half is not
    /// too full, since each product less leaves it less full. `from` gives how many have a base slot from a given one on.
    fn bits_for(from: impl Fn(u32) -> usize) -> u32 {
        let fits = |bits: &u32| from(1 << (bits - 1)) * 4 <= 3 << (bits - 1);
        (SMALLEST_FAMILY..32).find(fits).unwrap_or(32)
    }

    /// Gives saved products their places and weights: see [`Families::restore`]. Nothing if one occurs twice.
    fn take_in_all<P>(
        &mut self,
        products: &[P],
        weights: &mut [Slot],
        counts: &mut [u32],
        read: impl Fn(&P) -> (Slot, u32),
    ) -> Option<()> {
        let mut ahead = products.iter().skip(AHEAD);
        for product in products {
            if let Some(later) = ahead.next() {
                let home = (self.start + self.home(read(later).0.key)) as usize;
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
    fn len(&self) -> usize {
        2 * self.half as usize
    }

    /// Its places.
    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len()
    }

    /// Takes note that a base slot has got a place.
    fn take_in(&mut self, slot: u32) {
        if slot >= self.half {
            self.hashed += 1;
            self.filter.add(slot);
        }
    }

    /// True if there is no place for a base slot: the second half is three quarters full at most.
    fn is_full_for(&self, slot: u32) -> bool {
        slot >= self.half && (self.hashed + 1) * 4 > 3 * self.half
    }

    /// Where a base slot is looked for first, from the start.
    #[inline]
    fn home(&self, slot: u32) -> u32 {
        let hashed = self.half + (scattered(slot) >> (33 - self.bits));
        if slot < self.half { slot } else { hashed }
    }

    /// Where a base slot is, or the free place where it would go. Families are never full.
    #[inline]
    fn find(&self, slot: u32, weights: &[Slot]) -> u32 {
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

/// Which base slots may be in a family: one bit for all that share a hash. Small enough to stay in the nearest cache, where
/// most products that have no weight are told from the others.
#[derive(Clone, Debug, Default)]
struct Filter {
    words: Vec<u64>,
    /// A hash is shifted down by this.
    shift: u32,
}

impl Filter {
    /// An empty one of 2^bits bits.
    fn new(bits: u32) -> Filter {
        Filter { words: vec![0; (1 << bits) / 64], shift: 32 - bits }
    }

    #[inline]
    fn may_have(&self, slot: u32) -> bool {
        let bit = scattered(slot) >> self.shift;
        self.words[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    fn add(&mut self, slot: u32) {
        let bit = scattered(slot) >> self.shift;
        self.words[bit as usize / 64] |= 1 << (bit % 64);
    }
}

/// A hash of a base slot, best in its upper bits.
#[inline]
fn scattered(slot: u32) -> u32 {
    slot.wrapping_mul(0x9e37_79b1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_as_the_standard_map(
            products in prop::collection::vec((0u32..5, 1u32..90), 0..400), limit in 0usize..600,
        ) {
            let mut table = WeightTable::with_limit(usize::MAX);
            let mut families = Families::new(limit, &mut table);
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
            let (mut grown, mut made) = (Families::new(limit, &mut table), Families::new(limit, &mut other));
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
            let restored = Families::new(1 << 10, &mut table).restore(0, &slots, &mut table, weight);
            let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
            prop_assert_eq!(restored.is_some(), distinct.len() == slots.len());
        }
    }

    #[test]
    fn a_listed_row_gets_its_places_also_when_the_family_moves() {
        let mut table = WeightTable::with_limit(usize::MAX);
        let mut families = Families::new(1 << 10, &mut table);
        let (slots, mut listed) = ((1..40).collect::<Vec<u32>>(), Vec::new());
        families.aim(2, &slots, &table, &mut listed);
        families.confirm(2, &slots, &mut listed, &table);
        assert!(listed.iter().all(|place| *place == Families::NEW));
        listed[3] = Families::SEALED;
        families.admit(2, &slots, &mut listed, &mut table, |_, _| ());
        let expected = slots.iter().map(|slot| families.place(2, *slot, &table).unwrap_or(Families::SEALED));
        assert!(listed.iter().copied().eq(expected));
    }
}
