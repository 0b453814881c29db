//! The loops for rows whose weights are wherever a hash says, eight at a time where the eight are different ones.
//!
//! A weight may occur more than once in an example, and each time it moves on from where it was before. So eight are looked at
//! together only if none occurs twice among them; the results are those of `plain`, to the bit.

use super::eight::{Eight, Portable};
use super::loops::{Scratch, Sums};
use super::plain::measure_one;
use super::scatter::{gather, scatter};
use super::tile::{self, TILE, Tile};
use super::wide::{weights_at, widen};
use super::{BaseFeatures, Lanes, Row, Slot, bounded, prefetch};

/// Lists the places of all weights, and asks for their memory.
#[inline(always)]
pub(super) fn list_places(slots: &[Slot], rows: &[Row], base: &BaseFeatures, places: &mut Vec<u32>) {
    // Otherwise hashes would be of places that are not there.
    assert!(!slots.is_empty(), "rows share weights of a table that has none");
    places.clear();
    for row in rows {
        let first = places.len();
        row.list_places(base, slots.len(), places);
        places[first..].iter().for_each(|place| prefetch(slots, *place as usize));
    }
}

/// Adds `sum_i w_i x_i` to `total`.
///
/// # Safety
/// All places are inside `slots`.
#[inline(always)]
pub(super) unsafe fn score<E: Eight>(
    slots: &[Slot],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    places: &[u32],
) {
    let (mut rest, mut all) = (places, E::load(total));
    for row in rows {
        let (places, later) = rest.split_at(row.len());
        let mut sums = E::zero();
        for (places, values) in places.chunks(TILE).zip(row.values(base).chunks(TILE)) {
            // SAFETY: the caller's promise.
            let weights: E = unsafe { weights_at(slots, 0, &E::fill_up(places)) };
            sums = sums + tile::score(weights, products(values, row), gravity);
        }
        all = all + sums;
        rest = later;
    }
    all.store(total);
}

/// Up to eight products, filled up with 0.
#[inline(always)]
fn products<E: Eight>(values: &[f32], row: &Row) -> E {
    (E::all(row.multiplier) * E::load_some(values)).bounded().lift()
}

/// What the loop over a row's weights needs to know.
#[derive(Clone, Copy)]
struct Context<'a> {
    row: &'a Row,
    base: &'a BaseFeatures,
    linear: &'a [Slot],
    squared_slope: f32,
}

/// Updates `G` and `N` of every weight and notes the directions: see `plain::measure`.
///
/// # Safety
/// All places that were listed are inside `slots`.
#[inline(always)]
pub(super) unsafe fn measure<E: Eight>(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums<E> {
    // The last eight may be less, and are written as a whole.
    scratch.resize_directions(scratch.places.len().div_ceil(TILE) + 1);
    let (mut sums, mut places) = (Sums::default(), &scratch.places[..]);
    let mut directions = bytemuck::cast_slice_mut::<_, f32>(&mut scratch.directions);
    for row in rows {
        let context = Context { row, base, linear, squared_slope };
        let (ours, later) = places.split_at(row.len());
        // SAFETY: the caller's promise.
        unsafe { measure_row::<E>(slots, ours, context, directions, &mut sums) };
        (places, directions) = (later, &mut directions[row.len()..]);
    }
    sums
}

/// # Safety
/// The places are inside `slots`.
#[inline(always)]
unsafe fn measure_row<E: Eight>(
    slots: &mut [Slot],
    places: &[u32],
    context: Context<'_>,
    directions: &mut [f32],
    sums: &mut Sums<E>,
) {
    let values = context.row.values(context.base);
    for (number, (places, values)) in places.chunks(TILE).zip(values.chunks(TILE)).enumerate() {
        let (first, x) = (number * TILE, products::<E>(values, context.row));
        let Some(directions) = directions[first..].first_chunk_mut() else { unreachable!("there is room for eight") };
        let (eight, count) = (E::fill_up(places), places.len());
        if are_different(&eight, count) {
            // SAFETY: the caller's promise.
            unsafe { measure_eight::<E>(slots, &eight, x, context, first, sums) }.store(directions);
        } else {
            measure_some(slots, places, x, context, first, directions, sums);
        }
    }
}

/// True if none of the first `count` places occurs twice among them.
#[inline(always)]
fn are_different(places: &[u32; TILE], count: usize) -> bool {
    let mut same = false;
    for distance in 1..=TILE / 2 {
        for lane in 0..TILE {
            let other = (lane + distance) % TILE;
            same |= (places[lane] == places[other]) & (lane.max(other) < count);
        }
    }
    !same
}

/// [`measure`] for up to eight different weights, those from `first` on of the row; the last one fills up the eight, with a
/// value of 0.
///
/// # Safety
/// The places are inside `slots`.
#[inline(always)]
unsafe fn measure_eight<E: Eight>(
    slots: &mut [Slot],
    places: &[u32; TILE],
    x: E,
    context: Context<'_>,
    first: usize,
    sums: &mut Sums<E>,
) -> E {
    let Context { row, base, linear, squared_slope } = context;
    let (mut tile, mut values) = (Tile::default(), [0.0; TILE]);
    x.store(&mut values);
    // SAFETY: the caller's promise.
    let [weight, gradient, scale, keys] = unsafe { gather::<E>(slots, 0, places) };
    tile.fill(weight, gradient, scale);
    let directions = tile.measure(x, squared_slope, sums, |tile| widen(tile, &values, row, base, linear, first));
    let fresh = [E::load(&tile.weight), E::load(&tile.gradient), E::load(&tile.scale), keys];
    // SAFETY: the caller's promise.
    unsafe { scatter(slots, 0, places, fresh) };
    directions
}

/// The same for up to eight of which some are the same, one after the other.
#[cold]
#[inline(never)]
fn measure_some<E: Eight>(
    slots: &mut [Slot],
    places: &[u32],
    x: E,
    context: Context<'_>,
    first: usize,
    directions: &mut [f32; TILE],
    sums: &mut Sums<E>,
) {
    let Context { row, base, linear, squared_slope } = context;
    let (mut values, mut lanes) = ([0.0; TILE], Sums::<Portable>::default());
    x.store(&mut values);
    sums.norm.store(&mut lanes.norm.0);
    sums.sensitivity.store(&mut lanes.sensitivity.0);
    for (lane, (place, direction)) in places.iter().zip(directions).enumerate() {
        let inherited = || row.inherited(base, linear, first + lane);
        *direction = measure_one(&mut slots[*place as usize], values[lane], inherited, squared_slope, lane, &mut lanes);
    }
    *sums = Sums { norm: E::load(&lanes.norm.0), sensitivity: E::load(&lanes.sensitivity.0) };
}

/// `w_i += step * direction_i`
#[inline(always)]
pub(super) fn apply(slots: &mut [Slot], step: f32, scratch: &Scratch) {
    for (place, direction) in scratch.places.iter().zip(bytemuck::cast_slice::<_, f32>(&scratch.directions)) {
        let slot = &mut slots[*place as usize];
        slot.weight = bounded(slot.weight + step * *direction);
    }
}
