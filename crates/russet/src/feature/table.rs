use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::list::shared_place;
use super::{FeatureId, IdList, Names};

/// How base features find their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Indexing {
    /// Each feature gets the next free weight when it first appears, so nothing is shared until all 2^bits
    /// weights are given out; features that come later share a weight chosen by their hash.
    #[default]
    Interned,
    /// Every feature's weight is chosen by its hash from the start.
    Hashed,
}

/// Gives each base feature the slot of its weight, and remembers its name.
///
/// Slot 0 is the constant's. A table has room for `2^bits` slots, the constant's included.
///
/// ```
/// use russet::feature::{FeatureTable, Indexing, Namespace};
/// let mut table = FeatureTable::new(Indexing::Interned, 18, 0);
/// let red = Namespace::ANONYMOUS.feature(b"red");
/// assert_eq!(table.slot(red), None);
/// let slot = table.slot_or_insert(red, b"red");
/// assert_eq!(table.slot(red), Some(slot));
/// assert_eq!(table.name(slot), "red");
/// ```
#[derive(Clone, Debug)]
pub struct FeatureTable {
    indexing: Indexing,
    bits: u32,
    seed: u64,
    /// Interned: the ids of slots 1, 2, ... Hashed: the slots in use, in the order of their first use.
    known: IdList,
    /// The name of each entry of `known`.
    names: Names,
    /// Hashed only: the id of the feature that used each entry of `known` first.
    first_ids: Vec<FeatureId>,
}

/// The constant's slot.
pub(crate) const CONSTANT: u32 = 0;

impl FeatureTable {
    /// An empty table with room for `2^bits` slots. `seed` picks the hash by which slots are shared.
    pub fn new(indexing: Indexing, bits: u32, seed: u64) -> FeatureTable {
        FeatureTable { indexing, bits, seed, known: IdList::default(), names: Names::default(), first_ids: Vec::new() }
    }

    /// How many features have a slot to themselves (interned) or were first in theirs (hashed).
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True if no feature has been seen.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// One more than the largest slot in use: the length of an array that holds a value for every slot.
    pub fn slot_count(&self) -> usize {
        match self.indexing {
            Indexing::Interned => 1 + self.known.len(),
            Indexing::Hashed if self.known.is_empty() => 1,
            Indexing::Hashed => 1 << self.bits,
        }
    }

    /// True once new features have to share the slots of others, where features have slots of their own.
    pub fn is_full(&self) -> bool {
        self.indexing == Indexing::Interned && self.slot_count() >= 1 << self.bits
    }

    /// True if no two features have shared a slot so far.
    pub(crate) fn is_exact(&self) -> bool {
        self.indexing == Indexing::Interned && !self.is_full()
    }

    /// The slot of `id`, or nothing if the feature was never seen (and would not share a slot).
    pub fn slot(&self, id: FeatureId) -> Option<u32> {
        match self.indexing {
            Indexing::Interned => {
                let own = self.known.place(id).map(|place| place + 1);
                own.or_else(|| self.is_full().then(|| self.shared_slot(id)))
            }
            Indexing::Hashed => (!self.known.is_empty()).then(|| self.shared_slot(id)),
        }
    }

    /// The slot of `id`; a feature that is new gets one, and its name is kept if the slot is its own.
    pub fn slot_or_insert(&mut self, id: FeatureId, name: &[u8]) -> u32 {
        match self.indexing {
            Indexing::Interned => self.intern(id, name),
            Indexing::Hashed => self.hash(id, name),
        }
    }

    fn intern(&mut self, id: FeatureId, name: &[u8]) -> u32 {
        if let Some(slot) = self.slot(id) {
            return slot;
        }
        self.names.push(name);
        self.known.push(id) + 1
    }

    fn hash(&mut self, id: FeatureId, name: &[u8]) -> u32 {
        let slot = self.shared_slot(id);
        // The first feature of a slot gives it its name.
        if self.known.place(slot_as_id(slot)).is_none() {
            self.known.push(slot_as_id(slot));
            self.first_ids.push(id);
            self.names.push(name);
        }
        slot
    }

    /// A slot chosen by hash; never the constant's.
    fn shared_slot(&self, id: FeatureId) -> u32 {
        (shared_place(id, self.seed, self.bits) as u32).max(CONSTANT + 1)
    }

    /// The name of a slot: the feature's that was there first.
    pub fn name(&self, slot: u32) -> Cow<'_, str> {
        if slot == CONSTANT {
            return Cow::Borrowed("constant");
        }
        let entry = match self.indexing {
            Indexing::Interned => Some(slot - 1),
            Indexing::Hashed => self.known.place(slot_as_id(slot)),
        };
        entry.map_or(Cow::Borrowed("?"), |entry| self.names.text(entry as usize))
    }

    /// True if a feature has given the slot its name.
    pub(crate) fn has_name(&self, slot: u32) -> bool {
        self.indexing == Indexing::Interned || self.known.place(slot_as_id(slot)).is_some()
    }

    /// The name of a slot as bytes, empty for a slot that has none.
    pub(crate) fn name_bytes(&self, slot: u32) -> &[u8] {
        match self.indexing {
            Indexing::Interned if slot > 0 => self.names.get(slot as usize - 1),
            Indexing::Hashed => self.known.place(slot_as_id(slot)).map_or(&[], |entry| self.names.get(entry as usize)),
            Indexing::Interned => &[],
        }
    }

    /// Every feature that gave a slot its name: id, slot and name, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (FeatureId, u32, &[u8])> {
        self.known.ids().iter().enumerate().map(|(entry, known)| {
            let (id, slot) = match self.indexing {
                Indexing::Interned => (*known, entry as u32 + 1),
                Indexing::Hashed => (self.first_ids[entry], known.0 as u32),
            };
            (id, slot, self.names.get(entry))
        })
    }
}

/// With hashing, the list of what is known is one of slots.
fn slot_as_id(slot: u32) -> FeatureId {
    FeatureId(u64::from(slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Namespace;

    fn id(number: u64) -> FeatureId {
        Namespace::ANONYMOUS.numbered(number)
    }

    #[test]
    fn interned_features_share_nothing_until_the_table_is_full() {
        let mut table = FeatureTable::new(Indexing::Interned, 4, 0);
        let slots: Vec<u32> = (0..15).map(|number| table.slot_or_insert(id(number), b"x")).collect();
        assert_eq!(slots, (1..16).collect::<Vec<u32>>());
        assert!(table.is_full());
        let late = table.slot_or_insert(id(99), b"late");
        assert!((1..16).contains(&late));
        assert_eq!(table.slot(id(99)), Some(late));
        assert_eq!(table.len(), 15);
    }

    #[test]
    fn hashed_features_never_take_the_constants_slot() {
        let mut table = FeatureTable::new(Indexing::Hashed, 4, 0);
        assert_eq!(table.slot(id(1)), None);
        assert!((0..200).all(|number| (1..16).contains(&table.slot_or_insert(id(number), b"x"))));
        assert!(table.len() <= 15);
        assert_eq!(table.slot_count(), 16);
    }

    #[test]
    fn the_seed_moves_shared_slots() {
        let place = |seed| FeatureTable::new(Indexing::Hashed, 20, seed).slot_or_insert(id(5), b"x");
        assert_ne!(place(1), place(2));
    }
}
