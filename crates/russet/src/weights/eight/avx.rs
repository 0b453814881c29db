//! Eight numbers in a register of AVX2, and sixteen in one of AVX-512.

use super::{Add, Div, Eight, Mul, SMALLEST, Sub, TILE};
use crate::weights::tile::Division;
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
