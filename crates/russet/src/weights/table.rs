use super::loops::{Loops, Scratch};
use super::tile::TILE;
use super::tiles::Tiles;
use super::{BaseFeatures, Lanes, Place, Row, Slot, bounded, memory, plain, shared, wide};

/// A table of weights and the loops over it.
///
/// It grows as rows need it, up to a limit that is a power of two; rows past the limit share weights.
#[derive(Clone, Debug)]
pub struct WeightTable {
    cells: Cells,
    /// In how many examples the feature of each weight was active: see [`WeightTable::count`].
    counts: Vec<u32>,
    /// What [`WeightTable::observe`] has seen of each feature; empty if that is not wanted.
    moments: Vec<Moments>,
    limit: usize,
}

/// Sums over the examples of an epoch; `h` is the importance, `r` the slope of the loss, `m` the value of the feature.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// The sum of `h r^2 m^2`.
    pub surprise: f32,
    /// The sum of `h m^2`.
    pub presence: f32,
}

impl Moments {
    /// An estimate of `E[r^2 m^2] / E[m^2]`: how wrong the model is where the feature is active.
    pub(crate) fn index(self) -> f32 {
        if self.presence > 0.0 { bounded(self.surprise / self.presence) } else { 0.0 }
    }
}

/// The weights, in one of two orders.
#[derive(Clone, Debug)]
enum Cells {
    /// All of a weight together: best where an example meets a few, here and there.
    Slots(Vec<Slot>),
    /// Eight neighbours together: best where an example meets most. Rows of such a table are [`Place::Tiles`].
    Tiles(Tiles),
}

/// A weight as it is saved: `w`, `G`, `N` and the count of its feature, in little-endian order.
pub(crate) type Saved = [u8; 16];

/// How many saved weights are read at a time.
const PIECE: usize = 1 << 14;

/// A saved weight, without a key, and the count of its feature.
#[inline]
pub(crate) fn unpacked(saved: &Saved) -> (Slot, u32) {
    let [weight, gradient, scale, count]: [[u8; 4]; 4] = bytemuck::cast(*saved);
    let [weight, gradient, scale] = [weight, gradient, scale].map(f32::from_le_bytes);
    (Slot { weight, gradient, scale, key: 0 }, u32::from_le_bytes(count))
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
        WeightTable { cells: Cells::Slots(Vec::new()), counts: Vec::new(), moments: Vec::new(), limit }
    }

    /// An empty table of tiles.
    pub(crate) fn of_tiles(limit: usize) -> WeightTable {
        WeightTable { cells: Cells::Tiles(Tiles::default()), counts: Vec::new(), moments: Vec::new(), limit }
    }

    /// How many weights there is room for now.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if there is no room for any.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The weight at a place.
    #[inline]
    pub fn get(&self, place: usize) -> Slot {
        match &self.cells {
            Cells::Slots(slots) => slots[place],
            Cells::Tiles(tiles) => tiles.get(place),
        }
    }

    /// Replaces the weight at a place.
    pub(crate) fn set(&mut self, place: usize, slot: Slot) {
        match &mut self.cells {
            Cells::Slots(slots) => slots[place] = slot,
            Cells::Tiles(tiles) => tiles.set(place, slot),
        }
    }

    /// Moves a weight to a place that is free.
    pub(crate) fn move_weight(&mut self, from: usize, to: usize) {
        self.set(to, self.get(from));
        self.set(from, Slot::default());
        self.counts[to] = std::mem::take(&mut self.counts[from]);
        if !self.moments.is_empty() {
            self.moments[to] = std::mem::take(&mut self.moments[from]);
        }
    }

    /// Copies a weight from another table, with all that is known of its feature. It keeps its key.
    pub(crate) fn copy_weight(&mut self, to: usize, other: &WeightTable, from: usize) {
        self.set(to, Slot { key: self.get(to).key, ..other.get(from) });
        self.counts[to] = other.counts[from];
        if !other.moments.is_empty() {
            self.set_moments(to, other.moments[from]);
        }
    }

    /// What has been seen of the feature at a place.
    pub(crate) fn moments(&self, place: usize) -> Moments {
        self.moments.get(place).copied().unwrap_or_default()
    }

    /// Sets [`WeightTable::moments`].
    pub(crate) fn set_moments(&mut self, place: usize, moments: Moments) {
        self.moments.resize(self.counts.len(), Moments::default());
        self.moments[place] = moments;
    }

    /// Forgets what has been seen of all features: another epoch begins.
    pub(crate) fn forget_moments(&mut self) {
        self.moments.fill(Moments::default());
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

    /// Replaces all weights, and their counts, by saved ones, which `read` reads piece by piece to where it is told. False if one
    /// of them cannot be. The table keeps each weight together.
    pub(crate) fn restore<E>(&mut self, mut read: impl FnMut(&mut [u8]) -> Result<(), E>) -> Result<bool, E> {
        self.expect(self.len());
        let (slots, counts) = self.slots_and_counts();
        debug_assert_eq!(slots.len(), counts.len());
        let mut sound = true;
        // In pieces that are in the cache still when the counts are taken out.
        for (slots, counts) in slots.chunks_mut(PIECE).zip(counts.chunks_mut(PIECE)) {
            read(bytemuck::cast_slice_mut(slots))?;
            for (slot, count) in slots.iter_mut().zip(counts) {
                (*slot, *count) = unpacked(bytemuck::cast_ref(slot));
                sound &= slot.is_sound();
            }
        }
        Ok(sound)
    }

    /// All weights in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The weights, for a table that keeps each together.
    #[inline]
    pub(crate) fn slots(&self) -> &[Slot] {
        match &self.cells {
            Cells::Slots(slots) => slots,
            Cells::Tiles(_) => &[],
        }
    }

    /// The same, and their counts, to be changed.
    pub(crate) fn slots_and_counts(&mut self) -> (&mut [Slot], &mut [u32]) {
        match &mut self.cells {
            Cells::Slots(slots) => (slots, &mut self.counts),
            Cells::Tiles(_) => (&mut [], &mut []),
        }
    }

    /// In how many examples the feature at a place was active, as far as examples are counted.
    pub fn active(&self, place: usize) -> u32 {
        self.counts[place]
    }

    /// Sets [`WeightTable::active`].
    pub(crate) fn set_active(&mut self, place: usize, count: u32) {
        self.counts[place] = count;
    }

    /// Changes every weight, and nothing else.
    pub(crate) fn change_weights(&mut self, change: impl Fn(f32) -> f32) {
        match &mut self.cells {
            Cells::Slots(slots) => slots.iter_mut().for_each(|slot| slot.weight = change(slot.weight)),
            Cells::Tiles(tiles) => tiles.change_weights(change),
        }
    }

    /// Sets address space for `length` slots aside, so that the table never moves as it grows. Where there is not so much, it moves.
    pub(crate) fn reserve(&mut self, length: usize) {
        if let Cells::Slots(slots) = &mut self.cells {
            memory::reserve(slots, length);
        }
        memory::reserve(&mut self.counts, length);
    }

    /// Makes memory ready for the first `length` slots, which will be written soon.
    pub(crate) fn expect(&mut self, length: usize) {
        if let Cells::Slots(slots) = &mut self.cells {
            memory::fill_large_pages(slots, length);
        }
        memory::fill_large_pages(&mut self.counts, length);
    }

    /// A copy that has as much room to grow as the table itself.
    pub(crate) fn copy_with_room(&self) -> WeightTable {
        let Cells::Slots(slots) = &self.cells else { return self.clone() };
        let copies = memory::copy_with_room(slots, slots.capacity());
        let counts = memory::copy_with_room(&self.counts, self.counts.capacity());
        WeightTable { cells: Cells::Slots(copies), counts, moments: self.moments.clone(), limit: self.limit }
    }

    /// True if the system can give memory for this many slots.
    pub(crate) fn can_have(slots: usize) -> bool {
        Vec::<Slot>::new().try_reserve_exact(slots.saturating_add(slots / 2)).is_ok()
    }

    /// How many slots the table may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Makes sure that there are at least `length` slots, or all that there may be.
    pub fn grow_to(&mut self, length: usize) {
        let length = length.min(self.limit);
        if self.len() < length {
            match &mut self.cells {
                Cells::Slots(slots) => memory::extend_with_zeros(slots, length, self.limit),
                Cells::Tiles(tiles) => tiles.extend(length.div_ceil(TILE), self.limit.div_ceil(TILE)),
            }
            memory::extend_with_zeros(&mut self.counts, length, self.limit);
            if !self.moments.is_empty() {
                self.moments.resize(length, Moments::default());
            }
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

    /// True if eight neighbours are kept together.
    #[inline]
    pub(crate) fn is_tiled(&self) -> bool {
        matches!(self.cells, Cells::Tiles(_))
    }

    /// Keeps eight neighbours together, or each weight by itself: the places stay.
    pub(crate) fn set_tiled(&mut self, tiled: bool) {
        if tiled == self.is_tiled() {
            return;
        }
        let empty = if tiled { WeightTable::of_tiles(self.limit) } else { WeightTable::with_limit(self.limit) };
        let before = std::mem::replace(self, empty);
        match &mut self.cells {
            Cells::Slots(slots) => memory::extend_with_zeros(slots, before.len(), self.limit),
            Cells::Tiles(tiles) => tiles.extend(before.len().div_ceil(TILE), self.limit.div_ceil(TILE)),
        }
        // What was never written stays so, and takes no memory.
        let touched = (0..).zip(before.iter()).filter(|(_, slot)| *slot != Slot::default());
        touched.for_each(|(place, slot)| self.set(place, slot));
        (self.counts, self.moments) = (before.counts, before.moments);
    }

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
}

#[cfg(test)]
mod tests {
    use super::super::loops::{Plain, Wide};
    use super::super::{Cpu, LANES, Listed, Room, Work, sum};
    use super::*;
    use proptest::prelude::*;

    type Drawn = (Vec<(f32, u32)>, f32, f32);
    type Seen = (Vec<[u32; 3]>, Vec<Slot>);

    struct Run<'a> {
        cpu: Cpu,
        examples: &'a [Drawn],
        tiny: bool,
        tiled: bool,
    }

    impl Work for Run<'_> {
        type Output = Seen;

        #[inline(always)]
        fn run<L: Loops>(self, loops: L) -> Seen {
            run(loops, Scratch::on(self.cpu), self.examples, self.tiny, self.tiled)
        }
    }

    #[inline(always)]
    fn run<L: Loops>(loops: L, mut scratch: Scratch, examples: &[Drawn], tiny: bool, tiled: bool) -> Seen {
        let mut table = if tiled { WeightTable::of_tiles(1 << 12) } else { WeightTable::new(14) };
        table.grow_to(table.limit());
        for place in (0..table.len()).filter(|place| place % 9 == 4) {
            table.set(place, Slot::SEALED);
        }
        let linear = vec![Slot { gradient: 1.5, ..Slot::default() }; 128];
        let mut seen = Vec::new();
        for (number, (features, squared_slope, step)) in examples.iter().enumerate() {
            let scale = if tiny { 1e-20 } else { 1.0 };
            let values: Vec<f32> = features.iter().map(|feature| feature.0 * scale).collect();
            let gaps: Vec<u32> = features.iter().map(|feature| feature.1).collect();
            let mut base = example(&values, &gaps);
            base.listed = listed(&base);
            base.by_slot = by_slot(&base, 48);
            let rows = rows(&base, &table, tiled, number % 2 == 1);
            let (mut scored, mut total) = ([0.0; LANES], [0.0; LANES]);
            let gravity = [0.0, 0.01][number / 2 % 2];
            table.score(loops, &rows, &base, gravity, &mut scored);
            table.open(loops, &rows, &base, gravity, &mut total, &mut scratch);
            assert_eq!(scored, total);
            let measured = table.measure(loops, &rows, &base, &linear, *squared_slope, &mut scratch);
            table.close(loops, &rows, &base, *step, &mut scratch);
            seen.push([sum(&total).to_bits(), measured.norm.to_bits(), measured.sensitivity.to_bits()]);
        }
        (seen, table.iter().collect())
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

    /// 64 products of each of 64 parents.
    fn listed(base: &BaseFeatures) -> Listed {
        let mut listed = Listed::default();
        let Room { places, slots, values } = listed.room(64 * 64);
        for number in 0..64 * 64 {
            places[number] = ((1 << 13) + number / 64 * 128 + number % 64 * 7 % 128) as u32;
            slots[number] = base.slots[number % base.slots.len()];
            values[number] = base.values[number * 5 % base.values.len()];
        }
        listed.keep(64 * 64);
        listed
    }

    fn by_slot(base: &BaseFeatures, width: usize) -> Vec<f32> {
        let mut values = vec![0.0; width];
        base.slots
            .iter()
            .zip(&base.values)
            .skip(1)
            .filter(|(slot, _)| **slot as usize <= width)
            .for_each(|(slot, value)| values[*slot as usize - 1] = *value);
        values
    }

    fn rows(base: &BaseFeatures, table: &WeightTable, tiled: bool, shared: bool) -> Vec<Row> {
        let last = *base.slots.last().unwrap();
        let count = base.slots.len() as u32;
        let row = |first: u32| {
            let multiplier = base.values[first as usize];
            if tiled {
                // Widths of an even and of an odd number of tiles.
                return Row::whole(Place::Tiles(first * 6), multiplier, 0, 40 + 8 * (count % 2));
            }
            if first % 5 == 3 {
                return Row::whole(Place::Listed, multiplier, first * 64 + 2, first * 64 + count);
            }
            let place = match first % 5 {
                4 if shared => Place::Shared(u64::from(first)),
                _ => table.place(u64::from(first) * 128, last, || u64::from(first)),
            };
            Row::whole(place, multiplier, first, count)
        };
        (0..count).map(|first| Row { heritage: first as f32, ..row(first) }).collect()
    }

    proptest! {
        /// All versions of the loops, over several examples, on rows that own and rows that share their weights.
        #[test]
        fn every_cpu_gives_the_same_bits(
            examples in prop::collection::vec(
                (prop::collection::vec((-3f32..3.0, 0u32..2), 1..40), 0.001f32..4.0, -1f32..1.0), 1..6),
            tiny in any::<bool>(),
            tiled in any::<bool>(),
        ) {
            let expected = run(Plain, Scratch::default(), &examples, tiny, tiled);
            prop_assert!(expected.1.iter().all(|slot| slot.weight.is_finite()));
            prop_assert!(run(Wide, Scratch::default(), &examples, tiny, tiled) == expected);
            for cpu in Cpu::available() {
                prop_assert!(cpu.run(Run { cpu, examples: &examples, tiny, tiled }) == expected, "{:?}", cpu);
            }
        }
    }

    /// A table that was laid out anew in the middle of an epoch forgot what `ssm` ranks by.
    #[test]
    fn a_copied_weight_takes_all_that_is_known_of_it_along() {
        let (mut table, mut other) = (WeightTable::of_tiles(16), WeightTable::new(4));
        table.grow_to(16);
        other.grow_to(4);
        let known = Moments { surprise: 2.0, presence: 0.5 };
        table.set(9, Slot { weight: 0.5, scale: 1.0, ..Slot::default() });
        table.set_active(9, 7);
        table.set_moments(9, known);
        other.set(3, Slot { key: 42, ..Slot::default() });
        other.copy_weight(3, &table, 9);
        assert_eq!(other.get(3), Slot { weight: 0.5, scale: 1.0, key: 42, ..Slot::default() });
        assert_eq!((other.active(3), other.moments(3)), (7, known));
    }

    #[test]
    fn rows_past_the_limit_share_weights() {
        let table = WeightTable::new(4);
        assert_eq!(table.place(10, 5, || 7), Place::Own(10));
        assert_eq!(table.place(10, 6, || 7), Place::Shared(7));
        let base = example(&[1.0; 50], &[1; 50]);
        let row = Row::whole(Place::Shared(7), 1.0, 0, 51);
        assert!((0..51).all(|position| row.place(&base, position, 16) < 16));
    }
}
