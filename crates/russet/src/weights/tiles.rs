use std::ops::Range;

use super::eight::Eight;
use super::loops::Sums;
use super::tile::{Aligned, Division, OneByOne, Steepness, TILE, Tile, directions};
use super::{Slot, memory};

/// Many weights, eight by eight, each field in an array of its own: a loop touches no more memory than it needs, and there is more
/// of it than the processor's nearest cache holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    weight: Vec<Aligned>,
    gradient: Vec<Aligned>,
    scale: Vec<Aligned>,
    /// `1 / N`, kept so that the loops need not divide.
    inverse_scale: Vec<Aligned>,
}

impl Tiles {
    /// Makes it so many tiles long; it will never have more than `limit`.
    pub(super) fn extend(&mut self, length: usize, limit: usize) {
        for field in [&mut self.weight, &mut self.gradient, &mut self.scale, &mut self.inverse_scale] {
            memory::extend_with_zeros(field, length, limit);
        }
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> Slot {
        let [weight, gradient, scale] =
            [&self.weight, &self.gradient, &self.scale].map(|field| field[place / TILE].0[place % TILE]);
        Slot { weight, gradient, scale, key: 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize, slot: Slot) {
        let (tile, lane) = (place / TILE, place % TILE);
        self.weight[tile].0[lane] = slot.weight;
        self.gradient[tile].0[lane] = slot.gradient;
        self.scale[tile].0[lane] = slot.scale;
        self.inverse_scale[tile].0[lane] = slot.inverse_scale();
    }

    /// Changes every weight, and nothing else.
    pub(super) fn change_weights(&mut self, change: impl Fn(f32) -> f32) {
        self.weight.iter_mut().flat_map(|weight| &mut weight.0).for_each(|weight| *weight = change(*weight));
    }

    /// The weights of some tiles.
    #[inline(always)]
    pub(super) fn weights(&self, range: Range<usize>) -> &[Aligned] {
        &self.weight[range]
    }

    /// The same, to be moved.
    #[inline(always)]
    pub(super) fn weights_mut(&mut self, range: Range<usize>) -> &mut [Aligned] {
        &mut self.weight[range]
    }

    /// Some tiles, to be measured.
    #[inline(always)]
    pub(super) fn fields(&mut self, range: Range<usize>) -> Fields<'_> {
        Fields {
            weight: &mut self.weight[range.clone()],
            gradient: &mut self.gradient[range.clone()],
            scale: &mut self.scale[range.clone()],
            inverse_scale: &mut self.inverse_scale[range],
        }
    }
}

/// Each field of some tiles.
pub(super) struct Fields<'a> {
    weight: &'a mut [Aligned],
    gradient: &'a mut [Aligned],
    scale: &'a mut [Aligned],
    inverse_scale: &'a mut [Aligned],
}

impl Fields<'_> {
    /// Finds the directions of all tiles, and writes them over the values `x`, several at once. `widen` is for values of a tile, by its
    /// number, that are larger than any before.
    #[inline(always)]
    pub(super) fn measure<E: Eight, D: Division<E>>(
        self,
        x: &mut [Aligned],
        squared_slope: f32,
        sums: &mut Sums<E>,
        widen: impl Fn(usize, &mut Tile, &[f32; TILE]),
    ) {
        let Fields { weight, gradient, scale, inverse_scale } = self;
        let (pairs, last) = x.as_chunks_mut::<2>();
        let (weights, last_weight) = weight.as_chunks_mut::<2>();
        let (gradients, last_gradient) = gradient.as_chunks_mut::<2>();
        let (scales, last_scale) = scale.as_chunks_mut::<2>();
        let (inverses, last_inverse) = inverse_scale.as_chunks_mut::<2>();
        let steep = gradients.iter_mut().zip(inverses);
        let flat = weights.iter_mut().zip(scales);
        for (number, ((steep, flat), x)) in steep.zip(flat).zip(pairs.iter_mut()).enumerate() {
            measure_some::<E, D, 2>(steep, flat, x, squared_slope, sums, |tile, values, lane| {
                widen(2 * number + lane, tile, values);
            });
        }
        let steep = last_gradient.as_chunks_mut::<1>().0.iter_mut().zip(last_inverse.as_chunks_mut::<1>().0);
        let flat = last_weight.as_chunks_mut::<1>().0.iter_mut().zip(last_scale.as_chunks_mut::<1>().0);
        for ((steep, flat), x) in steep.zip(flat).zip(last.as_chunks_mut::<1>().0) {
            measure_some::<E, OneByOne, 1>(steep, flat, x, squared_slope, sums, |tile, values, _| {
                widen(2 * pairs.len(), tile, values);
            });
        }
    }
}

/// [`Fields::measure`] for a few tiles: of `steep`, `G` and `1 / N`; of `flat`, weights and `N`.
#[inline(always)]
fn measure_some<E: Eight, D: Division<E>, const COUNT: usize>(
    (gradient, inverse_scale): (&mut [Aligned; COUNT], &mut [Aligned; COUNT]),
    (weight, scale): (&mut [Aligned; COUNT], &mut [Aligned; COUNT]),
    x: &mut [Aligned; COUNT],
    squared_slope: f32,
    sums: &mut Sums<E>,
    widen: impl Fn(&mut Tile, &[f32; TILE], usize),
) {
    for lane in 0..COUNT {
        if E::load(&x[lane].0).passes(E::load(&scale[lane].0)) {
            let [weight, gradient] = [&mut weight[lane].0, &mut gradient[lane].0];
            let [scale, inverse_scale] = [&mut scale[lane].0, &mut inverse_scale[lane].0];
            let mut tile = Tile { weight: *weight, gradient: *gradient, scale: *scale, inverse_scale: *inverse_scale };
            widen(&mut tile, &x[lane].0, lane);
            (*weight, *gradient, *scale, *inverse_scale) = (tile.weight, tile.gradient, tile.scale, tile.inverse_scale);
        }
    }
    let mut steep = gradient.iter_mut().zip(inverse_scale.iter());
    let steep = std::array::from_fn(|_| {
        let (gradient, inverse_scale) = steep.next().expect("there are as many");
        Steepness { gradient: &mut gradient.0, inverse_scale: &inverse_scale.0 }
    });
    let values = std::array::from_fn(|lane| E::load(&x[lane].0));
    let directions = directions::<E, D, COUNT>(steep, values, squared_slope, sums);
    for (direction, x) in directions.into_iter().zip(x) {
        direction.store(&mut x.0);
    }
}
