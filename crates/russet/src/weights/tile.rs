use super::plain::pulled;
use super::{Lanes, Slot, at_least, at_most, bounded};

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
    pub(super) fn get(&self, lane: usize) -> Slot {
        Slot { weight: self.weight[lane], gradient: self.gradient[lane], scale: self.scale[lane], key: 0 }
    }

    #[inline]
    pub(super) fn set(&mut self, lane: usize, slot: Slot) {
        self.weight[lane] = slot.weight;
        self.gradient[lane] = slot.gradient;
        self.scale[lane] = slot.scale;
        self.inverse_scale[lane] = slot.inverse_scale();
    }

    /// Adds `w_i x_i` to each lane of `total`.
    #[inline(always)]
    pub(super) fn score(&self, x: &[f32; TILE], gravity: f32, total: &mut Lanes) {
        one_tile_at_a_time();
        // Nothing but a common case, told before the loop.
        for lane in 0..TILE {
            let weight = if gravity == 0.0 { self.weight[lane] } else { pulled(self.weight[lane], gravity) };
            total[lane] += weight * x[lane];
        }
    }

    /// True if a value is larger than any before.
    #[inline(always)]
    pub(super) fn widens(&self, x: [f32; TILE]) -> bool {
        let (scale, mut widens) = (self.scale, false);
        for lane in 0..TILE {
            widens |= x[lane].abs() > scale[lane];
        }
        widens
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

    /// What `measure` does, for eight at a time, where no value is larger than any before.
    ///
    /// Everything is read first and written last: what is written could be what is read next for all the compiler knows,
    /// and it would go one by one.
    #[inline(always)]
    pub(super) fn measure(
        &mut self,
        x: [f32; TILE],
        squared_slope: f32,
        norm: &mut Lanes,
        sensitivity: &mut Lanes,
        directions: &mut [f32; TILE],
    ) {
        one_tile_at_a_time();
        let (mut gradient, inverse_scale) = (self.gradient, self.inverse_scale);
        let mut direction = [0.0; TILE];
        for lane in 0..TILE {
            gradient[lane] = at_most(gradient[lane] + squared_slope * (x[lane] * x[lane]), f32::MAX);
        }
        for lane in 0..TILE {
            let normalised = x[lane] * inverse_scale[lane];
            direction[lane] = normalised / at_least(gradient[lane], f32::MIN_POSITIVE).sqrt();
            norm[lane] += normalised * normalised;
            sensitivity[lane] += x[lane] * direction[lane];
        }
        self.gradient = gradient;
        *directions = direction;
    }

    /// `w_i += step * direction_i`
    #[inline(always)]
    pub(super) fn apply(&mut self, step: f32, directions: &[f32; TILE]) {
        one_tile_at_a_time();
        let (mut weight, directions) = (self.weight, *directions);
        for lane in 0..TILE {
            weight[lane] = bounded(weight[lane] + step * directions[lane]);
        }
        self.weight = weight;
    }
}
