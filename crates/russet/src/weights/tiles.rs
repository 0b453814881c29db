use super::eight::Eight;
use super::loops::Sums;
use super::tile::{TILE, Tile, direction, pulled};
use super::{Slot, memory};

/// Eight numbers that lie in one line of the processor's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct Aligned(pub(super) [f32; TILE]);

/// Weights eight by eight, each field in an array of its own: a loop over many touches no more memory than it needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Tiles {
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
        let field = |field: &[Aligned]| field[place / TILE].0[place % TILE];
        Slot { weight: field(&self.weight), gradient: field(&self.gradient), scale: field(&self.scale), key: 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize, slot: Slot) {
        let set = |field: &mut [Aligned], value| field[place / TILE].0[place % TILE] = value;
        set(&mut self.weight, slot.weight);
        set(&mut self.gradient, slot.gradient);
        set(&mut self.scale, slot.scale);
        set(&mut self.inverse_scale, slot.inverse_scale());
    }

    /// Changes every weight, and nothing else.
    pub(super) fn change_weights(&mut self, change: impl Fn(f32) -> f32) {
        self.weight.iter_mut().flat_map(|weight| &mut weight.0).for_each(|weight| *weight = change(*weight));
    }

    /// The tiles of a range, for the loop that scores.
    #[inline(always)]
    pub(super) fn weights(&self, range: std::ops::Range<usize>) -> &[Aligned] {
        &self.weight[range]
    }

    /// The tiles of a range, for the loop that moves weights.
    #[inline(always)]
    pub(super) fn weights_mut(&mut self, range: std::ops::Range<usize>) -> &mut [Aligned] {
        &mut self.weight[range]
    }

    /// The tiles of a range, for the loop that measures.
    #[inline(always)]
    pub(super) fn fields(&mut self, range: std::ops::Range<usize>) -> impl Iterator<Item = Fields<'_>> {
        let gradients = self.gradient[range.clone()].iter_mut();
        let rest = self.weight[range.clone()].iter_mut().zip(&mut self.scale[range.clone()]);
        gradients
            .zip(&mut self.inverse_scale[range])
            .zip(rest)
            .map(|((gradient, inverse_scale), (weight, scale))| Fields { weight, gradient, scale, inverse_scale })
    }
}

/// One tile of [`Tiles`].
pub(super) struct Fields<'a> {
    weight: &'a mut Aligned,
    gradient: &'a mut Aligned,
    scale: &'a mut Aligned,
    inverse_scale: &'a mut Aligned,
}

impl Fields<'_> {
    /// What `measure` does; `widen` is called if a value is larger than any before.
    #[inline(always)]
    pub(super) fn measure<E: Eight>(
        self,
        x: E,
        squared_slope: f32,
        sums: &mut Sums<E>,
        widen: impl FnOnce(&mut Tile, &[f32; TILE]),
    ) -> E {
        if x.passes(E::load(&self.scale.0)) {
            let Fields { weight, gradient, scale, inverse_scale } = &self;
            let mut tile =
                Tile { weight: weight.0, gradient: gradient.0, scale: scale.0, inverse_scale: inverse_scale.0 };
            let mut values = [0.0; TILE];
            x.store(&mut values);
            widen(&mut tile, &values);
            (self.weight.0, self.gradient.0, self.scale.0) = (tile.weight, tile.gradient, tile.scale);
            self.inverse_scale.0 = tile.inverse_scale;
        }
        direction(&mut self.gradient.0, &self.inverse_scale.0, x, squared_slope, sums)
    }
}

/// `w_i x_i`; `gravity` is L1's pull on each weight.
#[inline(always)]
pub(super) fn score<E: Eight>(weight: E, x: E, gravity: f32) -> E {
    // A common case, told before.
    if gravity == 0.0 { weight * x } else { pulled(weight, gravity) * x }
}
