//! The three loops over an example's active features, and where they keep what they pass on to each other.

use super::tile::{TILE, Tile};
use super::{Lanes, Slot};

/// Which version of the loops runs. Every version gives the same bits.
pub(crate) trait Loops: Copy {
    /// Eight features at a time; otherwise one at a time, said plainly: the oracle.
    const WIDE: bool;
}

/// One feature at a time, said plainly: the oracle.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Eight features at a time, where a row's weights are its own.
#[derive(Clone, Copy)]
pub(crate) struct Wide;

impl Loops for Plain {
    const WIDE: bool = false;
}

impl Loops for Wide {
    const WIDE: bool = true;
}

/// The sums that the loop `measure` makes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sums {
    /// `sum_i x_i^2 / N_i^2`
    pub(crate) norm: Lanes,
    /// `sum_i x_i^2 / (N_i sqrt(G_i))`, the sensitivity
    pub(crate) sensitivity: Lanes,
}

/// What the loops over one table pass on to each other, for each active feature of the example, row by row. The wide loops
/// fill each row up to whole tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The values of the features.
    pub(super) x: Vec<[f32; TILE]>,
    /// The direction in which each weight will move.
    pub(super) directions: Vec<[f32; TILE]>,
    /// Copies of weights that lie scattered, to be written back.
    pub(super) tiles: Vec<Tile>,
    /// The keys of those.
    pub(super) keys: Vec<[u32; TILE]>,
    /// Where the weights are, if some are shared.
    pub(super) places: Vec<u32>,
    /// Set if weights are not copied: the plain loops run on this example, or those for shared weights.
    pub(super) plain: bool,
}

impl Scratch {
    /// Room for `tiles` tiles.
    #[inline(always)]
    pub(super) fn resize(&mut self, tiles: usize, copies: bool) {
        if self.x.len() < tiles {
            self.x.resize(tiles, [0.0; TILE]);
            self.directions.resize(tiles, [0.0; TILE]);
        }
        if copies && self.tiles.len() < tiles {
            self.tiles.resize(tiles, Tile::default());
            self.keys.resize(tiles, [0; TILE]);
        }
    }

    /// Sets the `N` of the copy of a weight, if there is one.
    pub(super) fn note_scale(&mut self, number: usize, scale: f32) {
        if let Some(tile) = self.tiles.get_mut(number / TILE).filter(|_| !self.plain) {
            tile.scale[number % TILE] = scale;
        }
    }

    /// Takes note that the weight at `position` of the row whose copies begin at `tile` is now a new one.
    pub(crate) fn admit(&mut self, tile: usize, position: usize, key: u32) {
        if !self.plain {
            self.tiles[tile + position / TILE].set(position % TILE, Slot::default());
            self.keys[tile + position / TILE][position % TILE] = key;
        }
    }
}
