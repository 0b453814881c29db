use super::index::Index;
use super::{FeatureId, mix};

/// Ids in the order they came, each once, found by hash.
///
/// The ids lie apart from what finds them, in their order: those that came first, which are the frequent ones, lie together.
///
/// ```
/// use russet::feature::{IdList, Namespace};
/// let mut list = IdList::default();
/// let [a, b] = [1, 2].map(|number| Namespace::ANONYMOUS.numbered(number));
/// assert_eq!((list.push(a), list.push(b)), (0, 1));
/// assert_eq!(list.place(b), Some(1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct IdList {
    ids: Vec<FeatureId>,
    index: Index,
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
        self.index.place(id, &self.ids)
    }

    /// Adds an id that is not there yet; gives its place.
    pub fn push(&mut self, id: FeatureId) -> u32 {
        let place = self.ids.len() as u32;
        self.ids.push(id);
        self.index.add(place, &self.ids);
        place
    }

    /// Forgets every id, keeping the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.index.clear();
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
