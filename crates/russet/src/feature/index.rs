use super::FeatureId;
use crate::weights::{prefetch, zeros_to_fill};

/// Finds ids in an array that is kept elsewhere, by hash.
///
/// Open addressing with linear probing over an array of buckets that is at most half full. Every call is given the same
/// array of ids, which only grows.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// At a position taken from the id's own low bits: 1 + the place of an id in its lower [`Index::width`] bits, above them
    /// some of the id's high bits, by which most others are told without a look at the ids; 0 where free.
    buckets: Vec<u32>,
    width: u32,
    /// How many ids are in it.
    count: usize,
}

/// How many buckets an index has at least.
const SMALLEST: usize = 64;

/// How many ids ahead a bucket is asked for while many are added: about as many as the processor can wait for at a time.
const AHEAD: usize = 24;

impl Default for Index {
    fn default() -> Index {
        Index::empty(SMALLEST, SMALLEST)
    }
}

impl Index {
    /// An empty index of that many buckets, for places in an array of up to `length` ids.
    fn empty(buckets: usize, length: usize) -> Index {
        Index { buckets: zeros_to_fill(buckets), width: (length.ilog2() + 1).min(31), count: 0 }
    }

    /// An index of the ids at `places` in one go: it is as long as it has to be from the start, and memory is asked for
    /// before it is used. Nothing if an id occurs twice.
    pub(super) fn of(places: impl Iterator<Item = u32> + Clone, ids: &[FeatureId]) -> Option<Index> {
        let count = places.clone().count();
        let mut index = Index::empty((count * 2).next_power_of_two().max(SMALLEST), ids.len().max(SMALLEST));
        let mut ahead = places.clone().skip(AHEAD);
        for place in places {
            if let Some(later) = ahead.next() {
                prefetch(&index.buckets, index.home(ids[later as usize]));
            }
            index.put(place, ids)?;
        }
        Some(index)
    }

    /// The place of `id`, if it is in the index.
    #[inline]
    pub(super) fn place(&self, id: FeatureId, ids: &[FeatureId]) -> Option<u32> {
        self.find(id, ids).ok()
    }

    /// Adds the id at `place`, which is not in the index yet.
    pub(super) fn add(&mut self, place: u32, ids: &[FeatureId]) {
        if (self.count + 1) * 2 > self.buckets.len() || (place + 1) >> self.width != 0 {
            self.enlarge(ids);
        }
        let added = self.put(place, ids);
        debug_assert!(added.is_some(), "{:?} is in the index already", ids[place as usize]);
    }

    /// Adds the id at `place`, for which there is room. Nothing if it is there already.
    #[inline]
    fn put(&mut self, place: u32, ids: &[FeatureId]) -> Option<()> {
        let id = ids[place as usize];
        let bucket = self.find(id, ids).err()?;
        self.buckets[bucket] = self.mark(id) | (place + 1);
        self.count += 1;
        Some(())
    }

    /// Forgets every id, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(0);
        self.count = 0;
    }

    /// Where `id` is looked for first.
    #[inline]
    fn home(&self, id: FeatureId) -> usize {
        id.0 as usize & (self.buckets.len() - 1)
    }

    /// What a bucket has of `id` itself.
    #[inline]
    fn mark(&self, id: FeatureId) -> u32 {
        ((id.0 >> 32) as u32) << self.width
    }

    /// The place of `id`, or the free bucket where it would go. Ends: half of the buckets are free.
    #[inline]
    fn find(&self, id: FeatureId, ids: &[FeatureId]) -> Result<u32, usize> {
        let (last, mark) = (self.buckets.len() - 1, self.mark(id));
        let mut bucket = self.home(id);
        loop {
            let found = self.buckets[bucket];
            if found == 0 {
                return Err(bucket);
            }
            // What is left is the place, unless the marks differ; then it is too large, or the id there is another.
            let place = (found ^ mark).wrapping_sub(1);
            if ids.get(place as usize) == Some(&id) {
                return Ok(place);
            }
            bucket = (bucket + 1) & last;
        }
    }

    /// Makes the index longer, if it has to be, and fit for places up to twice as many as there are ids.
    #[cold]
    fn enlarge(&mut self, ids: &[FeatureId]) {
        let buckets = ((self.count + 1) * 2).next_power_of_two().max(self.buckets.len());
        let mut larger = Index::empty(buckets, 2 * ids.len());
        let below = (1u32 << self.width) - 1;
        for bucket in self.buckets.iter().filter(|bucket| **bucket != 0) {
            let added = larger.put((bucket & below) - 1, ids);
            debug_assert!(added.is_some(), "an id is twice in the index");
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    proptest! {
        #[test]
        fn behaves_as_the_standard_map(ids in prop::collection::hash_set(0u64..900, 0..400), every in 1usize..4) {
            let ids: Vec<FeatureId> = ids.into_iter().map(FeatureId).collect();
            // Not all that the array has is in the index.
            let places = (0..ids.len() as u32).step_by(every);
            let known: HashMap<FeatureId, u32> = places.clone().map(|place| (ids[place as usize], place)).collect();
            let mut one_by_one = Index::default();
            places.clone().for_each(|place| one_by_one.add(place, &ids));
            let at_once = Index::of(places, &ids).unwrap();
            for id in (0..900).map(FeatureId) {
                prop_assert_eq!(one_by_one.place(id, &ids), known.get(&id).copied());
                prop_assert_eq!(at_once.place(id, &ids), known.get(&id).copied());
            }
        }

        #[test]
        fn ids_that_occur_twice_are_found(ids in prop::collection::vec(0u64..300, 0..60)) {
            let ids: Vec<FeatureId> = ids.into_iter().map(|id| FeatureId((id << 50) | (id % 3))).collect();
            let distinct = ids.iter().collect::<HashSet<_>>().len() == ids.len();
            prop_assert_eq!(Index::of(0..ids.len() as u32, &ids).is_some(), distinct);
        }
    }
}
