//! The loops, several features at a time, for rows whose weights are their own.
//!
//! Each function does for W neighbouring lanes what `plain` does for one, in the same order of operations, so
//! the results are the same bits. A row is cut into pieces of 16, then 8, 4 and single features; since lanes do
//! not mix, the cuts cannot be seen in the result.

use std::ops::Range;

use super::loops::{Loops, Sums, Wide};
use super::plain::{self, Feature, lift, measure_one, pulled};
use super::{BaseFeatures, LANES, Lanes, Place, Row, Slot, at_least, at_most, bounded};

impl Loops for Wide {
    #[inline(always)]
    unsafe fn score(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        for row in rows {
            match OwnRow::of(*row, base) {
                // SAFETY: the caller's promise.
                Some(own) => unsafe { score(slots, own, gravity, total) },
                None => plain::score(slots, *row, base, gravity, total),
            }
        }
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
            match OwnRow::of(*row, base) {
                // SAFETY: the caller's promise; directions are cut to the row.
                Some(own) => unsafe { measure(slots, own, squared_slope, sums, these) },
                None => plain::measure(slots, *row, base, squared_slope, sums, these),
            }
            directions = others;
        }
    }

    #[inline(always)]
    unsafe fn apply(slots: &mut [Slot], rows: &[Row], base: &BaseFeatures, step: f32, mut directions: &[f32]) {
        for row in rows {
            let (these, others) = directions.split_at(row.len());
            match OwnRow::of(*row, base) {
                // SAFETY: the caller's promise.
                Some(own) => unsafe { apply(slots, own, step, these) },
                None => plain::apply(slots, *row, base, step, these),
            }
            directions = others;
        }
    }
}

/// A row whose weights are its own, and what it is multiplied with.
#[derive(Clone, Copy)]
struct OwnRow<'a> {
    /// The weight of base slot `i` is at `start + i`.
    start: usize,
    multiplier: f32,
    places: &'a [u32],
    values: &'a [f32],
    /// For what new weights inherit.
    row: Row,
    base: &'a BaseFeatures,
}

impl<'a> OwnRow<'a> {
    /// The row, unless it shares its weights.
    #[inline(always)]
    fn of(row: Row, base: &'a BaseFeatures) -> Option<OwnRow<'a>> {
        let start = match row.place {
            Place::Own(start) => start as usize,
            Place::Listed(_) => 0,
            Place::Shared(_) | Place::Crowded(_) => return None,
        };
        let (places, values) = row.range(base);
        Some(OwnRow { start, multiplier: row.multiplier, places, values, row, base })
    }

    /// # Safety
    /// `position + W` is at most the row's length.
    #[inline(always)]
    unsafe fn piece<const W: usize>(&self, position: usize) -> (&[u32; W], &[f32; W]) {
        debug_assert!(position + W <= self.places.len() && self.places.len() == self.values.len());
        // SAFETY: the caller keeps position + W within both slices, which are of one length.
        unsafe { (&*self.places.as_ptr().add(position).cast(), &*self.values.as_ptr().add(position).cast()) }
    }
}

/// Calls `$body!(width, position)` for each piece of a row of `$length`.
macro_rules! for_each_piece {
    ($length:expr, $body:ident) => {
        let length = $length;
        let mut position = 0;
        while position + 16 <= length {
            $body!(16, position);
            position += 16;
        }
        if position + 8 <= length {
            $body!(8, position);
            position += 8;
        }
        if position + 4 <= length {
            $body!(4, position);
            position += 4;
        }
        while position < length {
            $body!(1, position);
            position += 1;
        }
    };
}

/// # Safety
/// For every place of the row, `start + place` is within `slots`.
#[inline(always)]
unsafe fn score(slots: &[Slot], row: OwnRow<'_>, gravity: f32, total: &mut Lanes) {
    macro_rules! piece {
        ($width:literal, $position:expr) => {
            // SAFETY: for_each_piece stays within the row; the places are the caller's promise.
            unsafe { score_piece::<$width>(slots, row, $position, gravity, total) }
        };
    }
    for_each_piece!(row.places.len(), piece);
}

/// # Safety
/// As for [`score`], and `position + W` is at most the row's length.
#[inline(always)]
unsafe fn score_piece<const W: usize>(
    slots: &[Slot],
    row: OwnRow<'_>,
    position: usize,
    gravity: f32,
    total: &mut Lanes,
) {
    // SAFETY: the caller's promise on position.
    let (places, values) = unsafe { row.piece::<W>(position) };
    let mut weights = [0.0; W];
    for lane in 0..W {
        // SAFETY: the caller's promise on places.
        weights[lane] = unsafe { slots.get_unchecked(row.start + places[lane] as usize) }.weight;
    }
    let first = position % LANES;
    for lane in 0..W {
        total[first + lane] += pulled(weights[lane], gravity) * bounded(row.multiplier * values[lane]);
    }
}

/// # Safety
/// For every place of the row, `start + place` is within `slots`; no place occurs twice; `directions` is as long
/// as the row.
#[inline(always)]
unsafe fn measure(slots: &mut [Slot], row: OwnRow<'_>, squared_slope: f32, sums: &mut Sums, directions: &mut [f32]) {
    debug_assert_eq!(directions.len(), row.places.len());
    macro_rules! piece {
        ($width:literal, $position:expr) => {
            // SAFETY: for_each_piece stays within the row and the directions; the rest is the caller's promise.
            unsafe {
                if measure_piece::<$width>(slots, row, $position, squared_slope, sums, directions) {
                    continue_slowly(slots, row, $position..$position + $width, squared_slope, sums, directions);
                }
            }
        };
    }
    for_each_piece!(row.places.len(), piece);
}

/// # Safety
/// As for [`measure`], and `position + W` is at most the row's length.
///
/// True if nothing was done because a value is larger than any before: that is left to the plain loop.
#[inline(always)]
unsafe fn measure_piece<const W: usize>(
    slots: &mut [Slot],
    row: OwnRow<'_>,
    position: usize,
    squared_slope: f32,
    sums: &mut Sums,
    directions: &mut [f32],
) -> bool {
    // SAFETY: the caller's promise on position.
    let (places, values) = unsafe { row.piece::<W>(position) };
    let first = position % LANES;
    let mut x = [0.0; W];
    let mut gradient = [0.0; W];
    let mut scale = [0.0; W];
    let mut inverse_scale = [0.0; W];
    for lane in 0..W {
        // SAFETY: the caller's promise on places.
        let slot = unsafe { slots.get_unchecked(row.start + places[lane] as usize) };
        gradient[lane] = slot.gradient;
        scale[lane] = slot.scale;
        inverse_scale[lane] = slot.inverse_scale;
    }
    let mut widens = false;
    for lane in 0..W {
        x[lane] = lift(bounded(row.multiplier * values[lane]));
        widens |= x[lane].abs() > scale[lane];
    }
    if widens {
        return true;
    }
    for lane in 0..W {
        gradient[lane] = at_most(gradient[lane] + squared_slope * (x[lane] * x[lane]), f32::MAX);
        let normalised = x[lane] * inverse_scale[lane];
        let direction = normalised / at_least(gradient[lane], f32::MIN_POSITIVE).sqrt();
        sums.norm[first + lane] += normalised * normalised;
        sums.sensitivity[first + lane] += x[lane] * direction;
        // SAFETY: directions is as long as the row, and position + lane is within it.
        unsafe { *directions.get_unchecked_mut(position + lane) = direction };
    }
    for lane in 0..W {
        // SAFETY: the caller's promise on places.
        unsafe { slots.get_unchecked_mut(row.start + places[lane] as usize) }.gradient = gradient[lane];
    }
    false
}

/// The plain loop over a part of a row. Rare after the first examples.
#[cold]
fn continue_slowly(
    slots: &mut [Slot],
    row: OwnRow<'_>,
    part: Range<usize>,
    squared_slope: f32,
    sums: &mut Sums,
    directions: &mut [f32],
) {
    for position in part {
        let slot = &mut slots[row.start + row.places[position] as usize];
        let feature = Feature {
            x: bounded(row.multiplier * row.values[position]),
            inherited: row.row.inherited(row.base, position),
        };
        directions[position] = measure_one(slot, feature, squared_slope, position % LANES, sums);
    }
}

/// # Safety
/// For every place of the row, `start + place` is within `slots`.
#[inline(always)]
unsafe fn apply(slots: &mut [Slot], row: OwnRow<'_>, step: f32, directions: &[f32]) {
    for (&place, direction) in row.places.iter().zip(directions) {
        // SAFETY: the caller's promise on places.
        let slot = unsafe { slots.get_unchecked_mut(row.start + place as usize) };
        slot.weight = bounded(slot.weight + step * direction);
    }
}
