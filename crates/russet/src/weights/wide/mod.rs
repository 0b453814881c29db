//! The loops, eight features at a time, for rows whose weights are their own.
//!
//! Each does for the eight lanes of a tile what `plain` does for one feature, in the same order of operations, so the
//! results are the same bits. Weights that lie scattered are first copied into tiles, and written back at the end.

mod close;
mod measure;
mod open;
mod score;
mod span;

use std::ops::Range;

use super::eight::Eight;
use super::plain::product;
use super::scatter::places;
use super::tile::{Aligned, TILE, one_tile_at_a_time};
use super::{BaseFeatures, Place, Row};
pub(super) use close::{close_slots, close_tiles};
pub(super) use measure::{measure_copies, measure_tiles, widen};
pub(super) use open::{open_slots, open_tiles};
pub(super) use score::{score_slots, score_tiles, weights_at};
pub(crate) use span::Span;

/// How many tiles the weights of a row fill.
#[inline(always)]
fn tiles_of(row: &Row) -> usize {
    row.len().div_ceil(TILE)
}

/// How many tiles each row of a table of tiles fills: they all cover every base slot.
#[inline(always)]
fn width_of(rows: &[Row]) -> usize {
    debug_assert!(rows.iter().all(|row| tiles_of(row) == tiles_of(&rows[0])));
    rows.first().map_or(0, tiles_of)
}

/// Where the tiles of a row of tiles are.
#[inline(always)]
fn range_of(row: &Row, width: usize) -> Range<usize> {
    let Place::Tiles(first) = row.place else { unreachable!("a row of another table") };
    first as usize..first as usize + width
}

/// What the base features of rows of tiles are multiplied with.
#[inline(always)]
fn tile_values<'a>(rows: &[Row], base: &'a BaseFeatures) -> &'a [[f32; TILE]] {
    rows.first().map_or(&[], |row| row.values(base).as_chunks().0)
}

/// Eight products. In this form the compiler takes the question out of the loops around it.
#[inline(always)]
fn products<E: Eight>(values: &[f32; TILE], multiplier: E, in_range: bool) -> E {
    let x = multiplier * E::load(values);
    if in_range { x } else { x.bounded().lift() }
}

/// Writes `multiplier` times each of `tiles` to the beginning of `values`.
#[inline(always)]
pub(crate) fn write_products<const IN_RANGE: bool>(tiles: &[[f32; TILE]], multiplier: f32, values: &mut [f32]) {
    for (tile, values) in tiles.iter().zip(values.as_chunks_mut().0) {
        one_tile_at_a_time();
        let mut x: [f32; TILE] = *tile;
        for x in &mut x {
            *x = if IN_RANGE { multiplier * *x } else { product(multiplier, *x) };
        }
        *values = x;
    }
}

/// The base features of a row, eight at a time, as places and values.
struct Parts<'a> {
    start: usize,
    places: &'a [[u32; TILE]],
    last_places: &'a [u32],
    values: &'a [[f32; TILE]],
    last_values: &'a [f32],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn of(row: &Row, base: &'a BaseFeatures) -> Parts<'a> {
        let (start, places) = places(row, base);
        let ((places, last_places), (values, last_values)) = (places.as_chunks(), row.values(base).as_chunks());
        Parts { start, places, last_places, values, last_values }
    }
}

/// The values of a few tiles.
#[inline(always)]
fn load_all<E: Eight, const WIDTH: usize>(values: &[[f32; TILE]]) -> [E; WIDTH] {
    let mut all = [E::zero(); WIDTH];
    for (loaded, values) in all.iter_mut().zip(values) {
        *loaded = E::load(values);
    }
    all
}

/// The sums of a row of few tiles, all of whose products stay in range; these are kept in `x`, if it is there.
#[inline(always)]
fn sum_of<E: Eight, const WIDTH: usize>(
    weights: &[Aligned; WIDTH],
    common: &[E; WIDTH],
    multiplier: E,
    mut x: Option<&mut [Aligned; WIDTH]>,
) -> E {
    let mut sums = E::zero();
    for tile in 0..WIDTH {
        let products = multiplier * common[tile];
        if let Some(x) = &mut x {
            products.store(&mut x[tile].0);
        }
        sums = sums + E::load(&weights[tile].0) * products;
    }
    sums
}
