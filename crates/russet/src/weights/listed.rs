use std::ops::Range;

/// How many more products a room has space for than were asked for: whoever goes sixteen at a time may write them.
const MARGIN: usize = 16;

/// Products that are listed one by one, those of a row ([`super::Place::Listed`]) one after the other: where the weight of
/// each is, and its base feature. What is left of an earlier example behind them stays, to be written over.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    pub(crate) places: Vec<u32>,
    /// Base slots.
    pub(crate) slots: Vec<u32>,
    /// The values of the base features.
    pub(crate) values: Vec<f32>,
    /// How many products are not listed, as they have no place and will get none.
    pub(crate) left_out: u64,
    count: usize,
}

/// Some products of [`Listed`].
pub(crate) struct Room<'a> {
    pub(crate) places: &'a mut [u32],
    pub(crate) slots: &'a mut [u32],
    pub(crate) values: &'a mut [f32],
}

impl Listed {
    pub(crate) fn clear(&mut self) {
        (self.count, self.left_out) = (0, 0);
    }

    /// How many products are listed.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Room for `length` more products, and sixteen that do not count; [`Listed::keep`] says how many do.
    #[inline]
    pub(crate) fn room(&mut self, length: usize) -> Room<'_> {
        let range = self.count..self.count + length + MARGIN;
        if self.places.len() < range.end {
            self.places.resize(range.end, 0);
            self.slots.resize(range.end, 0);
            self.values.resize(range.end, 0.0);
        }
        self.part(range)
    }

    /// Makes the first `count` products of the room count.
    #[inline]
    pub(crate) fn keep(&mut self, count: usize) {
        self.count += count;
    }

    /// Makes the first `count` of all products count.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.count = count;
    }

    #[inline]
    pub(crate) fn part(&mut self, range: Range<usize>) -> Room<'_> {
        let (places, slots) = (&mut self.places[range.clone()], &mut self.slots[range.clone()]);
        Room { places, slots, values: &mut self.values[range] }
    }
}
