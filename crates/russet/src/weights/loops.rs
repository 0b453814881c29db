//! The three loops over an example's active features, and where they keep what they pass on to each other.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::eight::{Avx, Together};
use super::eight::{Eight, Portable};
use super::tile::{Aligned, OneByOne, TILE, Tile};
use super::tiles::Tiles;
use super::{BaseFeatures, Cpu, Lanes, Measured, Row, Slot, Span, wide};

/// Which version of the loops runs. Every version gives the same bits.
pub(crate) trait Loops: Copy {
    /// What eight features are worked on in.
    type Eight: Eight;

    /// Eight features at a time; otherwise one at a time, said plainly: the oracle.
    const WIDE: bool;

    // The loops over many tiles are functions of their own: within one that is long, the compiler runs out of registers, and
    // keeps sums in memory.

    /// [`wide::score_tiles`]
    #[inline(never)]
    fn score_tiles(tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        wide::score_tiles::<Self::Eight>(tiles, rows, base, gravity, total);
    }

    /// [`wide::open_tiles`]
    #[inline(never)]
    fn open_tiles(
        tiles: &Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        gravity: f32,
        total: &mut Lanes,
        scratch: &mut Scratch,
    ) {
        wide::open_tiles::<Self::Eight>(tiles, rows, base, gravity, total, scratch);
    }

    /// [`wide::measure_tiles`]
    #[inline(never)]
    fn measure_tiles(
        tiles: &mut Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        linear: &[Slot],
        squared_slope: f32,
        scratch: &mut Scratch,
    ) -> Measured {
        wide::measure_tiles::<Self::Eight, OneByOne>(tiles, rows, base, linear, squared_slope, scratch).measured()
    }

    /// [`wide::close_tiles`]
    #[inline(never)]
    fn close_tiles(tiles: &mut Tiles, step: f32, scratch: &Scratch) {
        wide::close_tiles::<Self::Eight>(tiles, step, scratch);
    }
}

/// One feature at a time, said plainly: the oracle.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Eight features at a time, where a row's weights are its own.
#[derive(Clone, Copy)]
pub(crate) struct Wide;

/// The same in code that is compiled for AVX2. Whoever has one has AVX2.
#[derive(Clone, Copy)]
#[cfg(target_arch = "x86_64")]
pub(super) struct WideWithAvx2(());

#[cfg(target_arch = "x86_64")]
impl WideWithAvx2 {
    /// # Safety
    /// The processor has AVX2.
    pub(super) unsafe fn new() -> WideWithAvx2 {
        WideWithAvx2(())
    }
}

impl Loops for Plain {
    type Eight = Portable;
    const WIDE: bool = false;
}

impl Loops for Wide {
    type Eight = Portable;
    const WIDE: bool = true;
}

#[cfg(target_arch = "x86_64")]
impl Loops for WideWithAvx2 {
    type Eight = Avx;
    const WIDE: bool = true;

    #[inline(always)]
    fn score_tiles(tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        // SAFETY: whoever has the type has AVX2.
        unsafe { avx2::score_tiles(tiles, rows, base, gravity, total) }
    }

    #[inline(always)]
    fn open_tiles(
        tiles: &Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        gravity: f32,
        total: &mut Lanes,
        scratch: &mut Scratch,
    ) {
        // SAFETY: as above.
        unsafe { avx2::open_tiles(tiles, rows, base, gravity, total, scratch) }
    }

    #[inline(always)]
    fn measure_tiles(
        tiles: &mut Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        linear: &[Slot],
        squared_slope: f32,
        scratch: &mut Scratch,
    ) -> Measured {
        if scratch.has_avx512 {
            // SAFETY: that is what it says.
            return unsafe { avx512::measure_tiles(tiles, rows, base, linear, squared_slope, scratch) };
        }
        // SAFETY: as above.
        unsafe { avx2::measure_tiles(tiles, rows, base, linear, squared_slope, scratch) }
    }

    #[inline(always)]
    fn close_tiles(tiles: &mut Tiles, step: f32, scratch: &Scratch) {
        // SAFETY: as above.
        unsafe { avx2::close_tiles(tiles, step, scratch) }
    }
}

/// The loops over many tiles, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Avx, BaseFeatures, Lanes, Measured, OneByOne, Row, Scratch, Slot, Tiles, wide};

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn score_tiles(tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        wide::score_tiles::<Avx>(tiles, rows, base, gravity, total);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn open_tiles(
        tiles: &Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        gravity: f32,
        total: &mut Lanes,
        scratch: &mut Scratch,
    ) {
        wide::open_tiles::<Avx>(tiles, rows, base, gravity, total, scratch);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn measure_tiles(
        tiles: &mut Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        linear: &[Slot],
        squared_slope: f32,
        scratch: &mut Scratch,
    ) -> Measured {
        wide::measure_tiles::<Avx, OneByOne>(tiles, rows, base, linear, squared_slope, scratch).measured()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn close_tiles(tiles: &mut Tiles, step: f32, scratch: &Scratch) {
        wide::close_tiles::<Avx>(tiles, step, scratch);
    }
}

/// The loop that divides, compiled for AVX-512. Some processors divide sixteen numbers in the time of eight; others lose nothing.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Avx, BaseFeatures, Measured, Row, Scratch, Slot, Tiles, Together, wide};

    #[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline(never)]
    pub(super) fn measure_tiles(
        tiles: &mut Tiles,
        rows: &[Row],
        base: &BaseFeatures,
        linear: &[Slot],
        squared_slope: f32,
        scratch: &mut Scratch,
    ) -> Measured {
        wide::measure_tiles::<Avx, Together>(tiles, rows, base, linear, squared_slope, scratch).measured()
    }
}

/// The sums that the loop `measure` makes, in eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sums<E> {
    /// `sum_i x_i^2 / N_i^2`
    pub(crate) norm: E,
    /// `sum_i x_i^2 / (N_i sqrt(G_i))`, the sensitivity
    pub(crate) sensitivity: E,
}

impl<E: Eight> Default for Sums<E> {
    #[inline(always)]
    fn default() -> Sums<E> {
        Sums { norm: E::zero(), sensitivity: E::zero() }
    }
}

impl<E: Eight> Sums<E> {
    /// The sums of all lanes.
    #[inline(always)]
    pub(super) fn measured(self) -> Measured {
        Measured { norm: self.norm.sum(), sensitivity: self.sensitivity.sum() }
    }
}

/// What the loops over one table pass on to each other, for each active feature of the example, row by row. The wide loops
/// fill each row up to whole tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Of weights that stay where they are: the values of the features and then, in their place, the directions.
    pub(super) x: Vec<Aligned>,
    /// See [`super::Rows::straight`]; of the rows that are opened next.
    pub(crate) straight: Option<Span>,
    /// Where these weights are.
    pub(super) runs: Vec<Run>,
    /// The direction in which each weight will move, of others.
    pub(super) directions: Vec<Aligned>,
    /// Copies of weights that lie scattered, to be written back.
    pub(super) copies: Vec<Copied>,
    /// Where the weights are, if some are shared.
    pub(super) places: Vec<u32>,
    /// Set if weights are not copied: the plain loops run on this example, or those for shared weights.
    pub(super) plain: bool,
    /// Set if the processor has AVX-512, for the loop that divides. Kept here, as whatever the loops' type holds takes registers everywhere.
    has_avx512: bool,
}

/// Rows of tiles that follow each other in the table: where an example has most features, they are few and long.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Where they begin in the table.
    pub(super) start: usize,
    /// Where they are among the tiles of all rows.
    pub(super) copies: Range<usize>,
}

impl Run {
    /// Where they end in the table.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.start + self.copies.len()
    }
}

/// Copies of eight weights that lie scattered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copied {
    pub(super) tile: Tile,
    /// The values of their features.
    pub(super) x: [f32; TILE],
    pub(super) keys: [u32; TILE],
}

impl Scratch {
    /// For loops that run on this processor.
    pub(crate) fn on(cpu: Cpu) -> Scratch {
        Scratch { has_avx512: cpu.has_avx512(), ..Scratch::default() }
    }

    /// Room for `tiles` tiles that stay where they are, of which there is no run yet.
    #[inline(always)]
    pub(super) fn resize(&mut self, tiles: usize) {
        self.runs.clear();
        if self.x.len() < tiles {
            self.x.resize(tiles, Aligned::default());
        }
    }

    /// Room for `tiles` tiles that are copies.
    #[inline(always)]
    pub(super) fn resize_copies(&mut self, tiles: usize) {
        if self.copies.len() < tiles {
            self.copies.resize(tiles, Copied::default());
        }
        self.resize_directions(tiles);
    }

    /// Room for the directions of `tiles` tiles.
    #[inline(always)]
    pub(super) fn resize_directions(&mut self, tiles: usize) {
        if self.directions.len() < tiles {
            self.directions.resize(tiles, Aligned::default());
        }
    }

    /// Sets the `N` of the copy of a weight, if there is one.
    pub(super) fn note_scale(&mut self, number: usize, scale: f32) {
        if let Some(copied) = self.copies.get_mut(number / TILE).filter(|_| !self.plain) {
            copied.tile.scale[number % TILE] = scale;
        }
    }

    /// Takes note that the weight at `position` of the row whose copies begin at `tile` is now a new one.
    pub(crate) fn admit(&mut self, tile: usize, position: usize, key: u32) {
        if !self.plain {
            let copied = &mut self.copies[tile + position / TILE];
            copied.tile.set(position % TILE, Slot::default());
            copied.keys[position % TILE] = key;
        }
    }
}
