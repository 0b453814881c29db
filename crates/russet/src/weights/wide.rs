//! The loops, eight features at a time, for rows whose weights are their own.
//!
//! Each does for the eight lanes of a tile what `plain` does for one feature, in the same order of operations, so the
//! results are the same bits. Weights that lie scattered are first copied into tiles, and written back at the end.

use super::loops::{Scratch, Sums};
use super::plain::{product, pulled};
use super::scatter::{gather, places, scatter};
use super::tile::{TILE, Tile, one_tile_at_a_time};
use super::{BaseFeatures, Lanes, Place, Row, SMALLEST, Slot, at_least, at_most};

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
fn range_of(row: &Row, width: usize) -> std::ops::Range<usize> {
    let Place::Tiles(first) = row.place else { unreachable!("a row of another table") };
    first as usize..first as usize + width
}

/// What the base features of rows of tiles are multiplied with.
#[inline(always)]
fn tile_values<'a>(rows: &[Row], base: &'a BaseFeatures) -> &'a [[f32; TILE]] {
    rows.first().map_or(&[], |row| row.values(base).as_chunks().0)
}

/// Between which magnitudes the values of an example are, those of 0 aside.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    smallest: f32,
    largest: f32,
}

impl Span {
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

    /// True if [`product`] only multiplies: rounding keeps the order, so it is enough to look at the ends.
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

/// Eight products. In this form the compiler takes the question out of the loops around it; as `map`, or from one array to another, they are a tenth slower.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn products(values: &[f32; TILE], multiplier: f32, in_range: bool) -> [f32; TILE] {
    let mut x = *values;
    for lane in 0..TILE {
        x[lane] = if in_range { multiplier * x[lane] } else { product(multiplier, x[lane]) };
    }
    x
}

/// Writes `multiplier` times each of `tiles` to the beginning of `values`.
#[inline(always)]
pub(crate) fn write_products<const IN_RANGE: bool>(tiles: &[[f32; TILE]], multiplier: f32, values: &mut [f32]) {
    for (tile, values) in tiles.iter().zip(values.as_chunks_mut().0) {
        one_tile_at_a_time();
        *values = products(tile, multiplier, IN_RANGE);
    }
}

/// Writes the values of a row's features, filled up with zeros. Scattered rows are short: here the questions cost less than to know that they need not be asked.
#[inline(always)]
fn write_values(row: &Row, base: &BaseFeatures, x: &mut [[f32; TILE]]) {
    let (whole, rest) = row.values(base).as_chunks::<TILE>();
    for (values, x) in whole.iter().zip(x.iter_mut()) {
        let (values, mut products) = (*values, [0.0; TILE]);
        for lane in 0..TILE {
            products[lane] = product(row.multiplier, values[lane]);
        }
        *x = products;
    }
    if !rest.is_empty() {
        let last = &mut x[whole.len()];
        *last = [0.0; TILE];
        for (value, x) in rest.iter().zip(last) {
            *x = product(row.multiplier, *value);
        }
    }
}

/// Adds `sum_i w_i x_i` to `total`, without anything that only learning needs.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn score_slots(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    let (mut sums, span) = (*total, Span::of(base));
    for row in rows {
        if let Place::Shared(_) = row.place {
            score_shared(slots, row, base, gravity, &mut sums);
            continue;
        }
        let ((start, places), in_range) = (places(row, base), span.stays_in_range(row.multiplier));
        let (whole, rest) = places.as_chunks::<TILE>();
        let (values, last_values) = row.values(base).as_chunks::<TILE>();
        for (places, values) in whole.iter().zip(values) {
            let mut weights = [0.0; TILE];
            for lane in 0..TILE {
                // SAFETY: the caller's promise.
                weights[lane] = unsafe { slots.get_unchecked(start + places[lane] as usize) }.weight;
            }
            add_scores(weights, &products(values, row.multiplier, in_range), gravity, &mut sums);
        }
        if !rest.is_empty() {
            let (mut weights, mut x) = ([0.0; TILE], [0.0; TILE]);
            x[..last_values.len()].copy_from_slice(last_values);
            for (weight, place) in weights.iter_mut().zip(rest) {
                // SAFETY: the caller's promise.
                *weight = unsafe { slots.get_unchecked(start + *place as usize) }.weight;
            }
            add_scores(weights, &products(&x, row.multiplier, in_range), gravity, &mut sums);
        }
    }
    *total = sums;
}

#[inline(always)]
fn add_scores(weights: [f32; TILE], x: &[f32; TILE], gravity: f32, total: &mut Lanes) {
    for lane in 0..TILE {
        total[lane] += pulled(weights[lane], gravity) * x[lane];
    }
}

/// [`score_slots`] for a row whose weights are wherever their hash says.
#[inline(never)]
fn score_shared(slots: &[Slot], row: &Row, base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    for (position, value) in row.values(base).iter().enumerate() {
        let weight = slots[row.place(base, position, slots.len())].weight;
        total[position % TILE] += pulled(weight, gravity) * product(row.multiplier, *value);
    }
}

/// [`score_slots`] for rows of tiles.
#[inline(always)]
pub(super) fn score_tiles(tiles: &[Tile], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    let (mut sums, values, width, span) = (*total, tile_values(rows, base), width_of(rows), Span::of(base));
    for row in rows {
        let in_range = span.stays_in_range(row.multiplier);
        for (tile, values) in tiles[range_of(row, width)].iter().zip(values) {
            tile.score(&products(values, row.multiplier, in_range), gravity, &mut sums);
        }
    }
    *total = sums;
}

/// Copies all active weights into tiles, and scores them.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn open_slots(
    slots: &[Slot],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    scratch: &mut Scratch,
) {
    scratch.resize(rows.iter().map(tiles_of).sum(), true);
    let mut first = 0;
    for row in rows {
        let end = first + tiles_of(row);
        let (tiles, keys) = (&mut scratch.tiles[first..end], &mut scratch.keys[first..end]);
        // SAFETY: the caller's promise.
        unsafe { gather(slots, row, base, tiles, keys) };
        write_values(row, base, &mut scratch.x[first..end]);
        first = end;
    }
    // Only now, when what was written is sure to be in the cache: it is read in pieces of another size.
    let mut sums = *total;
    for (tile, x) in scratch.tiles[..first].iter().zip(&scratch.x) {
        tile.score(x, gravity, &mut sums);
    }
    *total = sums;
}

/// [`open_slots`] for rows of tiles, which stay where they are.
#[inline(always)]
pub(super) fn open_tiles(
    tiles: &[Tile],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    scratch: &mut Scratch,
) {
    let (values, width, span) = (tile_values(rows, base), width_of(rows), Span::of(base));
    scratch.resize(rows.len() * width, false);
    let (mut first, mut sums) = (0, *total);
    for row in rows {
        let in_range = span.stays_in_range(row.multiplier);
        let x = &mut scratch.x[first..first + width];
        for ((tile, values), x) in tiles[range_of(row, width)].iter().zip(values).zip(x) {
            *x = products(values, row.multiplier, in_range);
            tile.score(x, gravity, &mut sums);
        }
        first += width;
    }
    *total = sums;
}

/// `measure` over the copies of all rows.
#[inline(always)]
pub(super) fn measure_copies(
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums {
    let (mut sums, mut first) = (Sums::default(), 0);
    let Scratch { x, directions, tiles, .. } = scratch;
    for row in rows {
        let range = first..first + tiles_of(row);
        let features = (&x[range.clone()], &mut directions[range.clone()]);
        sums = measure_row(&mut tiles[range.clone()], features, row, base, linear, squared_slope, sums);
        first = range.end;
    }
    sums
}

/// `measure` over the tiles of all rows.
#[inline(always)]
pub(super) fn measure_tiles(
    tiles: &mut [Tile],
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums {
    let (mut sums, mut first, width) = (Sums::default(), 0, width_of(rows));
    for row in rows {
        let range = first..first + width;
        let features = (&scratch.x[range.clone()], &mut scratch.directions[range.clone()]);
        let tiles = &mut tiles[range_of(row, width)];
        sums = measure_row(tiles, features, row, base, linear, squared_slope, sums);
        first = range.end;
    }
    sums
}

/// `measure` over the tiles of one row, given its values and where its directions go.
#[inline(always)]
fn measure_row(
    tiles: &mut [Tile],
    (x, directions): (&[[f32; TILE]], &mut [[f32; TILE]]),
    row: &Row,
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    sums: Sums,
) -> Sums {
    let Sums { mut norm, mut sensitivity } = sums;
    for (number, ((tile, x), directions)) in tiles.iter_mut().zip(x).zip(directions).enumerate() {
        if tile.widens(*x) {
            widen(tile, x, row, base, linear, number * TILE);
        }
        tile.measure(*x, squared_slope, &mut norm, &mut sensitivity, directions);
    }
    Sums { norm, sensitivity }
}

/// Takes note of values larger than any before, in the tile that begins at `first` of the row. Rare after the first
/// examples. New weights inherit from `linear`.
#[cold]
#[inline(never)]
pub(super) fn widen(tile: &mut Tile, x: &[f32; TILE], row: &Row, base: &BaseFeatures, linear: &[Slot], first: usize) {
    let is_new = std::array::from_fn(|lane| tile.scale[lane] == 0.0 && x[lane].abs() > 0.0);
    tile.widen(x, is_new);
    if row.heritage != 0.0 {
        for (lane, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
            tile.gradient[lane] = row.inherited(base, linear, first + lane);
        }
    }
}

/// Moves the copies of all active weights, and writes them back.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn close_slots(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    step: f32,
    scratch: &mut Scratch,
) {
    let mut first = 0;
    for row in rows {
        let end = first + tiles_of(row);
        let tiles = &mut scratch.tiles[first..end];
        for (tile, directions) in tiles.iter_mut().zip(&scratch.directions[first..end]) {
            tile.apply(step, directions);
        }
        // SAFETY: the caller's promise.
        unsafe { scatter(slots, row, base, tiles, &scratch.keys[first..end]) };
        first = end;
    }
}

/// Moves all active weights of rows of tiles.
#[inline(always)]
pub(super) fn close_tiles(tiles: &mut [Tile], rows: &[Row], step: f32, scratch: &Scratch) {
    let (mut first, width) = (0, width_of(rows));
    for row in rows {
        let directions = &scratch.directions[first..first + width];
        for (tile, directions) in tiles[range_of(row, width)].iter_mut().zip(directions) {
            tile.apply(step, directions);
        }
        first += width;
    }
}
