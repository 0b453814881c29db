use super::{Parts, load_all, products, range_of, sum_of, tile_values, tiles_of, width_of};
use crate::weights::eight::Eight;
use crate::weights::loops::{Copied, Run, Scratch};
use crate::weights::scatter::gather;
use crate::weights::tile::{TILE, score};
use crate::weights::tiles::Tiles;
use crate::weights::{BaseFeatures, Lanes, Row, Slot, Span};

/// Copies all active weights into tiles, and scores them. In what is left of a row's last tile its last weight is repeated: with
/// a value of 0 it is as good as none.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(crate) unsafe fn open_slots<E: Eight>(
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
pub(crate) fn open_tiles<E: Eight>(
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
