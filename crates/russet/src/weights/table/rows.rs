//! What is done with the rows of an example: each loop in the version that is chosen, over the order that the table is in.

use super::{Cells, Moments, WeightTable};
use crate::weights::{BaseFeatures, Lanes, Loops, Place, Row, Scratch, Slot, TILE, bounded, plain, shared, wide};

/// What a look at all active weights found, summed over an example's features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// `sum_i x_i^2 / N_i^2`
    pub norm: f32,
    /// By how much the prediction moves for a step of 1, before the global scale.
    pub sensitivity: f32,
}

impl WeightTable {
    /// True if the whole row is inside the table.
    fn holds(&self, row: &Row, base: &BaseFeatures) -> bool {
        // What fills up the last tile is nobody's.
        let length = if self.is_tiled() { self.len().next_multiple_of(TILE) } else { self.len() };
        let inside = |position| row.place(base, position, length) < length;
        self.is_tiled() == matches!(row.place, Place::Tiles(_)) && (0..row.len()).all(inside)
    }

    /// Adds the rows' `sum_i w_i x_i` to `total`; `gravity` is L1's pull on each weight.
    #[inline(always)]
    pub(crate) fn score<L: Loops>(&self, _: L, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        debug_assert!(rows.iter().all(|row| self.holds(row, base)));
        match &self.cells {
            _ if !L::WIDE => plain::score(self, rows, base, gravity, total),
            // SAFETY: expansions make rows that are inside the table, as asserted.
            Cells::Slots(slots) => unsafe { wide::score_slots::<L::Eight>(slots, rows, base, gravity, total) },
            Cells::Tiles(tiles) => L::score_tiles(tiles, rows, base, gravity, total),
        }
    }

    /// The same at the beginning of a step: [`WeightTable::measure`] and [`WeightTable::close`] follow, with the same rows.
    #[inline(always)]
    pub(crate) fn open<L: Loops>(
        &self,
        _: L,
        rows: &[Row],
        base: &BaseFeatures,
        gravity: f32,
        total: &mut Lanes,
        scratch: &mut Scratch,
    ) {
        debug_assert!(rows.iter().all(|row| self.holds(row, base)));
        if rows.is_empty() {
            return;
        }
        // Where a weight may occur twice, each has to be moved before the next is looked at.
        scratch.plain = !L::WIDE || rows.iter().any(|row| matches!(row.place, Place::Shared(_)));
        match &self.cells {
            _ if !L::WIDE => plain::score(self, rows, base, gravity, total),
            Cells::Slots(slots) if scratch.plain => {
                shared::list_places(slots, rows, base, &mut scratch.places);
                // SAFETY: expansions make rows that are inside the table, as asserted.
                unsafe { shared::score::<L::Eight>(slots, rows, base, gravity, total, &scratch.places) };
            }
            // SAFETY: expansions make rows that are inside the table, as asserted.
            Cells::Slots(slots) => unsafe { wide::open_slots::<L::Eight>(slots, rows, base, gravity, total, scratch) },
            Cells::Tiles(tiles) => L::open_tiles(tiles, rows, base, gravity, total, scratch),
        }
    }

    /// Updates `G` and `N` of every active feature and notes the direction in which each weight is to move. New
    /// weights inherit from `linear`, the base features' own weights.
    #[inline(always)]
    pub(crate) fn measure<L: Loops>(
        &mut self,
        _: L,
        rows: &[Row],
        base: &BaseFeatures,
        linear: &[Slot],
        squared_slope: f32,
        scratch: &mut Scratch,
    ) -> Measured {
        if rows.is_empty() {
            return Measured::default();
        }
        match &mut self.cells {
            _ if !L::WIDE => plain::measure(self, rows, base, linear, squared_slope, scratch).measured(),
            Cells::Slots(slots) if scratch.plain => {
                // SAFETY: as above: the places are those of the rows.
                unsafe { shared::measure::<L::Eight>(slots, rows, base, linear, squared_slope, scratch) }.measured()
            }
            Cells::Slots(_) => wide::measure_copies::<L::Eight>(rows, base, linear, squared_slope, scratch).measured(),
            Cells::Tiles(tiles) => L::measure_tiles(tiles, rows, base, linear, squared_slope, scratch),
        }
    }

    /// Takes the value of every active feature for its direction, that of a plain gradient step; and `N = max(N, |x|)`,
    /// which such a step does not use, but says that the weight was touched.
    pub(crate) fn point_along_values(&mut self, rows: &[Row], base: &BaseFeatures, scratch: &mut Scratch) {
        let (mut number, unit) = (0, if scratch.plain { 1 } else { TILE });
        let (tiles, in_place) =
            (rows.iter().map(|row| row.len().div_ceil(TILE)).sum(), self.is_tiled() && !scratch.plain);
        scratch.resize_directions(tiles);
        for row in rows {
            for (position, value) in row.values(base).iter().enumerate() {
                let place = row.place(base, position, self.len());
                let mut slot = self.get(place);
                let x = plain::product(row.multiplier, *value);
                let directions = if in_place { &mut scratch.x } else { &mut scratch.directions };
                directions[number / TILE].0[number % TILE] = if slot.is_sealed() { 0.0 } else { x };
                slot.scale = slot.scale.max(x.abs());
                self.set(place, slot);
                scratch.note_scale(number, slot.scale);
                number += 1;
            }
            number = number.next_multiple_of(unit);
        }
    }

    /// Moves every active weight by `step` times its direction.
    #[inline(always)]
    pub(crate) fn close<L: Loops>(
        &mut self,
        _: L,
        rows: &[Row],
        base: &BaseFeatures,
        step: f32,
        scratch: &mut Scratch,
    ) {
        debug_assert!(rows.iter().all(|row| self.holds(row, base)));
        if rows.is_empty() {
            return;
        }
        match &mut self.cells {
            _ if !L::WIDE => plain::apply(self, rows, base, step, scratch),
            Cells::Slots(slots) if scratch.plain => shared::apply(slots, step, scratch),
            // SAFETY: expansions make rows that are inside the table, as asserted.
            Cells::Slots(slots) => unsafe { wide::close_slots::<L::Eight>(slots, rows, base, step, scratch) },
            Cells::Tiles(tiles) => L::close_tiles(tiles, step, scratch),
        }
    }

    /// Counts every active feature once.
    pub(crate) fn count(&mut self, rows: &[Row], base: &BaseFeatures) {
        let length = self.len();
        for row in rows {
            let values = row.values(base);
            if let Place::Tiles(_) = row.place {
                let start = row.place(base, 0, length);
                for (count, value) in self.counts[start..].iter_mut().zip(values) {
                    // No branch, and no saturating sum, which would keep it from going eight at a time.
                    *count += u32::from((*value != 0.0) & (*count < u32::MAX));
                }
                continue;
            }
            for (position, _) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let count = &mut self.counts[row.place(base, position, length)];
                *count = count.saturating_add(1);
            }
        }
    }

    /// Takes note of how wrong a prediction was in which every feature of the rows was active.
    pub(crate) fn observe(&mut self, rows: &[Row], base: &BaseFeatures, importance: f32, slope: f32) {
        let length = self.len();
        self.moments.resize(length, Moments::default());
        for row in rows {
            for (position, value) in row.values(base).iter().enumerate() {
                let place = row.place(base, position, length);
                // Weights that no example has touched are not saved, so nothing may hang on them.
                if self.get(place).is_untouched() {
                    continue;
                }
                let x = plain::product(row.multiplier, *value);
                let presence = importance * (x * x);
                let moments = &mut self.moments[place];
                moments.presence = bounded(moments.presence + presence);
                moments.surprise = bounded(moments.surprise + bounded(presence * (slope * slope)));
            }
        }
    }
}
