use crate::weights::tile::TILE;
use crate::weights::{BaseFeatures, SMALLEST, at_least, at_most};

/// Between which magnitudes the values of an example are, those of 0 aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(super) smallest: f32,
    pub(super) largest: f32,
}

impl Default for Span {
    /// That of no value.
    #[inline(always)]
    fn default() -> Span {
        Span { smallest: f32::INFINITY, largest: 0.0 }
    }
}

impl Span {
    /// Takes note of a value; one of 0 is not set aside.
    #[inline(always)]
    pub(crate) fn include(&mut self, value: f32) {
        self.smallest = at_most(value.abs(), self.smallest);
        self.largest = at_least(value.abs(), self.largest);
    }

    /// True if one of those that were included is 0.
    #[inline(always)]
    pub(crate) fn has_zero(self) -> bool {
        self.smallest == 0.0
    }

    #[inline(always)]
    pub(crate) fn of(base: &BaseFeatures) -> Span {
        let (mut smallest, mut largest) = ([f32::INFINITY; TILE], [0.0f32; TILE]);
        let (whole, rest) = base.values.as_chunks::<TILE>();
        let mut last = [0.0; TILE];
        last[..rest.len()].copy_from_slice(rest);
        for values in whole.iter().chain([&last]) {
            for lane in 0..TILE {
                let magnitude = values[lane].abs();
                smallest[lane] = at_most(if magnitude > 0.0 { magnitude } else { f32::INFINITY }, smallest[lane]);
                largest[lane] = at_least(magnitude, largest[lane]);
            }
        }
        Span {
            smallest: smallest.into_iter().fold(f32::INFINITY, at_most),
            largest: largest.into_iter().fold(0.0, at_least),
        }
    }

    /// True if [`product`](crate::weights::plain::product) only multiplies: rounding keeps the order, so it is enough to look at the ends.
    #[inline(always)]
    pub(crate) fn stays_in_range(self, multiplier: f32) -> bool {
        let multiplier = multiplier.abs();
        (multiplier * self.smallest >= SMALLEST) & (multiplier * self.largest <= f32::MAX)
    }

    /// The same for the product of up to `degree` of the values.
    #[inline(always)]
    pub(crate) fn has_products_in_range(self, degree: u32) -> bool {
        let Span { mut smallest, mut largest } = self;
        for _ in 1..degree {
            (smallest, largest) = (smallest * self.smallest, largest * self.largest);
        }
        (self.smallest.min(smallest) >= SMALLEST) & (self.largest.max(largest) <= f32::MAX)
    }
}
