use crate::feature::mix;

/// The base features of one example, by slot, each once. The constant, slot 0, comes first.
#[derive(Clone, Debug, Default)]
pub struct BaseFeatures {
    /// The slot of each feature.
    pub slots: Vec<u32>,
    /// The value of each feature.
    pub values: Vec<f32>,
}

/// Where the weights of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The weight for base slot `i` is at `start + i`: nothing is shared.
    Own(u32),
    /// The weight for base slot `i` is at a place hashed from this key and `i`.
    Shared(u64),
}

impl Place {
    /// The place of the weight for base slot `slot`, in a table of `mask + 1`.
    #[inline]
    pub(crate) fn of(self, slot: u32, mask: usize) -> usize {
        match self {
            Place::Own(start) => start as usize + slot as usize,
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
}

impl Row {
    /// How many active features the row stands for.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// True if the row stands for no feature.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// The slots and values of the range.
    #[inline]
    pub(crate) fn range<'a>(&self, base: &'a BaseFeatures) -> (&'a [u32], &'a [f32]) {
        let range = self.first as usize..self.end as usize;
        (&base.slots[range.clone()], &base.values[range])
    }
}
