use super::{FeatureId, mix};

/// Ids in the order they came, each once, found by hash.
///
/// Open addressing with linear probing over an array of places that is at most half full; the ids lie apart from it, in
/// their order. Both stay small, and the ids that came first, which are the frequent ones, lie together.
///
/// ```
/// use russet::feature::{IdList, Namespace};
/// let mut list = IdList::default();
/// let [a, b] = [1, 2].map(|number| Namespace::ANONYMOUS.numbered(number));
/// assert_eq!((list.push(a), list.push(b)), (0, 1));
/// assert_eq!(list.place(b), Some(1));
/// ```
#[derive(Clone, Debug)]
pub struct IdList {
    ids: Vec<FeatureId>,
    /// 1 + the place of an id in `ids`, at a position taken from the id's own bits; 0 where free.
    buckets: Vec<u32>,
}

impl Default for IdList {
    fn default() -> IdList {
        IdList { ids: Vec::new(), buckets: vec![0; 64] }
    }
}

impl IdList {
    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there is no id.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> &[FeatureId] {
        &self.ids
    }

    /// The place of `id`, if it is there.
    #[inline]
    pub fn place(&self, id: FeatureId) -> Option<u32> {
        self.buckets[self.find(id)].checked_sub(1)
    }

    /// Adds an id that is not there yet; gives its place.
    pub fn push(&mut self, id: FeatureId) -> u32 {
        if (self.ids.len() + 1) * 2 > self.buckets.len() {
            self.grow();
        }
        let bucket = self.find(id);
        debug_assert_eq!(self.buckets[bucket], 0, "{id:?} is in the list already");
        self.ids.push(id);
        self.buckets[bucket] = self.ids.len() as u32;
        self.ids.len() as u32 - 1
    }

    /// Forgets every id, keeping the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.buckets.fill(0);
    }

    /// The bucket of `id`, or the free one where it would go. Ends: half of the buckets are free.
    #[inline]
    fn find(&self, id: FeatureId) -> usize {
        let mask = self.buckets.len() - 1;
        let mut bucket = id.0 as usize & mask;
        loop {
            let place = self.buckets[bucket];
            if place == 0 || self.ids[place as usize - 1] == id {
                return bucket;
            }
            bucket = (bucket + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let buckets = self.buckets.len() * 2;
        self.buckets.clear();
        self.buckets.resize(buckets, 0);
        for (place, id) in self.ids.iter().enumerate() {
            let mut bucket = id.0 as usize & (buckets - 1);
            while self.buckets[bucket] != 0 {
                bucket = (bucket + 1) & (buckets - 1);
            }
            self.buckets[bucket] = place as u32 + 1;
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
            let (mut ours, mut theirs) = (IdList::default(), HashMap::new());
            for id in ids {
                let next = theirs.len() as u32;
                theirs.entry(id).or_insert_with(|| {
                    assert_eq!(ours.push(FeatureId(id)), next);
                    next
                });
            }
            for id in 0..300 {
                prop_assert_eq!(ours.place(FeatureId(id)), theirs.get(&id).copied());
            }
            prop_assert_eq!(ours.len(), theirs.len());
            ours.clear();
            prop_assert_eq!(ours.place(FeatureId(1)), None);
        }
    }
}
