//! From the codes of a batch to slots of the model's feature table.

use crate::batch::{Batch, Code};
use crate::feature::{CONSTANT, FeatureId, FeatureTable, Names, Namespace};
use crate::weights::{make_place, prefetch};

/// Finds the slot of a feature. The learner's way gives a new feature a slot, the predictor's does not.
pub(crate) trait Lookup {
    /// The slot of `id`, if it has one or gets one; `name` is asked for only if the feature is new.
    fn slot<N: AsRef<[u8]>>(&mut self, id: FeatureId, name: impl FnOnce(&FeatureTable) -> N) -> Option<u32>;

    /// The same for a feature that is called by a number, and is known to have none of its own.
    fn slot_of_number(&mut self, number: u32) -> Option<u32>;

    /// True if no two features have the same slot.
    fn is_exact(&self) -> bool;

    /// The slots of features that are called by a number, as [`FeatureTable::numbered`] gives them.
    fn numbered(&self) -> Option<&[u32]>;
}

impl Lookup for &mut FeatureTable {
    fn slot<N: AsRef<[u8]>>(&mut self, id: FeatureId, name: impl FnOnce(&FeatureTable) -> N) -> Option<u32> {
        Some(self.slot_or_insert_with(id, name))
    }

    fn slot_of_number(&mut self, number: u32) -> Option<u32> {
        Some(self.insert_number(number))
    }

    fn is_exact(&self) -> bool {
        FeatureTable::is_exact(self)
    }

    fn numbered(&self) -> Option<&[u32]> {
        FeatureTable::numbered(self)
    }
}

impl Lookup for &FeatureTable {
    fn slot<N: AsRef<[u8]>>(&mut self, id: FeatureId, _: impl FnOnce(&FeatureTable) -> N) -> Option<u32> {
        FeatureTable::slot(self, id)
    }

    fn slot_of_number(&mut self, number: u32) -> Option<u32> {
        FeatureTable::slot(self, numbered_id(number))
    }

    fn is_exact(&self) -> bool {
        FeatureTable::is_exact(self)
    }

    fn numbered(&self) -> Option<&[u32]> {
        FeatureTable::numbered(self)
    }
}

/// Not asked for yet: no feature has the constant's slot.
const UNRESOLVED: u32 = CONSTANT;
/// Asked for, and the model has no weight for it. All slots are below.
pub(super) const ABSENT: u32 = u32::MAX;

/// True if a feature has no slot, or none yet. As signed numbers these are not above 0, and slots, of which there are 2^30 at most, are.
#[inline(always)]
pub(super) fn is_missing(slot: u32) -> bool {
    slot.cast_signed() <= 0
}

/// The slots of all features that codes may stand for, as far as they were asked for.
#[derive(Default)]
pub(super) struct Codes {
    /// Of the features that readers' dictionaries have declared.
    dictionaries: Vec<Declared>,
    /// Of the features that are called by a number, where the table does not keep these.
    numbered: Vec<u32>,
}

/// What a reader's dictionary has declared, and the slot of each feature as far as it was asked for.
#[derive(Clone, Debug, Default)]
struct Declared {
    ids: Vec<FeatureId>,
    /// Kept, as the example that declares a feature may be refused, and a later one be the first to use it.
    names: Names,
    slots: Vec<u32>,
}

/// What was found on the way through an example's codes.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// Every code has its slot; otherwise they have to be resolved, one by one.
    pub(super) all: bool,
    /// No code occurs twice, as far as that is known.
    pub(super) distinct: bool,
}

impl Codes {
    /// Takes note of what a batch declares. Comes once for each batch, before its examples.
    pub(super) fn begin(&mut self, batch: &Batch) {
        let number = batch.dictionary() as usize;
        if self.dictionaries.len() <= number {
            self.dictionaries.resize_with(number + 1, Declared::default);
        }
        let dictionary = &mut self.dictionaries[number];
        // A batch may be begun twice, to go on within it; what it declares is then there already.
        let known = if batch.starts_dictionary() { 0 } else { batch.first_declared() as usize };
        assert!(
            dictionary.ids.len() >= known,
            "an earlier batch of this dictionary was passed over: begin or skip it first"
        );
        dictionary.ids.truncate(known);
        dictionary.names.truncate(known);
        dictionary.slots.truncate(known);
        dictionary.ids.extend_from_slice(batch.declared_ids());
        batch.declared_names().iter().for_each(|name| dictionary.names.push(name));
        dictionary.slots.resize(dictionary.ids.len(), UNRESOLVED);
    }

    /// Every slot has to be asked for again.
    pub(super) fn forget_slots(&mut self) {
        self.dictionaries.iter_mut().for_each(|dictionary| dictionary.slots.fill(UNRESOLVED));
        self.numbered.fill(UNRESOLVED);
    }

    /// The slots of features that are called by a number, 0 where there is none or it was not asked for.
    #[inline(always)]
    pub(super) fn numbered<'a>(&'a self, lookup: &'a impl Lookup) -> &'a [u32] {
        lookup.numbered().unwrap_or(&self.numbered)
    }

    /// Adds the slots of `codes` to `slots`.
    #[inline]
    pub(super) fn follow(&self, batch: &Batch, codes: &[u32], lookup: &impl Lookup, slots: &mut Vec<u32>) -> Found {
        if codes.first().is_some_and(|code| *code >= Code::NUMBERED) {
            return follow_numbers(self.numbered(lookup), codes, slots);
        }
        let (start, known) = (slots.len(), &self.dictionaries[batch.dictionary() as usize].slots);
        slots.extend(codes.iter().map(|code| known.get(*code as usize).copied().unwrap_or(UNRESOLVED)));
        Found { all: all_found(&slots[start..]), distinct: false }
    }

    /// Asks for the memory that [`Codes::follow`] will look at.
    #[inline]
    pub(super) fn prefetch(&self, batch: &Batch, codes: &[u32], lookup: &impl Lookup) {
        for code in codes {
            match Code::unpack(*code) {
                Code::Number(number) => prefetch(self.numbered(lookup), number as usize),
                Code::Declared(index) => {
                    prefetch(&self.dictionaries[batch.dictionary() as usize].slots, index as usize);
                }
            }
        }
    }

    /// The slot of a feature, asked for if it was not before; [`ABSENT`] if there is none.
    pub(super) fn resolve(&mut self, batch: &Batch, code: u32, lookup: &mut impl Lookup) -> u32 {
        match Code::unpack(code) {
            Code::Declared(index) => self.dictionaries[batch.dictionary() as usize].resolve(index, lookup),
            Code::Number(number) => self.resolve_number(number, lookup),
        }
    }

    fn resolve_number(&mut self, number: u32, lookup: &mut impl Lookup) -> u32 {
        let known = self.numbered(lookup).get(number as usize).copied().unwrap_or(UNRESOLVED);
        if known != UNRESOLVED {
            return known;
        }
        let slot = lookup.slot_of_number(number).unwrap_or(ABSENT);
        if lookup.numbered().is_none() {
            make_place(&mut self.numbered, number as usize, Code::NUMBERS as usize);
            self.numbered[number as usize] = slot;
        }
        slot
    }

    /// The id of a feature.
    pub(super) fn id(&self, batch: &Batch, code: u32) -> FeatureId {
        match Code::unpack(code) {
            Code::Declared(index) => self.dictionaries[batch.dictionary() as usize].ids[index as usize],
            Code::Number(number) => numbered_id(number),
        }
    }
}

/// [`Codes::follow`] for codes that are most likely all numbers, whose slots are `numbered`.
#[inline]
fn follow_numbers(numbered: &[u32], codes: &[u32], slots: &mut Vec<u32>) -> Found {
    let start = slots.len();
    slots.extend(slots_of_numbers(numbered, codes));
    Found { all: all_found(&slots[start..]), distinct: ascend(codes) }
}

/// The slots of features that are called by a number, and [`UNRESOLVED`] for others.
#[inline(always)]
pub(super) fn slots_of_numbers(numbered: &[u32], codes: &[u32]) -> impl ExactSizeIterator<Item = u32> {
    // What is declared becomes larger than any number.
    let number = |code: &u32| code.wrapping_sub(Code::NUMBERED) as usize;
    codes.iter().map(move |code| numbered.get(number(code)).copied().unwrap_or(UNRESOLVED))
}

/// True if no slot is missing.
#[inline(always)]
pub(super) fn all_found(slots: &[u32]) -> bool {
    slots.iter().fold(true, |all, slot| all & !is_missing(*slot))
}

/// True if each is larger than the one before. A loop of its own, which the compiler makes a wide one.
#[inline(always)]
pub(super) fn ascend(numbers: &[u32]) -> bool {
    let later = numbers.get(1..).unwrap_or_default();
    numbers.iter().zip(later).fold(true, |ascend, (one, next)| ascend & (one < next))
}

fn numbered_id(number: u32) -> FeatureId {
    Namespace::ANONYMOUS.numbered(number.into())
}

impl Declared {
    /// The slot of a feature, asked for if it was not before.
    fn resolve(&mut self, index: u32, lookup: &mut impl Lookup) -> u32 {
        if self.slots[index as usize] == UNRESOLVED {
            let name = |_: &FeatureTable| self.names.get(index as usize).to_vec();
            self.slots[index as usize] = lookup.slot(self.ids[index as usize], name).unwrap_or(ABSENT);
        }
        self.slots[index as usize]
    }
}
