use std::ops::Range;

use super::eight::Eight;
use super::loops::Sums;
use super::tile::{Aligned, TILE, Tile, direction};
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
    pub(super) fn fields(&mut self, range: Range<usize>) -> impl Iterator<Item = Fields<'_>> {
        let steep = self.gradient[range.clone()].iter_mut().zip(&mut self.inverse_scale[range.clone()]);
        let rest = self.weight[range.clone()].iter_mut().zip(&mut self.scale[range]);
        steep.zip(rest).map(|((gradient, inverse_scale), (weight, scale))| Fields {
            weight,
            gradient,
            scale,
            inverse_scale,
        })
    }
}

/// One tile of many.
pub(super) struct Fields<'a> {
    weight: &'a mut Aligned,
    gradient: &'a mut Aligned,
    scale: &'a mut Aligned,
    inverse_scale: &'a mut Aligned,
}

impl Fields<'_> {
    /// What [`Tile::measure`] does.
    #[inline(always)]
    pub(super) fn measure<E: Eight>(
        self,
        x: E,
        squared_slope: f32,
        sums: &mut Sums<E>,
        widen: impl FnOnce(&mut Tile),
    ) -> E {
        let Fields { weight, gradient, scale, inverse_scale } = self;
        if x.passes(E::load(&scale.0)) {
            let mut tile =
                Tile { weight: weight.0, gradient: gradient.0, scale: scale.0, inverse_scale: inverse_scale.0 };
            widen(&mut tile);
            (weight.0, gradient.0, scale.0, inverse_scale.0) =
                (tile.weight, tile.gradient, tile.scale, tile.inverse_scale);
        }
        direction(&mut gradient.0, &inverse_scale.0, x, squared_slope, sums)
    }
}
