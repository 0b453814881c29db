use super::lanes::{self, OwnRow};
use super::plain::{self, Sums};
use super::{BaseFeatures, Cpu, Lanes, Place, Row, Slot, sum};

/// A table of weights and the loops over it.
///
/// It grows as rows need it, up to a limit that is a power of two; rows past the limit share weights.
#[derive(Clone, Debug)]
pub struct WeightTable {
    slots: Vec<Slot>,
    limit: usize,
    cpu: Cpu,
}

/// What [`WeightTable::measure`] found, summed over an example's features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// `sum_i x_i^2 / N_i^2`
    pub norm: f32,
    /// By how much the prediction moves for a step of 1, before the global scale.
    pub sensitivity: f32,
}

impl WeightTable {
    /// An empty table that may grow to `2^bits` slots.
    pub fn new(bits: u32, cpu: Cpu) -> WeightTable {
        let mut table = WeightTable { slots: Vec::new(), limit: 1 << bits, cpu: Cpu::Portable };
        table.set_cpu(cpu);
        table
    }

    /// Chooses the version of the loops; one that this machine cannot run is passed over.
    pub fn set_cpu(&mut self, cpu: Cpu) {
        if Cpu::available().contains(&cpu) {
            self.cpu = cpu;
        }
    }

    /// All slots.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// All slots, to be filled from a saved model or rescaled.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// How many slots the table may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Makes sure that there are at least `length` slots, or all that there may be.
    pub fn grow_to(&mut self, length: usize) {
        let length = length.min(self.limit);
        if self.slots.len() < length {
            self.slots.resize(length, Slot::default());
        }
    }

    /// Where a row of weights for base slots up to `last` goes that would start at `start` if there were no
    /// limit. `key` tells rows apart that have to share.
    #[inline]
    pub fn place(&self, start: u64, last: u32, key: impl FnOnce() -> u64) -> Place {
        if start + u64::from(last) < self.limit as u64 { Place::Own(start as u32) } else { Place::Shared(key()) }
    }

    /// True if the whole row is inside the table.
    fn holds(&self, row: Row, base: &BaseFeatures) -> bool {
        match row.place {
            Place::Own(start) => row.range(base).0.iter().all(|place| ((start + place) as usize) < self.slots.len()),
            Place::Shared(_) => self.slots.len() == self.limit,
        }
    }

    /// Adds the rows' `sum_i w_i x_i` to `total`; `gravity` is L1's pull on each weight.
    pub(crate) fn score(&self, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        match self.cpu {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: set_cpu takes Cpu::Avx2 only where the processor has AVX2; rows are inside the table, as asserted.
            Cpu::Avx2 => unsafe { score_avx2(&self.slots, rows, base, gravity, total) },
            // SAFETY: rows are inside the table, as asserted.
            Cpu::Portable => unsafe { score_rows(&self.slots, rows, base, gravity, total) },
            _ => rows.iter().for_each(|row| plain::score(&self.slots, *row, base, gravity, total)),
        }
    }

    /// Updates `G` and `N` of every active feature and writes the direction in which each weight is to move.
    pub(crate) fn measure(
        &mut self,
        rows: &[Row],
        base: &BaseFeatures,
        squared_slope: f32,
        directions: &mut Vec<f32>,
    ) -> Measured {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        directions.resize(rows.iter().map(Row::len).sum(), 0.0);
        let mut sums = Sums::default();
        let slots = &mut self.slots;
        match self.cpu {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: set_cpu takes Cpu::Avx2 only where the processor has AVX2; rows are inside the table, as asserted.
            Cpu::Avx2 => unsafe { measure_avx2(slots, rows, base, squared_slope, &mut sums, directions) },
            // SAFETY: rows are inside the table, as asserted.
            Cpu::Portable => unsafe { measure_rows(slots, rows, base, squared_slope, &mut sums, directions) },
            _ => for_each_row(rows, directions, |row, directions| {
                plain::measure(slots, row, base, squared_slope, &mut sums, directions);
            }),
        }
        Measured { norm: sum(&sums.norm), sensitivity: sum(&sums.sensitivity) }
    }

    /// Writes the value of every active feature: the direction of a plain gradient step.
    pub(crate) fn values(rows: &[Row], base: &BaseFeatures, directions: &mut Vec<f32>) {
        directions.clear();
        for row in rows {
            directions.extend(row.range(base).1.iter().map(|value| row.multiplier * value));
        }
    }

    /// Moves every active weight by `step` times its direction.
    pub(crate) fn apply(&mut self, rows: &[Row], base: &BaseFeatures, step: f32, directions: &mut [f32]) {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        let (slots, cpu) = (&mut self.slots, self.cpu);
        for_each_row(rows, directions, |row, directions| match own(row, base) {
            // SAFETY: rows are inside the table, as asserted.
            Some(own) if cpu != Cpu::Plain => unsafe { lanes::apply(slots, own, step, directions) },
            _ => plain::apply(slots, row, base, step, directions),
        });
    }
}

fn for_each_row(rows: &[Row], mut directions: &mut [f32], mut visit: impl FnMut(Row, &mut [f32])) {
    for row in rows {
        let (these, others) = directions.split_at_mut(row.len());
        visit(*row, these);
        directions = others;
    }
}

#[inline(always)]
fn own<'a>(row: Row, base: &'a BaseFeatures) -> Option<OwnRow<'a>> {
    let Place::Own(start) = row.place else { return None };
    let (places, values) = row.range(base);
    Some(OwnRow { start: start as usize, multiplier: row.multiplier, places, values })
}

/// # Safety
/// Every row is inside the slots.
#[inline(always)]
unsafe fn score_rows(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    for row in rows {
        match own(*row, base) {
            // SAFETY: the caller's promise.
            Some(own) => unsafe { lanes::score(slots, own, gravity, total) },
            None => plain::score(slots, *row, base, gravity, total),
        }
    }
}

/// # Safety
/// Every row is inside the slots.
#[inline(always)]
unsafe fn measure_rows(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    squared_slope: f32,
    sums: &mut Sums,
    directions: &mut [f32],
) {
    // A loop rather than `for_each_row`: a closure would not be compiled with the caller's instructions.
    let mut rest = directions;
    for row in rows {
        let (directions, others) = rest.split_at_mut(row.len());
        match own(*row, base) {
            // SAFETY: the caller's promise; base features are distinct; directions are cut to the row.
            Some(own) => unsafe { lanes::measure(slots, own, squared_slope, sums, directions) },
            None => plain::measure(slots, *row, base, squared_slope, sums, directions),
        }
        rest = others;
    }
}

/// # Safety
/// The processor has AVX2, and every row is inside the slots.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn score_avx2(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
    // SAFETY: the caller's promise.
    unsafe { score_rows(slots, rows, base, gravity, total) }
}

/// # Safety
/// The processor has AVX2, and every row is inside the slots.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn measure_avx2(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    squared_slope: f32,
    sums: &mut Sums,
    directions: &mut [f32],
) {
    // SAFETY: the caller's promise.
    unsafe { measure_rows(slots, rows, base, squared_slope, sums, directions) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example(values: &[f32], gaps: &[u32]) -> BaseFeatures {
        let mut base = BaseFeatures { slots: vec![0], values: vec![1.0] };
        let mut slot = 0;
        for (value, gap) in values.iter().zip(gaps) {
            slot += 1 + gap;
            base.slots.push(slot);
            base.values.push(*value);
        }
        base
    }

    fn rows(base: &BaseFeatures, table: &WeightTable) -> Vec<Row> {
        let last = *base.slots.last().unwrap();
        let count = base.slots.len() as u32;
        (0..count)
            .map(|first| {
                let place = table.place(u64::from(first) * 40, last, || u64::from(first));
                Row { place, multiplier: base.values[first as usize], first, end: count }
            })
            .collect()
    }

    proptest! {
        /// All versions of the loops, over several examples, on rows that own and rows that share their weights.
        #[test]
        fn every_cpu_gives_the_same_bits(
            examples in prop::collection::vec(
                (prop::collection::vec((-3f32..3.0, 0u32..2), 1..40), 0.001f32..4.0, -1f32..1.0), 1..6),
            tiny in any::<bool>(),
        ) {
            let run = |cpu| {
                let mut table = WeightTable::new(10, cpu);
                let (mut seen, mut directions) = (Vec::new(), Vec::new());
                for (features, squared_slope, step) in &examples {
                    let lift = if tiny { 1e-20 } else { 1.0 };
                    let values: Vec<f32> = features.iter().map(|feature| feature.0 * lift).collect();
                    let gaps: Vec<u32> = features.iter().map(|feature| feature.1).collect();
                    let base = example(&values, &gaps);
                    table.grow_to(1 << 10);
                    let rows = rows(&base, &table);
                    let mut total = [0.0; 16];
                    table.score(&rows, &base, 0.01, &mut total);
                    let measured = table.measure(&rows, &base, *squared_slope, &mut directions);
                    table.apply(&rows, &base, *step, &mut directions);
                    seen.push((sum(&total).to_bits(), measured.norm.to_bits(), measured.sensitivity.to_bits()));
                }
                (seen, table.slots)
            };
            let expected = run(Cpu::Plain);
            prop_assert!(expected.1.iter().all(|slot| slot.weight.is_finite()));
            for cpu in Cpu::available() {
                prop_assert_eq!(&run(cpu), &expected, "{:?}", cpu);
            }
        }
    }

    #[test]
    fn rows_past_the_limit_share_weights() {
        let table = WeightTable::new(4, Cpu::Plain);
        assert_eq!(table.place(10, 5, || 7), Place::Own(10));
        assert_eq!(table.place(10, 6, || 7), Place::Shared(7));
        assert!((0..100).all(|slot| Place::Shared(7).of(slot, 15) < 16));
    }
}
