//! Eight numbers that are worked on together: what a tile's loops are written in. The compiler finds such loops, too, but goes four
//! at a time, or one, where it thinks little of them.

use std::ops::{Add, Div, Mul, Sub};

use super::tile::TILE;
use super::{SMALLEST, at_least, at_most, sum};

/// Eight numbers. Each operation gives the same bits in every version.
pub(crate) trait Eight:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Eight times the same.
    fn all(value: f32) -> Self;

    fn load(values: &[f32; TILE]) -> Self;

    /// Up to eight, filled up with zeros.
    fn load_some(values: &[f32]) -> Self;

    /// One number and, behind it, up to seven others, filled up with zeros.
    fn load_behind(first: f32, values: &[f32]) -> Self;

    fn store(self, place: &mut [f32; TILE]);

    fn sqrt(self) -> Self;

    /// Of each pair the smaller; that of `limit` for "not a number".
    fn at_most(self, limit: Self) -> Self;

    /// Of each pair the larger; that of `limit` for "not a number".
    fn at_least(self, limit: Self) -> Self;

    /// True if the magnitude of one is larger than its limit.
    fn passes(self, limit: Self) -> bool;

    /// Values whose squares are normal numbers; 0 stays 0.
    fn lift(self) -> Self;

    /// The sum, in the order of [`sum`].
    fn sum(self) -> f32;

    /// Places, of which there is one at least, filled up with the last one.
    fn fill_up(places: &[u32]) -> [u32; TILE];

    /// Up to eight places, filled up with 0.
    fn some_places(places: &[u32]) -> [u32; TILE];

    /// The place 0 and, behind it, up to seven others, filled up with 0.
    fn places_behind(places: &[u32]) -> [u32; TILE];

    /// Eight columns of four numbers as four rows of eight.
    fn rows(columns: [&[f32; 4]; TILE]) -> [Self; 4];

    /// The other way round.
    fn columns(rows: [Self; 4]) -> [[f32; 4]; TILE];

    #[inline(always)]
    fn zero() -> Self {
        Self::all(0.0)
    }

    /// Finite values.
    #[inline(always)]
    fn bounded(self) -> Self {
        self.at_most(Self::all(f32::MAX)).at_least(Self::all(-f32::MAX))
    }
}

/// With what every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Portable(pub(super) [f32; TILE]);

impl Portable {
    #[inline(always)]
    fn with(self, other: Portable, operation: impl Fn(f32, f32) -> f32) -> Portable {
        let Portable(mut values) = self;
        for (value, other) in values.iter_mut().zip(other.0) {
            *value = operation(*value, other);
        }
        Portable(values)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl $name for Portable {
            type Output = Portable;

            #[inline(always)]
            fn $method(self, other: Portable) -> Portable {
                self.with(other, f32::$method)
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Eight for Portable {
    #[inline(always)]
    fn all(value: f32) -> Portable {
        Portable([value; TILE])
    }

    #[inline(always)]
    fn load(values: &[f32; TILE]) -> Portable {
        Portable(*values)
    }

    #[inline(always)]
    fn load_some(values: &[f32]) -> Portable {
        Portable(std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0)))
    }

    #[inline(always)]
    fn load_behind(first: f32, values: &[f32]) -> Portable {
        let behind = |lane: usize| values.get(lane - 1).copied().unwrap_or(0.0);
        Portable(std::array::from_fn(|lane| if lane == 0 { first } else { behind(lane) }))
    }

    #[inline(always)]
    fn store(self, place: &mut [f32; TILE]) {
        *place = self.0;
    }

    #[inline(always)]
    fn sqrt(self) -> Portable {
        Portable(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn at_most(self, limit: Portable) -> Portable {
        self.with(limit, at_most)
    }

    #[inline(always)]
    fn at_least(self, limit: Portable) -> Portable {
        self.with(limit, at_least)
    }

    #[inline(always)]
    fn passes(self, limit: Portable) -> bool {
        self.0.iter().zip(limit.0).fold(false, |passes, (value, limit)| passes | (value.abs() > limit))
    }

    #[inline(always)]
    fn lift(self) -> Portable {
        Portable(self.0.map(super::plain::lift))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        sum(&self.0)
    }

    #[inline(always)]
    fn fill_up(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| places[lane.min(places.len() - 1)])
    }

    #[inline(always)]
    fn some_places(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| places.get(lane).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn places_behind(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| lane.checked_sub(1).and_then(|lane| places.get(lane)).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn rows(columns: [&[f32; 4]; TILE]) -> [Portable; 4] {
        std::array::from_fn(|row| Portable(columns.map(|column| column[row])))
    }

    #[inline(always)]
    fn columns(rows: [Portable; 4]) -> [[f32; 4]; TILE] {
        std::array::from_fn(|column| rows.map(|row| row.0[column]))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx::{Avx, Together};

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::super::tile::Division;
    use super::{Add, Div, Eight, Mul, SMALLEST, Sub, TILE};
    use std::arch::x86_64::*;

    /// In one register. Only code that is compiled for AVX2 names this type: see `WideWithAvx2`.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx(__m256);

    /// An operation of the processor.
    macro_rules! avx {
        ($operation:expr) => {
            // SAFETY: whoever has the type has AVX2, which was asked for when the loops were chosen. What is read or written
            // is a whole reference, or the part of one that a mask says.
            unsafe { $operation }
        };
    }

    macro_rules! operator {
        ($name:ident, $method:ident, $operation:ident) => {
            impl $name for Avx {
                type Output = Avx;

                #[inline(always)]
                fn $method(self, other: Avx) -> Avx {
                    Avx(avx!($operation(self.0, other.0)))
                }
            }
        };
    }
    operator!(Add, add, _mm256_add_ps);
    operator!(Sub, sub, _mm256_sub_ps);
    operator!(Mul, mul, _mm256_mul_ps);
    operator!(Div, div, _mm256_div_ps);

    impl Eight for Avx {
        #[inline(always)]
        fn all(value: f32) -> Avx {
            Avx(avx!(_mm256_set1_ps(value)))
        }

        #[inline(always)]
        fn load(values: &[f32; TILE]) -> Avx {
            Avx(avx!(_mm256_loadu_ps(values.as_ptr())))
        }

        #[inline(always)]
        fn load_some(values: &[f32]) -> Avx {
            Avx(avx!(_mm256_maskload_ps(values.as_ptr(), first(values.len()))))
        }

        #[inline(always)]
        fn load_behind(first: f32, values: &[f32]) -> Avx {
            // What is not asked for is not read.
            let start = values.as_ptr().wrapping_sub(1);
            let behind = avx!(_mm256_maskload_ps(start, behind_first(values.len())));
            Avx(avx!(_mm256_blend_ps::<1>(behind, _mm256_set1_ps(first))))
        }

        #[inline(always)]
        fn store(self, place: &mut [f32; TILE]) {
            avx!(_mm256_storeu_ps(place.as_mut_ptr(), self.0));
        }

        #[inline(always)]
        fn sqrt(self) -> Avx {
            Avx(avx!(_mm256_sqrt_ps(self.0)))
        }

        #[inline(always)]
        fn at_most(self, limit: Avx) -> Avx {
            Avx(avx!(_mm256_min_ps(self.0, limit.0)))
        }

        #[inline(always)]
        fn at_least(self, limit: Avx) -> Avx {
            Avx(avx!(_mm256_max_ps(self.0, limit.0)))
        }

        #[inline(always)]
        fn passes(self, limit: Avx) -> bool {
            let passes = avx!(_mm256_cmp_ps::<_CMP_GT_OQ>(magnitude(self.0), limit.0));
            avx!(_mm256_movemask_ps(passes)) != 0
        }

        #[inline(always)]
        fn lift(self) -> Avx {
            let (zero, smallest) = (Avx::zero().0, Avx::all(SMALLEST).0);
            let lifted = avx!(_mm256_or_ps(_mm256_and_ps(self.0, _mm256_set1_ps(-0.0)), smallest));
            let is_small = avx!(_mm256_cmp_ps::<_CMP_LT_OQ>(magnitude(self.0), smallest));
            let is_there = avx!(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0, zero));
            Avx(avx!(_mm256_blendv_ps(self.0, lifted, _mm256_and_ps(is_small, is_there))))
        }

        #[inline(always)]
        fn sum(self) -> f32 {
            let four = avx!(_mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0)));
            let two = avx!(_mm_add_ps(four, _mm_movehl_ps(four, four)));
            avx!(_mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two))))
        }

        #[inline(always)]
        fn fill_up(places: &[u32]) -> [u32; TILE] {
            let (last, mask) = (places[places.len() - 1] as i32, first(places.len()));
            let there = avx!(_mm256_maskload_epi32(places.as_ptr().cast(), mask));
            bytemuck::cast(avx!(_mm256_blendv_epi8(_mm256_set1_epi32(last), there, mask)))
        }

        #[inline(always)]
        fn some_places(places: &[u32]) -> [u32; TILE] {
            bytemuck::cast(avx!(_mm256_maskload_epi32(places.as_ptr().cast(), first(places.len()))))
        }

        #[inline(always)]
        fn places_behind(places: &[u32]) -> [u32; TILE] {
            // As in `load_behind`.
            let start = places.as_ptr().wrapping_sub(1).cast();
            bytemuck::cast(avx!(_mm256_maskload_epi32(start, behind_first(places.len()))))
        }

        #[inline(always)]
        fn rows([a, b, c, d, e, f, g, h]: [&[f32; 4]; TILE]) -> [Avx; 4] {
            // Two columns share a register, and each half of it is transposed like four by four.
            transposed([join(a, e), join(b, f), join(c, g), join(d, h)])
        }

        #[inline(always)]
        fn columns(rows: [Avx; 4]) -> [[f32; 4]; TILE] {
            let [a, b, c, d] = transposed(rows);
            [low(a), low(b), low(c), low(d), high(a), high(b), high(c), high(d)]
        }
    }

    /// Two eights in one register of AVX-512. Only code that is compiled for it names this type: see `WideWithAvx2`.
    pub(crate) struct Together;

    impl Division<Avx> for Together {
        #[inline(always)]
        fn by_roots<const COUNT: usize>(mut numerators: [Avx; COUNT], squares: [Avx; COUNT]) -> [Avx; COUNT] {
            for (numerators, squares) in numerators.as_chunks_mut::<2>().0.iter_mut().zip(squares.as_chunks::<2>().0) {
                let quotients = avx!(_mm512_div_ps(both(*numerators), _mm512_sqrt_ps(both(*squares))));
                *numerators = halves(quotients);
            }
            if let ([.., numerator], [.., square], 1) = (&mut numerators[..], &squares[..], COUNT % 2) {
                *numerator = *numerator / square.sqrt();
            }
            numerators
        }
    }

    #[inline(always)]
    fn both([low, high]: [Avx; 2]) -> __m512 {
        let low = avx!(_mm512_castpd_ps(_mm512_castpd256_pd512(_mm256_castps_pd(low.0))));
        let high = avx!(_mm256_castps_pd(high.0));
        avx!(_mm512_castpd_ps(_mm512_insertf64x4::<1>(_mm512_castps_pd(low), high)))
    }

    #[inline(always)]
    fn halves(both: __m512) -> [Avx; 2] {
        let high = avx!(_mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(both))));
        [Avx(avx!(_mm512_castps512_ps256(both))), Avx(high)]
    }

    #[inline(always)]
    fn magnitude(values: __m256) -> __m256 {
        avx!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), values))
    }

    /// All ones in the first `length` lanes.
    #[inline(always)]
    fn first(length: usize) -> __m256i {
        avx!(_mm256_cmpgt_epi32(_mm256_set1_epi32(length as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)))
    }

    /// All ones in the `length` lanes behind the first.
    #[inline(always)]
    fn behind_first(length: usize) -> __m256i {
        avx!(_mm256_and_si256(first(length + 1), _mm256_setr_epi32(0, -1, -1, -1, -1, -1, -1, -1)))
    }

    #[inline(always)]
    fn join(low: &[f32; 4], high: &[f32; 4]) -> Avx {
        let low = avx!(_mm256_castps128_ps256(_mm_loadu_ps(low.as_ptr())));
        Avx(avx!(_mm256_insertf128_ps::<1>(low, _mm_loadu_ps(high.as_ptr()))))
    }

    #[inline(always)]
    fn low(both: Avx) -> [f32; 4] {
        bytemuck::cast(avx!(_mm256_castps256_ps128(both.0)))
    }

    #[inline(always)]
    fn high(both: Avx) -> [f32; 4] {
        bytemuck::cast(avx!(_mm256_extractf128_ps::<1>(both.0)))
    }

    #[inline(always)]
    fn transposed([a, b, c, d]: [Avx; 4]) -> [Avx; 4] {
        let (first, second) = avx!((_mm256_unpacklo_ps(a.0, b.0), _mm256_unpacklo_ps(c.0, d.0)));
        let (third, fourth) = avx!((_mm256_unpackhi_ps(a.0, b.0), _mm256_unpackhi_ps(c.0, d.0)));
        [
            Avx(avx!(_mm256_shuffle_ps::<0x44>(first, second))),
            Avx(avx!(_mm256_shuffle_ps::<0xee>(first, second))),
            Avx(avx!(_mm256_shuffle_ps::<0x44>(third, fourth))),
            Avx(avx!(_mm256_shuffle_ps::<0xee>(third, fourth))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cpu, Loops, Work};
    use super::*;
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
            let places = [
                L::Eight::fill_up(&all[..self.some.max(1)]),
                L::Eight::some_places(some),
                L::Eight::places_behind(some),
            ];
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
}
