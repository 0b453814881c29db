use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::list::shared_place;
use super::{Digits, FeatureId, Finder, IdList, Names, Namespace};
use crate::weights::make_room;

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
    /// The features that gave a slot its name, in the order of their first appearance: the entries.
    ids: Vec<FeatureId>,
    /// The names of the first entries. All after them are called by their numbers, and their ids tell these: nobody reads most
    /// names, and to write them takes longer than the rest of an entry.
    names: Names,
    /// Interned: finds the entries by their ids.
    finder: Finder,
    /// Hashed: the slot of each entry.
    known: IdList,
}

/// The constant's slot.
pub(crate) const CONSTANT: u32 = 0;

impl FeatureTable {
    /// An empty table with room for `2^bits` slots. `seed` picks the hash by which slots are shared.
    pub fn new(indexing: Indexing, bits: u32, seed: u64) -> FeatureTable {
        let (ids, names, finder, known) = (Vec::new(), Names::default(), Finder::default(), IdList::default());
        FeatureTable { indexing, bits, seed, ids, names, finder, known }
    }

    /// How many features have a slot to themselves (interned) or were first in theirs (hashed).
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if no feature has been seen.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// One more than the largest slot in use: the length of an array that holds a value for every slot.
    pub fn slot_count(&self) -> usize {
        match self.indexing {
            Indexing::Interned => 1 + self.ids.len(),
            Indexing::Hashed if self.ids.is_empty() => 1,
            Indexing::Hashed => 1 << self.bits,
        }
    }

    /// How many slots there may be.
    pub(crate) fn slot_limit(&self) -> usize {
        1 << self.bits
    }

    /// True once new features have to share the slots of others, where features have slots of their own.
    pub fn is_full(&self) -> bool {
        self.indexing == Indexing::Interned && self.slot_count() >= self.slot_limit()
    }

    /// True if no two features have shared a slot so far.
    pub(crate) fn is_exact(&self) -> bool {
        self.indexing == Indexing::Interned && !self.is_full()
    }

    /// The slot of `id`, or nothing if the feature was never seen (and would not share a slot).
    pub fn slot(&self, id: FeatureId) -> Option<u32> {
        match self.indexing {
            Indexing::Interned => {
                let own = self.entry(id).map(|entry| entry + 1);
                own.or_else(|| self.is_full().then(|| self.shared_slot(id)))
            }
            Indexing::Hashed => (!self.is_empty()).then(|| self.shared_slot(id)),
        }
    }

    /// The slot of `id`; a feature that is new gets one, and its name is kept if the slot is its own.
    pub fn slot_or_insert(&mut self, id: FeatureId, name: &[u8]) -> u32 {
        self.slot_or_insert_with(id, |_| name)
    }

    /// The same, with a name that is only made if the feature is new.
    pub(crate) fn slot_or_insert_with<N: AsRef<[u8]>>(
        &mut self,
        id: FeatureId,
        name: impl FnOnce(&FeatureTable) -> N,
    ) -> u32 {
        match self.indexing {
            Indexing::Interned => self.slot(id).unwrap_or_else(|| {
                let name = name(self);
                self.intern(id, name.as_ref())
            }),
            Indexing::Hashed => self.hash(id, name),
        }
    }

    /// The same for the feature that is called by a number below [`Code::NUMBERS`](crate::batch::Code::NUMBERS), in the anonymous
    /// namespace, and is known to have no slot of its own.
    #[inline]
    pub(crate) fn insert_number(&mut self, number: u32) -> u32 {
        let id = Namespace::ANONYMOUS.numbered(number.into());
        if !self.is_exact() {
            return self.slot_or_insert_with(id, |_| Digits::of(number.into()));
        }
        let entry = self.push_id(id);
        self.finder.add_number(entry, number as usize);
        entry + 1
    }

    /// Gives a feature that has none a slot of its own.
    fn intern(&mut self, id: FeatureId, name: &[u8]) -> u32 {
        write_names(&self.ids, &mut self.names);
        let entry = self.push_id(id);
        self.names.push(name);
        self.finder.add(entry, &self.ids);
        entry + 1
    }

    fn push_id(&mut self, id: FeatureId) -> u32 {
        let entry = self.ids.len() as u32;
        make_room(&mut self.ids, 1);
        self.ids.push(id);
        entry
    }

    /// Fills an empty table of interned features with what was saved of another, and what finds them. Nothing if these do not
    /// belong together.
    pub(crate) fn restore(&mut self, ids: Vec<FeatureId>, names: Names, finder: Finder) -> Option<()> {
        debug_assert!(self.is_empty() && self.indexing == Indexing::Interned);
        if ids.len() != names.len() || !self.has_room_for(ids.len()) {
            return None;
        }
        (self.ids, self.names, self.finder) = (ids, names, finder);
        Some(())
    }

    /// The same for a table of hashed features, one by one. Nothing if a feature has not the slot that its hash gives it, or
    /// is not the first there.
    pub(crate) fn restore_hashed(&mut self, ids: &[FeatureId], slots: &[u32], names: &Names) -> Option<()> {
        for (entry, ((id, slot), name)) in ids.iter().zip(slots).zip(names.iter()).enumerate() {
            let given = self.slot_or_insert(*id, name);
            if given != *slot || self.len() != entry + 1 {
                return None;
            }
        }
        Some(())
    }

    /// True if a table may have so many entries: each has a slot, and the constant has one.
    pub(crate) fn has_room_for(&self, entries: usize) -> bool {
        entries < 1 << self.bits
    }

    /// The ids of all entries.
    pub(crate) fn ids(&self) -> &[FeatureId] {
        &self.ids
    }

    /// The names of all entries.
    pub(crate) fn names(&self) -> Cow<'_, Names> {
        if self.names.len() == self.ids.len() {
            return Cow::Borrowed(&self.names);
        }
        let mut names = self.names.clone();
        write_names(&self.ids, &mut names);
        Cow::Owned(names)
    }

    /// The name of an entry.
    fn entry_name(&self, entry: u32) -> Cow<'_, [u8]> {
        let entry = entry as usize;
        match entry < self.names.len() {
            true => Cow::Borrowed(self.names.get(entry)),
            false => Cow::Owned(number_of(self.ids[entry]).as_ref().to_vec()),
        }
    }

    /// The entry that gave a slot its name.
    fn naming_entry(&self, slot: u32) -> Option<u32> {
        match self.indexing {
            Indexing::Interned => slot.checked_sub(CONSTANT + 1),
            Indexing::Hashed => self.known.place(slot_as_id(slot)),
        }
    }

    /// Interned: the slots of features that are called by a number below [`crate::batch::Code::NUMBERS`], 0 for those that have none of their own.
    #[inline]
    pub(crate) fn numbered(&self) -> Option<&[u32]> {
        (self.indexing == Indexing::Interned).then_some(self.finder.numbered())
    }

    /// The entry of an interned feature, if it has one.
    fn entry(&self, id: FeatureId) -> Option<u32> {
        self.finder.place(id, &self.ids)
    }

    fn hash<N: AsRef<[u8]>>(&mut self, id: FeatureId, name: impl FnOnce(&FeatureTable) -> N) -> u32 {
        let slot = self.shared_slot(id);
        // The first feature of a slot gives it its name.
        if self.known.place(slot_as_id(slot)).is_none() {
            let name = name(self);
            self.known.push(slot_as_id(slot));
            self.ids.push(id);
            self.names.push(name.as_ref());
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
        match self.naming_entry(slot).map(|entry| self.entry_name(entry)) {
            None => Cow::Borrowed("?"),
            Some(Cow::Borrowed(name)) => String::from_utf8_lossy(name),
            Some(Cow::Owned(name)) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
        }
    }

    /// True if a feature has given the slot its name.
    pub(crate) fn has_name(&self, slot: u32) -> bool {
        self.indexing == Indexing::Interned || self.known.place(slot_as_id(slot)).is_some()
    }

    /// The name of a slot as bytes, empty for a slot that has none.
    pub(crate) fn name_bytes(&self, slot: u32) -> Cow<'_, [u8]> {
        self.naming_entry(slot).map(|entry| self.entry_name(entry)).unwrap_or_default()
    }

    /// Every feature that gave a slot its name: id, slot and name, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (FeatureId, u32, Cow<'_, [u8]>)> {
        let unwritten = self.ids[self.names.len()..].iter().map(|id| Cow::Owned(number_of(*id).as_ref().to_vec()));
        let names = self.names.iter().map(Cow::Borrowed).chain(unwritten);
        self.ids.iter().zip(names).enumerate().map(|(entry, (id, name))| {
            let slot = match self.indexing {
                Indexing::Interned => entry as u32 + 1,
                Indexing::Hashed => self.known.ids()[entry].0 as u32,
            };
            (*id, slot, name)
        })
    }
}

/// What the feature that is called by its number, in the anonymous namespace, is called.
fn number_of(id: FeatureId) -> Digits {
    Digits::of(Namespace::ANONYMOUS.number(id))
}

/// Adds the names of those that have none yet: of the features after the first, which have one.
fn write_names(ids: &[FeatureId], names: &mut Names) {
    for id in &ids[names.len()..] {
        names.push(number_of(*id).as_ref());
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

    /// Names that are written late, or never, are what they would have been.
    #[test]
    fn features_called_by_numbers_are_called_so() {
        let mut table = FeatureTable::new(Indexing::Interned, 4, 0);
        let mut slots: Vec<u32> = [7, 0].map(|number| table.insert_number(number)).into();
        slots.push(table.slot_or_insert(Namespace::ANONYMOUS.feature(b"red"), b"red"));
        // Written otherwise than the number is.
        slots.push(table.slot_or_insert(id(5), b"005"));
        slots.push(table.insert_number(2_097_151));
        assert_eq!(slots, [1, 2, 3, 4, 5]);
        let expected = ["7", "0", "red", "005", "2097151"];
        assert_eq!(slots.iter().map(|slot| table.name(*slot)).collect::<Vec<_>>(), expected);
        assert!(slots.iter().zip(expected).all(|(slot, name)| *table.name_bytes(*slot) == *name.as_bytes()));
        assert!(table.names().iter().eq(expected.map(str::as_bytes)));
        let all: Vec<_> = table.iter().map(|(id, slot, name)| (id, slot, name.into_owned())).collect();
        for ((id, slot, name), expected) in all.iter().zip(expected) {
            assert_eq!((table.slot(*id), name.as_slice()), (Some(*slot), expected.as_bytes()));
        }
        for number in 8..18 {
            table.insert_number(number);
        }
        assert!(table.is_full());
        // Now it has to share.
        let shared = table.insert_number(99);
        assert_eq!((table.len(), table.slot(id(99))), (15, Some(shared)));
    }

    #[test]
    fn the_seed_moves_shared_slots() {
        let place = |seed| FeatureTable::new(Indexing::Hashed, 20, seed).slot_or_insert(id(5), b"x");
        assert_ne!(place(1), place(2));
    }
}
