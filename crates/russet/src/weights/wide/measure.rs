use super::{tiles_of, width_of};
use crate::weights::eight::Eight;
use crate::weights::loops::{Copied, Scratch, Sums};
use crate::weights::tile::{Division, TILE, Tile};
use crate::weights::tiles::Tiles;
use crate::weights::{BaseFeatures, Row, Slot};

/// `measure` over the copies of all rows.
#[inline(always)]
pub(crate) fn measure_copies<E: Eight>(
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums<E> {
    let mut sums = Sums::default();
    let (mut copies, mut directions) = (&mut scratch.copies[..], &mut scratch.directions[..]);
    for row in rows {
        let (ours, later) = copies.split_at_mut(tiles_of(row));
        let (our_directions, later_directions) = directions.split_at_mut(tiles_of(row));
        for (number, (copied, directions)) in ours.iter_mut().zip(our_directions).enumerate() {
            let Copied { tile, x, .. } = copied;
            let widen = |tile: &mut Tile| widen(tile, x, row, base, linear, number * TILE);
            tile.measure(E::load(x), squared_slope, &mut sums, widen).store(&mut directions.0);
        }
        (copies, directions) = (later, later_directions);
    }
    sums
}

/// `measure` over the tiles of all rows.
#[inline(always)]
pub(crate) fn measure_tiles<E: Eight, D: Division<E>>(
    tiles: &mut Tiles,
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums<E> {
    let (mut sums, width, Scratch { x, runs, .. }) = (Sums::default(), width_of(rows), scratch);
    for run in runs.iter() {
        let first = run.copies.start;
        let widen = |number: usize, tile: &mut Tile, values: &[f32; TILE]| {
            let row = &rows[(first + number) / width];
            widen(tile, values, row, base, linear, number % width * TILE);
        };
        tiles.fields(run.start..run.end()).measure::<E, D>(&mut x[run.copies.clone()], squared_slope, &mut sums, widen);
    }
    sums
}

/// Takes note of values larger than any before, in the tile that begins at `first` of the row. Rare after the first
/// examples. New weights inherit from `linear`.
#[cold]
#[inline(never)]
pub(crate) fn widen(tile: &mut Tile, x: &[f32; TILE], row: &Row, base: &BaseFeatures, linear: &[Slot], first: usize) {
    let is_new = std::array::from_fn(|lane| tile.scale[lane] == 0.0 && x[lane].abs() > 0.0);
    tile.widen(x, is_new);
    if row.heritage != 0.0 {
        for (lane, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
            tile.gradient[lane] = row.inherited(base, linear, first + lane);
        }
    }
}
