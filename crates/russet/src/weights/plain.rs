//! The loops, said plainly: the oracle for `wide`, and the path for rows whose weights are shared.

use super::loops::{Loops, Plain, Sums};
use super::{BaseFeatures, LANES, Lanes, Row, SMALLEST, Slot, at_least, at_most, between, bounded};

impl Loops for Plain {
    #[inline(always)]
    unsafe fn score(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        rows.iter().for_each(|row| score(slots, *row, base, gravity, total));
    }

    #[inline(always)]
    unsafe fn measure(
        slots: &mut [Slot],
        rows: &[Row],
        base: &BaseFeatures,
        squared_slope: f32,
        sums: &mut Sums,
        mut directions: &mut [f32],
    ) {
        for row in rows {
            let (these, others) = directions.split_at_mut(row.len());
            measure(slots, *row, base, squared_slope, sums, these);
            directions = others;
        }
    }

    #[inline(always)]
    unsafe fn apply(slots: &mut [Slot], rows: &[Row], base: &BaseFeatures, step: f32, mut directions: &[f32]) {
        for row in rows {
            let (these, others) = directions.split_at(row.len());
            apply(slots, *row, base, step, these);
            directions = others;
        }
    }
}

/// A weight after L1's pull: moved towards zero by `gravity`, and no further.
#[inline]
pub(super) fn pulled(weight: f32, gravity: f32) -> f32 {
    weight - between(weight, -gravity, gravity)
}

/// Adds `sum_i w_i x_i` of a row to `total`.
#[inline]
pub(super) fn score(slots: &[Slot], row: Row, base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    let (places, values) = row.range(base);
    for (position, (&place, &value)) in places.iter().zip(values).enumerate() {
        let slot = &slots[row.place.of(place, slots.len() - 1)];
        total[position % LANES] += pulled(slot.weight, gravity) * bounded(row.multiplier * value);
    }
}

/// For each feature of a row: `G += g^2 x^2`, `N = max(N, |x|)`, and the direction `x / (N sqrt(G))` in which its
/// weight will move.
#[inline]
pub(super) fn measure(
    slots: &mut [Slot],
    row: Row,
    base: &BaseFeatures,
    squared_slope: f32,
    sums: &mut Sums,
    directions: &mut [f32],
) {
    let mask = slots.len() - 1;
    let (places, values) = row.range(base);
    for (position, (&place, &value)) in places.iter().zip(values).enumerate() {
        let slot = &mut slots[row.place.of(place, mask)];
        let feature = Feature { x: bounded(row.multiplier * value), inherited: row.inherited(base, position) };
        directions[position] = measure_one(slot, feature, squared_slope, position % LANES, sums);
    }
}

/// One active feature.
#[derive(Clone, Copy)]
pub(super) struct Feature {
    /// Its value.
    pub(super) x: f32,
    /// What its `G` starts with, if its weight is new.
    pub(super) inherited: f32,
}

/// [`measure`] for one feature.
#[inline]
pub(super) fn measure_one(slot: &mut Slot, feature: Feature, squared_slope: f32, lane: usize, sums: &mut Sums) -> f32 {
    let lifted = lift(feature.x);
    if slot.scale == 0.0 && lifted != 0.0 {
        slot.gradient = feature.inherited;
    }
    slot.gradient = at_most(slot.gradient + squared_slope * (lifted * lifted), f32::MAX);
    if lifted.abs() > slot.scale {
        slot.widen(lifted.abs());
    }
    let normalised = lifted * slot.inverse_scale;
    let direction = normalised / at_least(slot.gradient, f32::MIN_POSITIVE).sqrt();
    sums.norm[lane] += normalised * normalised;
    sums.sensitivity[lane] += lifted * direction;
    direction
}

/// A value whose square is a normal number; 0 stays 0.
#[inline]
pub(super) fn lift(x: f32) -> f32 {
    if x != 0.0 && x.abs() < SMALLEST { SMALLEST.copysign(x) } else { x }
}

/// `w_i += step * direction_i`
#[inline]
pub(super) fn apply(slots: &mut [Slot], row: Row, base: &BaseFeatures, step: f32, directions: &[f32]) {
    let mask = slots.len() - 1;
    let (places, _) = row.range(base);
    for (&place, direction) in places.iter().zip(directions) {
        let weight = &mut slots[row.place.of(place, mask)].weight;
        *weight = bounded(*weight + step * direction);
    }
}
