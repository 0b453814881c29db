//! The loops, said plainly: the oracle for the wide ones, and what runs where weights are shared.

use super::eight::Portable;
use super::loops::{Scratch, Sums};
use super::tile::TILE;
use super::{BaseFeatures, LANES, Lanes, Row, SMALLEST, Slot, WeightTable, at_least, at_most, between, bounded};

/// The value of a feature: the monomial's times the base feature's, finite, and with a square that is a normal number.
#[inline(always)]
pub(super) fn product(multiplier: f32, value: f32) -> f32 {
    lift(bounded(multiplier * value))
}

/// A value whose square is a normal number; 0 stays 0.
#[inline(always)]
pub(super) fn lift(x: f32) -> f32 {
    if x != 0.0 && x.abs() < SMALLEST { SMALLEST.copysign(x) } else { x }
}

/// A weight after L1's pull: moved towards zero by `gravity`, and no further.
#[inline(always)]
pub(super) fn pulled(weight: f32, gravity: f32) -> f32 {
    weight - between(weight, -gravity, gravity)
}

/// Adds `sum_i w_i x_i` of all rows to `total`, with L1's pull of `gravity` on each weight.
pub(super) fn score(table: &WeightTable, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    for row in rows {
        let mut sums = [0.0; LANES];
        for (position, value) in row.values(base).iter().enumerate() {
            let slot = table.get(row.place(base, position, table.len()));
            sums[position % LANES] += pulled(slot.weight, gravity) * product(row.multiplier, *value);
        }
        add(total, &sums);
    }
}

/// Adds the sums of a row.
#[inline(always)]
pub(super) fn add(total: &mut Lanes, sums: &Lanes) {
    for (total, sum) in total.iter_mut().zip(sums) {
        *total += sum;
    }
}

/// For each feature: `G += g^2 x^2`, `N = max(N, |x|)`, and the direction `x / (N sqrt(G))` in which its weight will
/// move. New weights inherit from `linear`, the base features' own weights: see [`Row::heritage`].
pub(super) fn measure(
    table: &mut WeightTable,
    rows: &[Row],
    base: &BaseFeatures,
    linear: &[Slot],
    squared_slope: f32,
    scratch: &mut Scratch,
) -> Sums<Portable> {
    let (mut sums, mut number) = (Sums::default(), 0);
    scratch.resize_directions(rows.iter().map(Row::len).sum::<usize>().div_ceil(TILE));
    for row in rows {
        for (position, value) in row.values(base).iter().enumerate() {
            let place = row.place(base, position, table.len());
            let mut slot = table.get(place);
            let x = product(row.multiplier, *value);
            let inherited = || row.inherited(base, linear, position);
            let direction = measure_one(&mut slot, x, inherited, squared_slope, position % LANES, &mut sums);
            table.set(place, slot);
            scratch.directions[number / TILE].0[number % TILE] = direction;
            number += 1;
        }
    }
    sums
}

/// [`measure`] for one feature.
#[inline]
pub(super) fn measure_one(
    slot: &mut Slot,
    x: f32,
    inherited: impl Fn() -> f32,
    squared_slope: f32,
    lane: usize,
    sums: &mut Sums<Portable>,
) -> f32 {
    if slot.scale == 0.0 && x != 0.0 {
        slot.gradient = inherited();
    }
    slot.gradient = at_most(slot.gradient + squared_slope * (x * x), f32::MAX);
    if x.abs() > slot.scale {
        slot.widen(x.abs());
    }
    let normalised = x * slot.inverse_scale();
    let direction = normalised / at_least(slot.gradient, f32::MIN_POSITIVE).sqrt();
    sums.norm.0[lane] += normalised * normalised;
    sums.sensitivity.0[lane] += x * direction;
    direction
}

/// `w_i += step * direction_i`
pub(super) fn apply(table: &mut WeightTable, rows: &[Row], base: &BaseFeatures, step: f32, scratch: &Scratch) {
    let mut number = 0;
    for row in rows {
        for position in 0..row.len() {
            let place = row.place(base, position, table.len());
            let mut slot = table.get(place);
            slot.weight = bounded(slot.weight + step * scratch.directions[number / TILE].0[number % TILE]);
            table.set(place, slot);
            number += 1;
        }
    }
}
