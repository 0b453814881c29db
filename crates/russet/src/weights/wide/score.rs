use super::{Parts, load_all, products, range_of, sum_of, tile_values, width_of};
use crate::weights::eight::Eight;
use crate::weights::plain::{self, product};
use crate::weights::tile::{Aligned, TILE, pulled, score};
use crate::weights::tiles::Tiles;
use crate::weights::{BaseFeatures, Lanes, Place, Row, Slot, Span};

/// Adds `sum_i w_i x_i` to `total`, without anything that only learning needs.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(crate) unsafe fn score_slots<E: Eight>(
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
pub(crate) unsafe fn weights_at<E: Eight>(slots: &[Slot], start: usize, places: &[u32; TILE]) -> E {
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
pub(crate) fn score_tiles<E: Eight>(tiles: &Tiles, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
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
