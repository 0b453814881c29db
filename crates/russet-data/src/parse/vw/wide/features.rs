//! The features of lines, put together from tokens.

use std::arch::x86_64::*;

use russet::batch::Code;

use super::registers::{chunk, load, load_sixteen, store};
use super::roles::Roles;
use super::tokens::SIGNED;
use super::values::{DECIMALS_AT, NUMBER, SIGN, exact_value, write_eight_values};
use super::{ENOUGH, GROUP, LANES};

/// The longest token.
const LONGEST: u32 = 8;

/// Features as they were read, one an element of each; there may be more elements than features.
#[derive(Debug, Default)]
pub(super) struct Features {
    pub(super) names: Vec<u32>,
    /// What is before the point, and the sign.
    wholes: Vec<u32>,
    /// What is after the point, and how many decimals these are.
    fractions: Vec<u32>,
    pub(super) count: usize,
}

impl Features {
    /// Adds the features that end with a token of a group. `before` are the numbers of the 16 tokens before them; gives those of the last 16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn push(
        &mut self,
        numbers: &[u32; GROUP],
        lengths: &[u8; GROUP],
        roles: &Roles,
        mut before: __m512i,
    ) -> Option<__m512i> {
        self.make_room();
        let (names, wholes) =
            (chunk::<_, GROUP>(&mut self.names, self.count), chunk::<_, GROUP>(&mut self.wholes, self.count));
        let fractions = chunk::<_, GROUP>(&mut self.fractions, self.count);
        let mut count = 0;
        for part in 0..GROUP / LANES {
            let roles = roles.shifted(part * LANES);
            if roles.within == 0 {
                break;
            }
            let numbers = load(numbers[part * LANES..].first_chunk()?);
            let lengths = load_sixteen(lengths[part * LANES..].first_chunk()?);
            let found = Found::read(numbers, _mm512_cvtepu8_epi32(lengths), &roles, before)?;
            store(chunk(names, count), _mm512_maskz_compress_epi32(found.kept, found.codes));
            store(chunk(wholes, count), _mm512_maskz_compress_epi32(found.kept, found.wholes));
            store(chunk(fractions, count), _mm512_maskz_compress_epi32(found.kept, found.fractions));
            count += found.kept.count_ones() as usize;
            before = found.numbers;
        }
        self.count += count;
        Some(before)
    }

    /// Makes room for the features of a group.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.names.len() < self.count + GROUP {
            let length = 2 * self.count + ENOUGH + GROUP;
            self.names.resize(length, 0);
            self.wholes.resize(length, 0);
            self.fractions.resize(length, 0);
        }
    }

    /// Writes the features' values; there is room for a multiple of eight.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn write_values(&self, values: &mut [f32]) {
        let (values, _) = values.as_chunks_mut();
        let (wholes, _) = self.wholes.as_chunks();
        let (fractions, _) = self.fractions.as_chunks();
        for ((values, wholes), fractions) in values.iter_mut().zip(wholes).zip(fractions) {
            let unsure = write_eight_values(wholes, fractions, values);
            if unsure != 0 {
                (0..8).filter(|lane| unsure >> lane & 1 == 1).for_each(|lane| {
                    values[lane] = exact_value(wholes[lane], fractions[lane]);
                });
            }
        }
    }
}

/// What comes of 16 tokens.
struct Found {
    /// The numbers they write, with their signs.
    numbers: __m512i,
    /// Where there is a feature.
    kept: __mmask16,
    codes: __m512i,
    wholes: __m512i,
    fractions: __m512i,
}

impl Found {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn read(numbers: __m512i, lengths: __m512i, roles: &Roles, before: __m512i) -> Option<Found> {
        let one = _mm512_set1_epi32(1);
        let [within, last, whole, fraction, optional] =
            [roles.within, roles.last, roles.whole, roles.fraction, roles.optional].map(|bits| bits as __mmask16);
        let sign = _mm512_set1_epi32(i32::from(SIGNED));
        let negative = _mm512_test_epi32_mask(lengths, sign);
        let lengths = _mm512_andnot_si512(sign, lengths);
        let digits = _mm512_mask_sub_epi32(lengths, negative, lengths, one);
        let empty = _mm512_testn_epi32_mask(digits, digits);
        let too_long = _mm512_cmpgt_epu32_mask(lengths, _mm512_set1_epi32(LONGEST as i32));

        let signed = _mm512_mask_or_epi32(numbers, negative, numbers, _mm512_set1_epi32(SIGN as i32));
        let one_before = _mm512_alignr_epi32::<15>(signed, before);
        let two_before = _mm512_alignr_epi32::<14>(signed, before);
        let names = _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(numbers, whole, one_before), fraction, two_before);
        let wholes = _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(one, whole, signed), fraction, one_before);
        let decimals = _mm512_slli_epi32::<DECIMALS_AT>(lengths);
        let fractions = _mm512_maskz_or_epi32(fraction, numbers, decimals);

        let too_large = last & _mm512_cmpge_epu32_mask(names, _mm512_set1_epi32(Code::NUMBERS as i32));
        if (empty & !optional | too_long | too_large) & within != 0 {
            return None;
        }
        let number = _mm512_set1_epi32(NUMBER as i32);
        let not_zero = _mm512_test_epi32_mask(_mm512_or_si512(wholes, fractions), number);
        let kept = last & not_zero & !(empty & !whole & !fraction);
        let codes = _mm512_or_si512(names, _mm512_set1_epi32(Code::NUMBERED as i32));
        Some(Found { numbers: signed, kept, codes, wholes, fractions })
    }
}
