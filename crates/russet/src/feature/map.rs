use super::{FeatureId, mix};

/// A map from feature ids to small numbers: open addressing, linear probing, at most half full.
///
/// The ids are hashes already, so a slot's home is taken from the id's own bits.
#[derive(Clone, Debug)]
pub struct IdMap {
    /// (id, number + 1); number + 1 = 0 marks a free entry.
    entries: Vec<(u64, u32)>,
    mask: usize,
    count: usize,
}

impl Default for IdMap {
    fn default() -> IdMap {
        IdMap::with_entries(64)
    }
}

impl IdMap {
    fn with_entries(entries: usize) -> IdMap {
        IdMap { entries: vec![(0, 0); entries], mask: entries - 1, count: 0 }
    }

    /// How many ids are in the map.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if no id is in the map.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of `id`, if it is known.
    #[inline]
    pub fn get(&self, id: FeatureId) -> Option<u32> {
        let (found_id, number) = self.entries[self.find(id)];
        debug_assert!(number == 0 || found_id == id.0);
        number.checked_sub(1)
    }

    /// Sets the number of an id that is not in the map yet.
    pub fn insert(&mut self, id: FeatureId, number: u32) {
        if (self.count + 1) * 2 > self.entries.len() {
            self.grow();
        }
        let place = self.find(id);
        debug_assert_eq!(self.entries[place].1, 0, "{id:?} is in the map already");
        self.entries[place] = (id.0, number + 1);
        self.count += 1;
    }

    /// Forgets every id, keeping the memory.
    pub fn clear(&mut self) {
        self.entries.fill((0, 0));
        self.count = 0;
    }

    /// Where `id` is, or the free entry where it would go. Ends: half of the entries are free.
    #[inline]
    fn find(&self, id: FeatureId) -> usize {
        let mut place = id.0 as usize & self.mask;
        loop {
            let (found_id, number) = self.entries[place];
            if number == 0 || found_id == id.0 {
                return place;
            }
            place = (place + 1) & self.mask;
        }
    }

    fn grow(&mut self) {
        let grown = IdMap::with_entries(self.entries.len() * 2);
        let old = std::mem::replace(self, grown);
        for (id, number) in old.entries.into_iter().filter(|entry| entry.1 != 0) {
            self.insert(FeatureId(id), number - 1);
        }
    }
}

/// The place of a feature in a table of 2^bits that it may have to share. `seed` picks the hash function.
#[inline]
pub(crate) fn shared_place(id: FeatureId, seed: u64, bits: u32) -> usize {
    (mix(id.0 ^ seed) & ((1 << bits) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_as_the_standard_map(ids in prop::collection::vec(0u64..300, 0..600)) {
            let (mut ours, mut theirs) = (IdMap::default(), HashMap::new());
            for (number, id) in ids.into_iter().enumerate() {
                theirs.entry(id).or_insert_with(|| {
                    ours.insert(FeatureId(id), number as u32);
                    number as u32
                });
            }
            for id in 0..300 {
                prop_assert_eq!(ours.get(FeatureId(id)), theirs.get(&id).copied());
            }
            prop_assert_eq!(ours.len(), theirs.len());
        }
    }
}
