use std::array::from_fn;

use super::eight::Eight;
use super::loops::Sums;
use super::{Slot, at_most};

/// How many weights a tile has.
pub(crate) const TILE: usize = 8;

/// Keeps the compiler from going over several tiles at once, for which it takes them apart and puts lanes of different tiles
/// together. It does not look into assembly, and there is none here.
#[inline(always)]
pub(super) fn one_tile_at_a_time() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it is empty.
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// Eight numbers that lie in one line of the processor's cache.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct Aligned(pub(super) [f32; TILE]);

/// Eight weights, each field in a row, so that loops run straight.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Tile {
    pub(super) weight: [f32; TILE],
    pub(super) gradient: [f32; TILE],
    pub(super) scale: [f32; TILE],
    /// `1 / N`, kept so that the loops need not divide.
    pub(super) inverse_scale: [f32; TILE],
}

impl Tile {
    #[inline]
    pub(super) fn set(&mut self, lane: usize, slot: Slot) {
        self.weight[lane] = slot.weight;
        self.gradient[lane] = slot.gradient;
        self.scale[lane] = slot.scale;
        self.inverse_scale[lane] = slot.inverse_scale();
    }

    /// Makes it a copy of eight weights.
    #[inline(always)]
    pub(super) fn fill<E: Eight>(&mut self, weight: E, gradient: E, scale: E) {
        weight.store(&mut self.weight);
        gradient.store(&mut self.gradient);
        scale.store(&mut self.scale);
        (E::all(1.0) / scale).at_most(E::all(f32::MAX)).store(&mut self.inverse_scale);
    }

    /// What [`Slot::widen`] does, for those of eight whose value is larger than any before; the `G` of new ones becomes 0.
    #[inline(always)]
    pub(super) fn widen(&mut self, x: &[f32; TILE], is_new: [bool; TILE]) {
        let Tile { mut weight, mut gradient, mut scale, mut inverse_scale } = *self;
        for lane in 0..TILE {
            let (before, magnitude) = (scale[lane], x[lane].abs());
            let wider = magnitude > before;
            let factor = if wider & (before > 0.0) { before / magnitude } else { 1.0 };
            weight[lane] *= factor;
            gradient[lane] = if is_new[lane] { 0.0 } else { gradient[lane] };
            scale[lane] = if wider { magnitude } else { before };
            inverse_scale[lane] = at_most(1.0 / scale[lane], f32::MAX);
        }
        *self = Tile { weight, gradient, scale, inverse_scale };
    }

    /// What `measure` does, for eight at a time: gives the directions. `widen` is for values larger than any before.
    #[inline(always)]
    pub(super) fn measure<E: Eight>(
        &mut self,
        x: E,
        squared_slope: f32,
        sums: &mut Sums<E>,
        widen: impl FnOnce(&mut Tile),
    ) -> E {
        if x.passes(E::load(&self.scale)) {
            widen(self);
        }
        direction(&mut self.gradient, &self.inverse_scale, x, squared_slope, sums)
    }
}

/// Adds to `G`, and gives the directions `x / (N sqrt(G))`.
#[inline(always)]
pub(super) fn direction<E: Eight>(
    gradient: &mut [f32; TILE],
    inverse_scale: &[f32; TILE],
    x: E,
    squared_slope: f32,
    sums: &mut Sums<E>,
) -> E {
    let squares = (E::load(gradient) + E::all(squared_slope) * (x * x)).at_most(E::all(f32::MAX));
    let normalised = x * E::load(inverse_scale);
    let direction = normalised / squares.at_least(E::all(f32::MIN_POSITIVE)).sqrt();
    sums.norm = sums.norm + normalised * normalised;
    sums.sensitivity = sums.sensitivity + x * direction;
    squares.store(gradient);
    direction
}

/// What finding the directions of eight weights takes: `G`, to be added to, and `1 / N`.
pub(super) struct Steepness<'a> {
    pub(super) gradient: &'a mut [f32; TILE],
    pub(super) inverse_scale: &'a [f32; TILE],
}

/// Adds to `G`, and gives the directions `x / (N sqrt(G))`, of several eights at once.
#[inline(always)]
pub(super) fn directions<E: Eight, D: Division<E>, const COUNT: usize>(
    weights: [Steepness<'_>; COUNT],
    x: [E; COUNT],
    squared_slope: f32,
    sums: &mut Sums<E>,
) -> [E; COUNT] {
    let squares: [E; COUNT] = from_fn(|number| {
        let square = E::all(squared_slope) * (x[number] * x[number]);
        (E::load(weights[number].gradient) + square).at_most(E::all(f32::MAX))
    });
    let normalised: [E; COUNT] = from_fn(|number| x[number] * E::load(weights[number].inverse_scale));
    let roots = squares.map(|square| square.at_least(E::all(f32::MIN_POSITIVE)));
    let directions = D::by_roots(normalised, roots);
    for (number, weights) in weights.into_iter().enumerate() {
        sums.norm = sums.norm + normalised[number] * normalised[number];
        sums.sensitivity = sums.sensitivity + x[number] * directions[number];
        squares[number].store(weights.gradient);
    }
    directions
}

/// How several eights are divided by roots: what most of the time for finding directions goes to.
pub(super) trait Division<E: Eight> {
    /// `numerator / sqrt(square)` of each.
    fn by_roots<const COUNT: usize>(numerators: [E; COUNT], squares: [E; COUNT]) -> [E; COUNT];
}

/// One eight after the other.
pub(super) struct OneByOne;

impl<E: Eight> Division<E> for OneByOne {
    #[inline(always)]
    fn by_roots<const COUNT: usize>(mut numerators: [E; COUNT], squares: [E; COUNT]) -> [E; COUNT] {
        for (numerator, square) in numerators.iter_mut().zip(squares) {
            *numerator = *numerator / square.sqrt();
        }
        numerators
    }
}

/// `w_i x_i`; `gravity` is L1's pull on each weight.
#[inline(always)]
pub(super) fn score<E: Eight>(weight: E, x: E, gravity: f32) -> E {
    // A common case, told before.
    if gravity == 0.0 { weight * x } else { pulled(weight, gravity) * x }
}

/// `w_i + step * direction_i`
#[inline(always)]
pub(super) fn moved<E: Eight>(weight: &[f32; TILE], step: f32, directions: &[f32; TILE]) -> E {
    (E::load(weight) + E::all(step) * E::load(directions)).bounded()
}

/// Weights after L1's pull: see [`super::plain::pulled`].
#[inline(always)]
pub(super) fn pulled<E: Eight>(weight: E, gravity: f32) -> E {
    weight - weight.at_most(E::all(gravity)).at_least(E::all(-gravity))
}
