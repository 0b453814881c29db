//! Registers, loaded and stored.

// Each load and store is in a function of its own that says why it may.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{GROUP, LANES};

/// The elements from `at` on, as many as a register holds.
#[inline(always)]
pub(super) fn chunk<T, const N: usize>(elements: &mut [T], at: usize) -> &mut [T; N] {
    match elements[at..].first_chunk_mut() {
        Some(chunk) => chunk,
        None => unreachable!("there is always room"),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(words: &[u32; LANES]) -> __m512i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_bytes(bytes: &[u8; GROUP]) -> __m512i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_sixteen(bytes: &[u8; LANES]) -> __m128i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_eight(words: &[u32; 8]) -> __m256i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(words: &mut [u32; LANES], register: __m512i) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_bytes(bytes: &mut [u8; GROUP], register: __m512i) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_eight(values: &mut [f32; 8], register: __m256) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), register) }
}
