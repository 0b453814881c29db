use super::*;
use crate::weights::loops::{Loops, Plain, Scratch, Wide};
use crate::weights::{BaseFeatures, Cpu, LANES, Listed, Room, Row, Work, sum};
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
        assert_eq!(scored.map(f32::to_bits), total.map(f32::to_bits));
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
            // From one tile to six, in rows that follow each other or lie apart.
            let width = 1 + count % 6;
            let stride = if shared { width } else { 6 };
            return Row::whole(Place::Tiles(first * stride), multiplier, 0, 8 * width);
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
