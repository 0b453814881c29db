//! The loops for rows whose weights are wherever a hash says, eight at a time where the eight are different ones.
//!
//! A weight may occur more than once in an example, and each time it moves on from where it was before. So eight are looked at
//! together only if none occurs twice among them; the results are those of `plain`, to the bit.

use super::eight::{Eight, Portable};
use super::loops::{Scratch, Sums};
use super::plain::{add, measure_one, product, pulled};
use super::tile::{TILE, Tile};
use super::wide::widen;
use super::{BaseFeatures, LANES, Lanes, Row, Slot, bounded, prefetch};

/// Lists the places of all weights, and asks for their memory.
pub(super) fn list_places(slots: &[Slot], rows: &[Row], base: &BaseFeatures, places: &mut Vec<u32>) {
    places.clear();
    for row in rows {
        let first = places.len();
        places.extend((0..row.len()).map(|position| row.place(base, position, slots.len()) as u32));
        places[first..].iter().for_each(|place| prefetch(slots, *place as usize));
    }
}

/// Adds `sum_i w_i x_i` to `total`.
#[inline(always)]
pub(super) fn score(
    slots: &[Slot],
    rows: &[Row],
    base: &BaseFeatures,
    gravity: f32,
    total: &mut Lanes,
    places: &[u32],
) {
    let mut rest = places;
    for row in rows {
        let mut sums = [0.0; LANES];
        let (places, later) = rest.split_at(row.len());
        for (places, values) in places.chunks(TILE).zip(row.values(base).chunks(TILE)) {
            for (lane, (place, value)) in places.iter().zip(values).enumerate() {
                sums[lane] += pulled(slots[*place as usize].weight, gravity) * product(row.multiplier, *value);
            }
        }
        add(total, &sums);
        rest = later;
    }
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
#[inline(always)]
pub(super) fn measure<E: Eight>(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums<Portable> {
    scratch.resize_directions(scratch.places.len().div_ceil(TILE));
    let (mut sums, mut places) = (Sums::default(), &scratch.places[..]);
    let mut directions = bytemuck::cast_slice_mut::<_, f32>(&mut scratch.directions);
    for row in rows {
        let context = Context { row, base, linear, squared_slope };
        let (ours, later) = directions.split_at_mut(row.len());
        measure_row::<E>(slots, &places[..row.len()], context, ours, &mut sums);
        (places, directions) = (&places[row.len()..], later);
    }
    sums
}

#[inline(always)]
fn measure_row<E: Eight>(
    slots: &mut [Slot],
    places: &[u32],
    context: Context<'_>,
    directions: &mut [f32],
    sums: &mut Sums<Portable>,
) {
    let (multiplier, values) = (context.row.multiplier, context.row.values(context.base));
    let parts = places.chunks(TILE).zip(values.chunks(TILE)).zip(directions.chunks_mut(TILE));
    for (number, ((places, values), directions)) in parts.enumerate() {
        let mut x = [0.0; TILE];
        for (x, value) in x.iter_mut().zip(values) {
            *x = product(multiplier, *value);
        }
        let eight = places.first_chunk().filter(|places| are_different(places));
        if let (Some(places), Some(directions)) = (eight, directions.first_chunk_mut()) {
            measure_eight::<E>(slots, places, &x, context, number * TILE, directions, sums);
        } else {
            measure_some(slots, places, &x, context, number * TILE, directions, sums);
        }
    }
}

/// True if no place occurs twice.
#[inline(always)]
fn are_different(places: &[u32; TILE]) -> bool {
    let mut same = false;
    for distance in 1..=TILE / 2 {
        for lane in 0..TILE {
            same |= places[lane] == places[(lane + distance) % TILE];
        }
    }
    !same
}

/// [`measure`] for eight different weights, those from `first` on of the row.
#[inline(always)]
fn measure_eight<E: Eight>(
    slots: &mut [Slot],
    places: &[u32; TILE],
    x: &[f32; TILE],
    context: Context<'_>,
    first: usize,
    directions: &mut [f32; TILE],
    sums: &mut Sums<Portable>,
) {
    let mut tile = Tile::default();
    let columns = places.map(|place| bytemuck::cast_ref(&slots[place as usize]));
    let [weight, gradient, scale, keys] = E::rows(columns);
    tile.fill(weight, gradient, scale);
    let mut wide = Sums { norm: E::load(&sums.norm.0), sensitivity: E::load(&sums.sensitivity.0) };
    let widen = |tile: &mut Tile| widen(tile, x, context.row, context.base, context.linear, first);
    tile.measure(E::load(x), context.squared_slope, &mut wide, widen).store(directions);
    wide.norm.store(&mut sums.norm.0);
    wide.sensitivity.store(&mut sums.sensitivity.0);
    let fresh = E::columns([E::load(&tile.weight), E::load(&tile.gradient), E::load(&tile.scale), keys]);
    for lane in 0..TILE {
        slots[places[lane] as usize] = bytemuck::cast(fresh[lane]);
    }
}

/// The same for up to eight, one after the other.
#[inline(always)]
fn measure_some(
    slots: &mut [Slot],
    places: &[u32],
    x: &[f32; TILE],
    context: Context<'_>,
    first: usize,
    directions: &mut [f32],
    sums: &mut Sums<Portable>,
) {
    let Context { row, base, linear, squared_slope } = context;
    for (lane, (place, direction)) in places.iter().zip(directions).enumerate() {
        let inherited = || row.inherited(base, linear, first + lane);
        *direction = measure_one(&mut slots[*place as usize], x[lane], inherited, squared_slope, lane, sums);
    }
}

/// `w_i += step * direction_i`
#[inline(always)]
pub(super) fn apply(slots: &mut [Slot], step: f32, scratch: &Scratch) {
    for (place, direction) in scratch.places.iter().zip(bytemuck::cast_slice::<_, f32>(&scratch.directions)) {
        let slot = &mut slots[*place as usize];
        slot.weight = bounded(slot.weight + step * *direction);
    }
}
