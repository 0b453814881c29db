use super::loops::{Loops, Sums};
use super::{BaseFeatures, Lanes, Place, Row, Slot, bounded, sum};

/// A table of weights and the loops over it.
///
/// It grows as rows need it, up to a limit that is a power of two; rows past the limit share weights.
#[derive(Clone, Debug)]
pub struct WeightTable {
    slots: Vec<Slot>,
    limit: usize,
}

/// What a look at all active weights found, summed over an example's features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// `sum_i x_i^2 / N_i^2`
    pub norm: f32,
    /// By how much the prediction moves for a step of 1, before the global scale.
    pub sensitivity: f32,
}

impl WeightTable {
    /// An empty table that may grow to `2^bits` slots.
    pub fn new(bits: u32) -> WeightTable {
        WeightTable::with_limit(1 << bits)
    }

    /// An empty table that may grow to `limit` slots; rows that share by hash need a power of two.
    pub fn with_limit(limit: usize) -> WeightTable {
        WeightTable { slots: Vec::new(), limit }
    }

    /// Replaces all slots, in a change of their order.
    pub(crate) fn replace(&mut self, slots: Vec<Slot>) {
        debug_assert!(slots.len() <= self.limit);
        self.slots = slots;
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
        if start.saturating_add(last.into()) < self.limit as u64 {
            Place::Own(start as u32)
        } else {
            Place::Shared(key())
        }
    }

    /// True if the whole row is inside the table.
    fn holds(&self, row: Row, base: &BaseFeatures) -> bool {
        match row.place {
            Place::Own(start) => row.range(base).0.iter().all(|place| ((start + place) as usize) < self.slots.len()),
            Place::Listed(_) | Place::Crowded(_) => {
                row.range(base).0.iter().all(|place| (*place as usize) < self.slots.len())
            }
            Place::Shared(_) => self.slots.len() == self.limit,
        }
    }

    /// Adds the rows' `sum_i w_i x_i` to `total`; `gravity` is L1's pull on each weight.
    #[inline(always)]
    pub(crate) fn score<L: Loops>(&self, _: L, rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes) {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        // SAFETY: expansions make rows that are inside the table, as asserted.
        unsafe { L::score(&self.slots, rows, base, gravity, total) }
    }

    /// Updates `G` and `N` of every active feature and writes the direction in which each weight is to move.
    #[inline(always)]
    pub(crate) fn measure<L: Loops>(
        &mut self,
        _: L,
        rows: &[Row],
        base: &BaseFeatures,
        squared_slope: f32,
        directions: &mut Vec<f32>,
    ) -> Measured {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        if rows.is_empty() {
            return Measured::default();
        }
        directions.resize(rows.iter().map(Row::len).sum(), 0.0);
        let mut sums = Sums::default();
        // SAFETY: expansions make rows that are inside the table, as asserted; base features are distinct.
        unsafe { L::measure(&mut self.slots, rows, base, squared_slope, &mut sums, directions) };
        Measured { norm: sum(&sums.norm), sensitivity: sum(&sums.sensitivity) }
    }

    /// Writes the value of every active feature: the direction of a plain gradient step.
    pub(crate) fn values(rows: &[Row], base: &BaseFeatures, directions: &mut Vec<f32>) {
        directions.clear();
        for row in rows {
            directions.extend(row.range(base).1.iter().map(|value| bounded(row.multiplier * value)));
        }
    }

    /// Moves every active weight by `step` times its direction.
    #[inline(always)]
    pub(crate) fn apply<L: Loops>(&mut self, _: L, rows: &[Row], base: &BaseFeatures, step: f32, directions: &[f32]) {
        debug_assert!(rows.iter().all(|row| self.holds(*row, base)));
        // SAFETY: expansions make rows that are inside the table, as asserted.
        unsafe { L::apply(&mut self.slots, rows, base, step, directions) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::loops::{Plain, Wide};
    use super::super::{Cpu, Work};
    use super::*;
    use proptest::prelude::*;

    type Drawn = (Vec<(f32, u32)>, f32, f32);
    type Seen = (Vec<[u32; 3]>, Vec<Slot>);

    struct Run<'a> {
        examples: &'a [Drawn],
        tiny: bool,
    }

    impl Work for Run<'_> {
        type Output = Seen;

        #[inline(always)]
        fn run<L: Loops>(self, loops: L) -> Seen {
            run(loops, self.examples, self.tiny)
        }
    }

    #[inline(always)]
    fn run<L: Loops>(loops: L, examples: &[Drawn], tiny: bool) -> Seen {
        let mut table = WeightTable::new(10);
        let (mut seen, mut directions) = (Vec::new(), Vec::new());
        for (features, squared_slope, step) in examples {
            let scale = if tiny { 1e-20 } else { 1.0 };
            let values: Vec<f32> = features.iter().map(|feature| feature.0 * scale).collect();
            let gaps: Vec<u32> = features.iter().map(|feature| feature.1).collect();
            let mut base = example(&values, &gaps);
            base.gradients = base.values.iter().map(|value| value.abs() + 0.1).collect();
            base.masked = base
                .values
                .iter()
                .enumerate()
                .map(|(place, value)| if place % 4 == 2 { 0.0 } else { *value })
                .collect();
            base.listed = (0..=base.slots.len() as u32).map(|place| place * 7 % 1024).collect();
            table.grow_to(1 << 10);
            let rows = rows(&base, &table);
            let mut total = [0.0; 16];
            table.score(loops, &rows, &base, 0.01, &mut total);
            let measured = table.measure(loops, &rows, &base, *squared_slope, &mut directions);
            table.apply(loops, &rows, &base, *step, &directions);
            seen.push([sum(&total).to_bits(), measured.norm.to_bits(), measured.sensitivity.to_bits()]);
        }
        (seen, table.slots)
    }

    fn example(values: &[f32], gaps: &[u32]) -> BaseFeatures {
        let mut base = BaseFeatures { slots: vec![0], values: vec![1.0], ..BaseFeatures::default() };
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
                let place = match first % 5 {
                    3 => Place::Listed(0),
                    4 => Place::Crowded(1),
                    _ => table.place(u64::from(first) * 40, last, || u64::from(first)),
                };
                Row {
                    heritage: first as f32,
                    masked: (first % 3 == 1).then_some(0),
                    ..Row::whole(place, base.values[first as usize], first, count)
                }
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
            let expected = run(Plain, &examples, tiny);
            prop_assert!(expected.1.iter().all(|slot| slot.weight.is_finite()));
            prop_assert_eq!(&run(Wide, &examples, tiny), &expected);
            for cpu in Cpu::available() {
                prop_assert_eq!(&cpu.run(Run { examples: &examples, tiny }), &expected, "{:?}", cpu);
            }
        }
    }

    #[test]
    fn rows_past_the_limit_share_weights() {
        let table = WeightTable::new(4);
        assert_eq!(table.place(10, 5, || 7), Place::Own(10));
        assert_eq!(table.place(10, 6, || 7), Place::Shared(7));
        assert!((0..100).all(|slot| Place::Shared(7).of(slot, 15) < 16));
    }
}
