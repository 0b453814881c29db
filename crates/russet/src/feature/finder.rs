use super::index::Index;
use super::{FeatureId, Namespace};
use crate::batch::Code;
use crate::weights::make_place;

/// Finds interned features in the array of their ids, which is kept elsewhere and only grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    /// Finds those that are not called by a number below [`Code::NUMBERS`].
    index: Index,
    /// 1 + the place of the feature called by a number, or 0. No hashing: a feature that is new costs as little as one that is not.
    numbered: Vec<u32>,
}

impl Finder {
    /// Finds all of these features: made at once, as long as it has to be. Nothing if one occurs twice.
    pub(crate) fn of(ids: &[FeatureId]) -> Option<Finder> {
        let (numbered, count) = numbered(ids)?;
        let all = 0..ids.len() as u32;
        let index = match count {
            0 => Index::of(all, ids)?,
            _ if count == ids.len() => Index::default(),
            _ => Index::of(all.filter(|place| small_number(ids[*place as usize]).is_none()), ids)?,
        };
        Some(Finder { index, numbered })
    }

    /// The place of a feature, if it has one.
    #[inline]
    pub(super) fn place(&self, id: FeatureId, ids: &[FeatureId]) -> Option<u32> {
        match small_number(id) {
            Some(number) => self.numbered.get(number).and_then(|place| place.checked_sub(1)),
            None => self.index.place(id, ids),
        }
    }

    /// Takes in the feature at `place`, which is new.
    pub(super) fn add(&mut self, place: u32, ids: &[FeatureId]) {
        match small_number(ids[place as usize]) {
            Some(number) => self.add_number(place, number),
            None => self.index.add(place, ids),
        }
    }

    /// The same for the feature that is called by a number, below [`Code::NUMBERS`].
    #[inline]
    pub(super) fn add_number(&mut self, place: u32, number: usize) {
        make_place(&mut self.numbered, number, Code::NUMBERS as usize);
        self.numbered[number] = place + 1;
    }

    /// 1 + the place of each feature that is called by a number, or 0.
    #[inline]
    pub(super) fn numbered(&self) -> &[u32] {
        &self.numbered
    }
}

/// 1 + the places of the features that are called by numbers, and how many there are; nothing if one occurs twice.
fn numbered(ids: &[FeatureId]) -> Option<(Vec<u32>, usize)> {
    let (mut numbered, mut count) = (Vec::new(), 0);
    for (place, id) in (1..).zip(ids) {
        let Some(number) = small_number(*id) else { continue };
        make_place(&mut numbered, number, Code::NUMBERS as usize);
        if std::mem::replace(&mut numbered[number], place) != 0 {
            return None;
        }
        count += 1;
    }
    Some((numbered, count))
}

/// The number that an id stands for, if it is one that features are numbered by.
fn small_number(id: FeatureId) -> Option<usize> {
    let number = Namespace::ANONYMOUS.number(id);
    (number < u64::from(Code::NUMBERS)).then_some(number as usize)
}
