use super::{Listed, Slot, Span, bounded};
use crate::feature::mix;

/// The base features of one example, by slot, each once. The constant, slot 0, comes first.
#[derive(Clone, Debug, Default)]
pub struct BaseFeatures {
    /// The slot of each feature.
    pub slots: Vec<u32>,
    /// The value of each feature.
    pub values: Vec<f32>,
    /// Products that are listed one by one, for rows of such.
    pub listed: Listed,
    /// The value of base slot `i` at `i - 1`, and 0 where there is none, for rows of tiles. Its length is a multiple of 8.
    /// With all products in tiles it is at `i`, and their values are behind those of the features.
    pub by_slot: Vec<f32>,
}

impl BaseFeatures {
    /// True if the slots are 0, 1, 2 and so on: the example has all of the first features, in their order.
    #[inline(always)]
    pub(crate) fn is_straight(&self) -> bool {
        // Most that are not show it at their end. The rest without a branch, so that several are compared at once.
        let [first, later @ ..] = &self.slots[..] else { return false };
        let next = |straight, (one, next): (&u32, &u32)| straight & (next.wrapping_sub(*one) == 1);
        later.last().is_none_or(|last| *last as usize == later.len())
            && self.slots.iter().zip(later).fold(*first == 0, next)
    }
}

/// Where the weights of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The weight for base slot `i` is at `start + i`: nothing is shared.
    Own(u32),
    /// The weight for base slot `i` is at a place hashed from this key and `i`.
    Shared(u64),
    /// The row is a range of [`BaseFeatures::listed`]; only sealed places may occur twice.
    Listed,
    /// The row is the tiles from this one on; it covers every base slot, in the example or not.
    Tiles(u32),
}

/// A monomial times each base feature of a range: one stretch of the example's active features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Where its weights are.
    pub place: Place,
    /// The value of the monomial.
    pub multiplier: f32,
    /// The first base feature of the range, by its position in the example; 0 for tiles; the first product that is listed.
    pub first: u32,
    /// One past the last; the number of weights for tiles.
    pub end: u32,
    /// A new weight starts with `G` of this times the `G` of its base feature's own weight.
    pub heritage: f32,
    /// Whose row it is, in an adaptive expansion.
    pub parent: u32,
    /// How many active features it stands for: its length, less what is sealed. If it is listed, also those that have no place.
    pub active: u32,
}

impl Row {
    /// A row of all base features of a range.
    pub(crate) fn whole(place: Place, multiplier: f32, first: u32, end: u32) -> Row {
        Row { place, multiplier, first, end, heritage: 0.0, parent: 0, active: end - first }
    }

    /// How many base features are in its range.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// True if there is none in its range.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// What base features are multiplied with: their values, those of absent ones being 0.
    #[inline(always)]
    pub(crate) fn values<'a>(&self, base: &'a BaseFeatures) -> &'a [f32] {
        let range = self.first as usize..self.end as usize;
        match self.place {
            Place::Tiles(_) => &base.by_slot[range],
            Place::Listed => &base.listed.values[range],
            Place::Own(_) | Place::Shared(_) => &base.values[range],
        }
    }

    /// The value of the feature at `position` of the row.
    pub(crate) fn value(&self, base: &BaseFeatures, position: usize) -> f32 {
        super::plain::product(self.multiplier, self.values(base)[position])
    }

    /// The base slot at `position` of the row.
    #[inline]
    pub(crate) fn slot(&self, base: &BaseFeatures, position: usize) -> u32 {
        match self.place {
            Place::Tiles(_) => position as u32 + 1,
            Place::Listed => base.listed.slots[self.first as usize + position],
            Place::Own(_) | Place::Shared(_) => base.slots[self.first as usize + position],
        }
    }

    /// The place of the weight at `position` of the row, in a table of `length`.
    #[inline]
    pub(crate) fn place(&self, base: &BaseFeatures, position: usize, length: usize) -> usize {
        let slot = || base.slots[self.first as usize + position];
        match self.place {
            Place::Own(start) => start as usize + slot() as usize,
            Place::Listed => base.listed.places[self.first as usize + position] as usize,
            Place::Tiles(first) => first as usize * super::TILE + position,
            Place::Shared(key) => shared_place(key, slot(), length),
        }
    }

    /// Adds the places of all its weights, in a table of `length`, to a list. Its rows are not tiles.
    #[inline(always)]
    pub(super) fn list_places(&self, base: &BaseFeatures, length: usize, places: &mut Vec<u32>) {
        let range = self.first as usize..self.end as usize;
        match self.place {
            Place::Own(start) => places.extend(base.slots[range].iter().map(|slot| start + slot)),
            Place::Shared(key) => {
                places.extend(base.slots[range].iter().map(|slot| shared_place(key, *slot, length) as u32));
            }
            Place::Listed => places.extend_from_slice(&base.listed.places[range]),
            Place::Tiles(_) => unreachable!("a row of another table"),
        }
    }

    /// The `G` that a new weight at `position` starts with; `linear` are the base features' own weights.
    #[inline]
    pub(crate) fn inherited(&self, base: &BaseFeatures, linear: &[Slot], position: usize) -> f32 {
        match self.heritage {
            0.0 => 0.0,
            heritage => bounded(heritage * linear[self.slot(base, position) as usize].gradient),
        }
    }
}

/// Where the weight of a row that shares weights is for base slot `slot`, in a table of `length`, a power of two.
#[inline]
fn shared_place(key: u64, slot: u32, length: usize) -> usize {
    mix(key ^ u64::from(slot).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as usize & (length - 1)
}

/// The rows of an example. What is left of an earlier example behind them stays, to be written over: so rows can be written
/// before it is known whether they count.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    all: Vec<Row>,
    count: usize,
    /// See [`Rows::straight`].
    straight: Option<Span>,
    /// How many active features they stand for, if that is known.
    active: Option<usize>,
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        (self.count, self.straight, self.active) = (0, None, None);
    }

    /// Between which magnitudes the rows' multipliers are, if it is known that they are rows of tiles that follow each other in
    /// the table.
    #[inline]
    pub(crate) fn straight(&self) -> Option<Span> {
        self.straight
    }

    #[inline]
    pub(crate) fn push(&mut self, row: Row) {
        match self.all.get_mut(self.count) {
            Some(place) => *place = row,
            None => self.all.push(row),
        }
        self.count += 1;
    }

    /// True if `length` rows have been written, so that what was written last is still there.
    #[inline]
    pub(crate) fn has_written(&self, length: usize) -> bool {
        self.all.len() >= length
    }

    /// Room for `length` rows; [`Rows::keep`] says how many of them count.
    #[inline]
    pub(crate) fn room(&mut self, length: usize) -> &mut [Row] {
        if self.all.len() < length {
            self.all.resize(length, Row::whole(Place::Own(0), 0.0, 0, 0));
        }
        &mut self.all[..length]
    }

    /// Makes the first `count` rows count; `straight`: see [`Rows::straight`]; `active`: how many active features they stand for.
    pub(crate) fn keep(&mut self, count: usize, straight: Option<Span>, active: Option<usize>) {
        (self.count, self.straight, self.active) = (count, straight, active);
    }

    /// How many active features they stand for.
    #[inline]
    pub(crate) fn active(&self) -> usize {
        self.active.unwrap_or_else(|| self.iter().map(|row| row.active as usize).sum())
    }
}

impl std::ops::Deref for Rows {
    type Target = [Row];

    fn deref(&self) -> &[Row] {
        &self.all[..self.count]
    }
}
