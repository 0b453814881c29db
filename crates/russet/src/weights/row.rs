use crate::feature::mix;

/// The base features of one example, by slot, each once. The constant, slot 0, comes first.
#[derive(Clone, Debug, Default)]
pub struct BaseFeatures {
    /// The slot of each feature.
    pub slots: Vec<u32>,
    /// The value of each feature.
    pub values: Vec<f32>,
    /// The `G` of each feature's own weight, where rows have something to inherit.
    pub gradients: Vec<f32>,
    /// Places of weights, for rows that list them.
    pub listed: Vec<u32>,
    /// Values with some set to 0, for rows that leave base features out.
    pub masked: Vec<f32>,
}

/// Where the weights of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The weight for base slot `i` is at `start + i`: nothing is shared.
    Own(u32),
    /// The weight for base slot `i` is at a place hashed from this key and `i`.
    Shared(u64),
    /// The places are listed one by one, from here on in [`BaseFeatures::listed`]; none occurs twice.
    Listed(u32),
    /// The same, but a place may occur twice.
    Crowded(u32),
}

impl Place {
    /// The place of the weight for base slot (or listed place) `slot`, in a table of `mask + 1`.
    #[inline]
    pub(crate) fn of(self, slot: u32, mask: usize) -> usize {
        match self {
            Place::Own(start) => start as usize + slot as usize,
            Place::Listed(_) | Place::Crowded(_) => slot as usize,
            Place::Shared(key) => mix(key ^ u64::from(slot).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as usize & mask,
        }
    }
}

/// A monomial times each base feature of a range: one stretch of the example's active features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Where its weights are.
    pub place: Place,
    /// The value of the monomial.
    pub multiplier: f32,
    /// The first base feature of the range, by its position in the example.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// A new weight starts with `G` of this times the `G` of its base feature's own weight.
    pub heritage: f32,
    /// Whose row it is, in an adaptive expansion.
    pub parent: u32,
    /// Where its values begin in [`BaseFeatures::masked`], if it leaves base features out.
    pub masked: Option<u32>,
    /// How many active features it stands for: its length, less what it leaves out.
    pub active: u32,
}

impl Row {
    /// A row of all base features of a range.
    pub(crate) fn whole(place: Place, multiplier: f32, first: u32, end: u32) -> Row {
        Row { place, multiplier, first, end, heritage: 0.0, parent: 0, masked: None, active: end - first }
    }

    /// How many base features are in its range.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// True if there is none in its range.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// The slots (or listed places) and the values of the range.
    #[inline(always)]
    pub(crate) fn range<'a>(&self, base: &'a BaseFeatures) -> (&'a [u32], &'a [f32]) {
        let range = self.first as usize..self.end as usize;
        let places = match self.place {
            Place::Own(_) | Place::Shared(_) => &base.slots[range.clone()],
            Place::Listed(start) | Place::Crowded(start) => &base.listed[start as usize..start as usize + self.len()],
        };
        let values = match self.masked {
            None => &base.values[range],
            Some(start) => &base.masked[start as usize..start as usize + self.len()],
        };
        (places, values)
    }

    /// The `G` that a new weight at `position` of the row starts with.
    #[inline]
    pub(crate) fn inherited(&self, base: &BaseFeatures, position: usize) -> f32 {
        if self.heritage == 0.0 { 0.0 } else { self.heritage * base.gradients[self.first as usize + position] }
    }
}
