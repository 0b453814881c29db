//! The loops, eight features at a time, for rows whose weights are their own.
//!
//! Each does for the eight lanes of a tile what `plain` does for one feature, in the same order of operations, so the
//! results are the same bits. Weights that lie scattered are first copied into tiles, and written back at the end.

use std::ops::Range;

use super::eight::Eight;
use super::loops::{Copied, Run, Scratch, Sums};
use super::plain::{self, product};
use super::scatter::{gather, places, scatter};
use super::tile::{Aligned, Division, TILE, Tile, moved, one_tile_at_a_time, pulled, score};
use super::tiles::Tiles;
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
fn range_of(row: &Row, width: usize) -> Range<usize> {
    let Place::Tiles(first) = row.place else { unreachable!("a row of another table") };
    first as usize..first as usize + width
}

/// What the base features of rows of tiles are multiplied with.
#[inline(always)]
fn tile_values<'a>(rows: &[Row], base: &'a BaseFeatures) -> &'a [[f32; TILE]] {
    rows.first().map_or(&[], |row| row.values(base).as_chunks().0)
}

/// Between which magnitudes the values of an example are, those of 0 aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    smallest: f32,
    largest: f32,
}

impl Default for Span {
    /// That of no value.
    #[inline(always)]
    fn default() -> Span {
        Span { smallest: f32::INFINITY, largest: 0.0 }
    }
}

impl Span {
    /// Takes note of a value; one of 0 is not set aside.
    #[inline(always)]
    pub(crate) fn include(&mut self, value: f32) {
        self.smallest = at_most(value.abs(), self.smallest);
        self.largest = at_least(value.abs(), self.largest);
    }

    /// True if one of those that were included is 0.
    #[inline(always)]
    pub(crate) fn has_zero(self) -> bool {
        self.smallest == 0.0
    }

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

/// Adds `sum_i w_i x_i` to `total`, without anything that only learning needs.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn score_slots<E: Eight>(
    slots: &[Slot],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
) {
    let (mut all, span) = (E::load(total), Span::of(base));
    for row in rows {
        if let Place::Shared(_) = row.place {
            all = all + E::load(&score_shared(slots, row, base, gravity));
            continue;
        }
        let (parts, in_range) = (Parts::of(row, base), span.stays_in_range(row.multiplier));
        let (mut sums, multiplier) = (E::zero(), E::all(row.multiplier));
        for (places, values) in parts.places.iter().zip(parts.values) {
            // SAFETY: the caller's promise.
            let weights: E = unsafe { weights_at(slots, parts.start, places) };
            sums = sums + pulled(weights, gravity) * products(values, multiplier, in_range);
        }
        if !parts.last_places.is_empty() {
            let mut values = [0.0; TILE];
            E::load_some(parts.last_values).store(&mut values);
            // SAFETY: the caller's promise.
            let weights: E = unsafe { weights_at(slots, parts.start, &E::fill_up(parts.last_places)) };
            sums = sums + pulled(weights, gravity) * products(&values, multiplier, in_range);
        }
        all = all + sums;
    }
    all.store(total);
}

/// # Safety
/// The places, from `start` on, are inside `slots`.
#[inline(always)]
pub(super) unsafe fn weights_at<E: Eight>(slots: &[Slot], start: usize, places: &[u32; TILE]) -> E {
    let mut weights = [0.0; TILE];
    for lane in 0..TILE {
        // SAFETY: the caller's promise.
        weights[lane] = unsafe { slots.get_unchecked(start + places[lane] as usize) }.weight;
    }
    E::load(&weights)
}

/// [`score_slots`] for a row whose weights are wherever their hash says.
#[inline(never)]
fn score_shared(slots: &[Slot], row: &Row, base: &BaseFeatures, gravity: f32) -> Lanes {
    let mut sums = [0.0; TILE];
    for (position, value) in row.values(base).iter().enumerate() {
        let weight = slots[row.place(base, position, slots.len())].weight;
        sums[position % TILE] += plain::pulled(weight, gravity) * product(row.multiplier, *value);
    }
    sums
}

/// [`score_slots`] for rows of tiles.
#[inline(always)]
pub(super) fn score_tiles<E: Eight>(tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    let all = E::load(total);
    let all = match width_of(rows) {
        1 if gravity == 0.0 => score_few::<E, 1>(all, tiles, rows, base),
        2 if gravity == 0.0 => score_few::<E, 2>(all, tiles, rows, base),
        3 if gravity == 0.0 => score_few::<E, 3>(all, tiles, rows, base),
        4 if gravity == 0.0 => score_few::<E, 4>(all, tiles, rows, base),
        _ => score_many(all, tiles, rows, base, gravity),
    };
    all.store(total);
}

/// Adds the sums of rows of few tiles, whose weights nothing pulls. What the rows have in common stays in registers.
#[inline(always)]
fn score_few<E: Eight, const WIDTH: usize>(mut all: E, tiles: &Tiles, rows: &[Row], base: &BaseFeatures) -> E {
    let (values, span) = (tile_values(rows, base), Span::of(base));
    let common = load_all::<E, WIDTH>(values);
    for row in rows {
        let weights = tiles.weights(range_of(row, WIDTH));
        let multiplier = E::all(row.multiplier);
        all = all
            + match weights.first_chunk() {
                Some(weights) if span.stays_in_range(row.multiplier) => sum_of(weights, &common, multiplier, None),
                _ => score_row(weights, values, multiplier, false, 0.0),
            };
    }
    all
}

/// Adds the sums of any rows of tiles.
#[inline(always)]
fn score_many<E: Eight>(mut all: E, tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32) -> E {
    let (values, width, span) = (tile_values(rows, base), width_of(rows), Span::of(base));
    for row in rows {
        let in_range = span.stays_in_range(row.multiplier);
        let weights = tiles.weights(range_of(row, width));
        all = all + score_row(weights, values, E::all(row.multiplier), in_range, gravity);
    }
    all
}

/// The sums of a row of tiles.
#[inline(always)]
fn score_row<E: Eight>(weights: &[Aligned], values: &[[f32; TILE]], multiplier: E, in_range: bool, gravity: f32) -> E {
    let mut sums = E::zero();
    for (weight, values) in weights.iter().zip(values) {
        sums = sums + score(E::load(&weight.0), products(values, multiplier, in_range), gravity);
    }
    sums
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

/// Copies all active weights into tiles, and scores them. In what is left of a row's last tile its last weight is repeated: with
/// a value of 0 it is as good as none.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn open_slots<E: Eight>(
    slots: &[Slot],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    scratch: &mut Scratch,
) {
    scratch.resize_copies(rows.iter().map(tiles_of).sum());
    let (mut copies, mut all) = (&mut scratch.copies[..], E::load(total));
    for row in rows {
        let (parts, multiplier, mut sums) = (Parts::of(row, base), E::all(row.multiplier), E::zero());
        let (ours, later) = copies.split_at_mut(tiles_of(row));
        for ((places, values), copied) in parts.places.iter().zip(parts.values).zip(ours.iter_mut()) {
            let x = multiplier * E::load(values);
            // SAFETY: the caller's promise.
            sums = sums + unsafe { open_eight(slots, parts.start, places, x, gravity, copied) };
        }
        if let (Some(copied), false) = (ours.last_mut(), parts.last_places.is_empty()) {
            let (places, x) = (E::fill_up(parts.last_places), multiplier * E::load_some(parts.last_values));
            // SAFETY: the caller's promise.
            sums = sums + unsafe { open_eight(slots, parts.start, &places, x, gravity, copied) };
        }
        all = all + sums;
        copies = later;
    }
    all.store(total);
}

/// [`open_slots`] for eight weights. Scattered rows are short: to ask whether values leave the range costs less than to know
/// that it need not be asked.
///
/// # Safety
/// The places, from `start` on, are inside `slots`.
#[inline(always)]
unsafe fn open_eight<E: Eight>(
    slots: &[Slot],
    start: usize,
    places: &[u32; TILE],
    x: E,
    gravity: f32,
    copied: &mut Copied,
) -> E {
    let x = x.bounded().lift();
    // SAFETY: the caller's promise.
    let [weight, gradient, scale, keys] = unsafe { gather::<E>(slots, start, places) };
    copied.tile.fill(weight, gradient, scale);
    x.store(&mut copied.x);
    keys.store(bytemuck::cast_mut(&mut copied.keys));
    score(weight, x, gravity)
}

/// [`open_slots`] for rows of tiles, which stay where they are.
#[inline(always)]
pub(super) fn open_tiles<E: Eight>(
    tiles: &Tiles,
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    scratch: &mut Scratch,
) {
    let (values, width, span) = (tile_values(rows, base), width_of(rows), Span::of(base));
    scratch.resize(rows.len() * width);
    let multipliers = match scratch.straight {
        Some(multipliers) => {
            let run = Run { start: range_of(&rows[0], width).start, copies: 0..rows.len() * width };
            debug_assert_eq!(range_of(&rows[rows.len() - 1], width).end, run.end());
            scratch.runs.push(run);
            multipliers
        }
        None => list_runs(rows, width, &mut scratch.runs),
    };
    let in_range = span.stays_in_range(multipliers.smallest) & span.stays_in_range(multipliers.largest);
    let all = E::load(total);
    let all = match width {
        _ if gravity != 0.0 || !in_range => open_rows(all, tiles, rows, values, span, gravity, scratch),
        1 => open_runs::<E, 1>(all, tiles, rows, values, scratch),
        2 => open_runs::<E, 2>(all, tiles, rows, values, scratch),
        3 => open_runs::<E, 3>(all, tiles, rows, values, scratch),
        4 => open_runs::<E, 4>(all, tiles, rows, values, scratch),
        _ => open_rows(all, tiles, rows, values, span, gravity, scratch),
    };
    all.store(total);
}

/// Finds rows that follow each other in the table, and between which magnitudes all multipliers are.
#[inline(always)]
fn list_runs(rows: &[Row], width: usize, runs: &mut Vec<Run>) -> Span {
    let (mut span, mut run) = (Span::default(), Run::default());
    for (number, row) in rows.iter().enumerate() {
        let (start, first) = (range_of(row, width).start, number * width);
        if run.start + (first - run.copies.start) != start {
            run.copies.end = first;
            runs.push(run);
            run = Run { start, copies: first..first };
        }
        span.include(row.multiplier);
    }
    run.copies.end = rows.len() * width;
    runs.push(run);
    span
}

/// Adds the sums of rows of few tiles, all of whose products stay in range. What the rows have in common stays in registers.
#[inline(always)]
fn open_runs<E: Eight, const WIDTH: usize>(
    mut all: E,
    tiles: &Tiles,
    rows: &[Row],
    values: &[[f32; TILE]],
    scratch: &mut Scratch,
) -> E {
    let (common, Scratch { x, runs, .. }) = (load_all::<E, WIDTH>(values), scratch);
    for run in runs.iter() {
        let weights = tiles.weights(run.start..run.end()).as_chunks().0;
        let x = x[run.copies.clone()].as_chunks_mut().0;
        for ((weights, x), row) in weights.iter().zip(x).zip(&rows[run.copies.start / WIDTH..]) {
            all = all + sum_of(weights, &common, E::all(row.multiplier), Some(x));
        }
    }
    all
}

/// Adds the sums of any rows of tiles.
#[inline(always)]
fn open_rows<E: Eight>(
    mut all: E,
    tiles: &Tiles,
    rows: &[Row],
    values: &[[f32; TILE]],
    span: Span,
    gravity: f32,
    scratch: &mut Scratch,
) -> E {
    let width = width_of(rows);
    for (row, x) in rows.iter().zip(scratch.x.chunks_exact_mut(width.max(1))) {
        let (multiplier, in_range) = (E::all(row.multiplier), span.stays_in_range(row.multiplier));
        let mut sums = E::zero();
        for ((weight, values), x) in tiles.weights(range_of(row, width)).iter().zip(values).zip(x) {
            let products = products(values, multiplier, in_range);
            products.store(&mut x.0);
            sums = sums + score(E::load(&weight.0), products, gravity);
        }
        all = all + sums;
    }
    all
}

/// `measure` over the copies of all rows.
#[inline(always)]
pub(super) fn measure_copies<E: Eight>(
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
pub(super) fn measure_tiles<E: Eight, D: Division<E>>(
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
pub(super) fn widen(tile: &mut Tile, x: &[f32; TILE], row: &Row, base: &BaseFeatures, linear: &[Slot], first: usize) {
    let is_new = std::array::from_fn(|lane| tile.scale[lane] == 0.0 && x[lane].abs() > 0.0);
    tile.widen(x, is_new);
    if row.heritage != 0.0 {
        for (lane, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
            tile.gradient[lane] = row.inherited(base, linear, first + lane);
        }
    }
}

/// Moves the copies of all active weights, and writes them back: first what only fills a row's last tile up, then the weight
/// that it repeats.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn close_slots<E: Eight>(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    step: f32,
    scratch: &Scratch,
) {
    let (mut copies, mut directions) = (&scratch.copies[..], &scratch.directions[..]);
    for row in rows {
        let (ours, later) = copies.split_at(tiles_of(row));
        let (our_directions, later_directions) = directions.split_at(tiles_of(row));
        let (start, places) = places(row, base);
        let (places, last_places) = places.as_chunks();
        for ((places, copied), directions) in places.iter().zip(ours).zip(our_directions) {
            // SAFETY: the caller's promise.
            unsafe { scatter(slots, start, places, moved_copies::<E>(copied, &directions.0, step)) };
        }
        if let (Some(copied), Some(directions), false) = (ours.last(), our_directions.last(), last_places.is_empty()) {
            // SAFETY: the caller's promise.
            unsafe { scatter(slots, start, &E::fill_up(last_places), moved_copies::<E>(copied, &directions.0, step)) };
        }
        (copies, directions) = (later, later_directions);
    }
}

/// What is to be written back of eight weights.
#[inline(always)]
fn moved_copies<E: Eight>(copied: &Copied, directions: &[f32; TILE], step: f32) -> [E; 4] {
    let Copied { tile, keys, .. } = copied;
    let keys = E::load(bytemuck::cast_ref(keys));
    [moved(&tile.weight, step, directions), E::load(&tile.gradient), E::load(&tile.scale), keys]
}

/// Moves all active weights of rows of tiles.
#[inline(always)]
pub(super) fn close_tiles<E: Eight>(tiles: &mut Tiles, step: f32, scratch: &Scratch) {
    for run in &scratch.runs {
        let weights = tiles.weights_mut(run.start..run.end());
        for (weight, directions) in weights.iter_mut().zip(&scratch.x[run.copies.clone()]) {
            moved::<E>(&weight.0, step, &directions.0).store(&mut weight.0);
        }
    }
}
