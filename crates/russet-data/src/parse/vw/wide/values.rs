//! Values, made of the numbers before and after their points.

use std::arch::x86_64::*;

use super::registers::{load_eight, store_eight};
use crate::number;

/// Where the number of decimals is kept in a word: above all numbers of eight digits.
pub(super) const DECIMALS_AT: u32 = 27;

/// The bits of a word that are its number.
pub(super) const NUMBER: u32 = (1 << DECIMALS_AT) - 1;

pub(super) const SIGN: u32 = 1 << 31;

/// As [`number::rounded`], eight at a time; gives a bit for each value that another way has to find.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn write_eight_values(wholes: &[u32; 8], fractions: &[u32; 8], values: &mut [f32; 8]) -> __mmask8 {
    let (wholes, fractions) = (load_eight(wholes), load_eight(fractions));
    let number = _mm256_set1_epi32(NUMBER as i32);
    let double = |words: __m256i| _mm512_cvtepi32_pd(_mm256_and_si256(words, number));
    let decimals = _mm512_cvtepu32_epi64(_mm256_srli_epi32::<{ DECIMALS_AT as i32 }>(fractions));
    let powers =
        _mm512_permutex2var_pd(_mm512_setr_pd(1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7), decimals, _mm512_set1_pd(1e8));
    let inverse = _mm512_permutex2var_pd(
        _mm512_setr_pd(1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7),
        decimals,
        _mm512_set1_pd(1e-8),
    );
    // Exact below 2^53; rounded once above, as 16 digits may be. So the result is right to 3 units in the last place of a double, not 2.
    let mantissas = _mm512_fmadd_pd(double(wholes), powers, double(fractions));
    let exact = _mm512_mul_pd(mantissas, inverse);
    let beyond = _mm512_and_si512(_mm512_castpd_si512(exact), _mm512_set1_epi64(0x1fff_ffff));
    let from_middle = _mm512_sub_epi64(beyond, _mm512_set1_epi64(0x1000_0000 - 3));
    let sign = _mm256_and_si256(wholes, _mm256_set1_epi32(SIGN as i32));
    let rounded = _mm256_castps_si256(_mm512_cvtpd_ps(exact));
    store_eight(values, _mm256_castsi256_ps(_mm256_or_si256(rounded, sign)));
    _mm512_cmple_epu64_mask(from_middle, _mm512_set1_epi64(6))
}

/// The value of a feature, whatever it is.
#[cold]
pub(super) fn exact_value(whole: u32, fraction: u32) -> f32 {
    let sign = if whole & SIGN == 0 { "" } else { "-" };
    let decimals = (fraction >> DECIMALS_AT) as usize;
    let text = format!("{sign}{}.{:0decimals$}", whole & NUMBER, fraction & NUMBER);
    number::parse_whole(text.as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_unsure_are_found_exactly() {
        for (text, whole, fraction) in [
            ("-1.00000005", SIGN | 1, 8 << DECIMALS_AT | 5),
            ("16777217.0", 16_777_217, 1 << DECIMALS_AT),
            ("0.5", 0, 1 << DECIMALS_AT | 5),
        ] {
            assert_eq!(exact_value(whole, fraction).to_bits(), text.parse::<f32>().unwrap().to_bits());
        }
        assert_eq!(exact_value(16_777_217, 0), 16_777_216.0);
    }
}
