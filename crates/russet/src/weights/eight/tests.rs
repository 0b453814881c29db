use super::*;
use crate::weights::{Cpu, Loops, Work};
use proptest::prelude::*;

/// Every operation, as bits.
struct All<'a> {
    one: &'a [f32; TILE],
    other: &'a [f32; TILE],
    some: usize,
}

impl Work for All<'_> {
    type Output = (Vec<[u32; TILE]>, [[u32; TILE]; 3], bool, u32);

    #[inline(always)]
    fn run<L: Loops>(self, _: L) -> Self::Output {
        let (one, other) = (L::Eight::load(self.one), L::Eight::load(self.other));
        let columns = [self.one, self.other, self.one, self.other].map(|eight| eight.as_chunks::<4>().0);
        let columns = std::array::from_fn(|column| &columns[column / 2][column % 2]);
        let rows = L::Eight::rows(columns);
        let back = L::Eight::columns(rows);
        assert_eq!(back.map(|column| column.map(f32::to_bits)), columns.map(|column| column.map(f32::to_bits)));
        let results = [
            one + other,
            one - other,
            one * other,
            one / other,
            other.at_least(L::Eight::zero()).sqrt(),
            one.at_most(other),
            one.at_least(other),
            one.lift(),
            one.bounded(),
            L::Eight::load_some(&self.one[..self.some]),
            L::Eight::load_behind(self.other[0], &self.one[..self.some]),
        ];
        let bits = |eight: L::Eight| {
            let mut values = [0.0; TILE];
            eight.store(&mut values);
            // Which of the many that are no number it is may differ.
            values.map(|value| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() })
        };
        let sum = one.sum();
        let all = [3, 5, 7, 11, 13, 17, 19];
        let some = &all[..self.some];
        let places =
            [L::Eight::fill_up(&all[..self.some.max(1)]), L::Eight::some_places(some), L::Eight::places_behind(some)];
        let results = results.into_iter().chain(rows).map(bits).collect();
        (results, places, one.passes(other), if sum.is_nan() { 0 } else { sum.to_bits() })
    }
}

fn value() -> impl Strategy<Value = f32> {
    let special =
        vec![0.0, -0.0, 1e-30, -1e-20, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE];
    prop_oneof![4 => -3f32..3.0, 1 => prop::sample::select(special)]
}

proptest! {
    #[test]
    fn every_version_gives_the_same_bits(
        one in prop::array::uniform8(value()), other in prop::array::uniform8(value()), some in 0usize..8,
    ) {
        let all = || All { one: &one, other: &other, some };
        let expected = Cpu::Portable.run(all());
        for cpu in Cpu::available() {
            prop_assert_eq!(cpu.run(all()), expected.clone());
        }
    }
}
