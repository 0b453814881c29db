//! Finding products sixteen at a time, with AVX-512.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::offset_of;
use std::ops::Range;

use super::Families;
use super::family::SCATTER;
use super::listing::{Aim, Confirm, Features};
use crate::weights::{Listed, Room, Slot, prefetch};

const WIDTH: usize = 16;

/// A table has fewer places than this: twice a place is an index of 31 bits.
pub(super) const MOST_PLACES: usize = 1 << 30;

#[inline]
#[target_feature(enable = "avx512f")]
fn all(number: u32) -> __m512i {
    _mm512_set1_epi32(number as i32)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn of_shift(shift: u32) -> __m128i {
    _mm_cvtsi32_si128(shift as i32)
}

/// How many lanes a mask has.
#[inline(always)]
fn count(mask: __mmask16) -> usize {
    mask.count_ones() as usize
}

/// The first `length` lanes, at most all.
#[inline(always)]
fn first(length: usize) -> __mmask16 {
    if length < WIDTH { (1 << length) - 1 } else { __mmask16::MAX }
}

/// [`super::plain::aim`]
///
/// # Safety
/// The processor has AVX-512. The family has places, and so a filter. The room is for all features and for sixteen more.
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn aim(aim: &Aim<'_>, Features { slots, values }: Features<'_>, room: Room<'_>) -> usize {
    let Room { places: to_places, slots: to_slots, values: to_values } = room;
    let Aim { family, late_from, weights, sealed } = *aim;
    debug_assert!(family.bits > 0 && slots.len() == values.len() && to_places.len() >= slots.len() + WIDTH);
    debug_assert!(to_slots.len() == to_places.len() && to_values.len() == to_places.len());
    let (start, half, hashed) = (all(family.start), all(family.half), all(family.start + family.half));
    let (shift, word_shift) = (of_shift(family.home_shift()), of_shift(family.filter.shift));
    let mut kept = 0;
    for (begin, sealed) in (0..slots.len()).step_by(WIDTH).zip(sealed.words()) {
        let there = first(slots.len() - begin);
        // SAFETY: the lanes that are there.
        let (slot, value) = unsafe {
            let slot = _mm512_maskz_loadu_epi32(there, slots.as_ptr().add(begin).cast());
            (slot, _mm512_maskz_loadu_ps(there, values.as_ptr().add(begin)))
        };
        let scattered = _mm512_mullo_epi32(slot, all(SCATTER));
        let direct = _mm512_cmplt_epu32_mask(slot, half) & there;
        let home = _mm512_add_epi32(hashed, _mm512_srl_epi32(scattered, shift));
        let home = _mm512_mask_add_epi32(home, direct, start, slot);
        // SAFETY: the filter has a word for each number that the shift leaves.
        let words = unsafe {
            let (zeros, word) = (_mm512_setzero_si512(), _mm512_srl_epi32(scattered, word_shift));
            _mm512_mask_i32gather_epi32::<4>(zeros, there & !direct, word, family.filter.words.as_ptr().cast())
        };
        let bits = bits_of(scattered);
        let may_have = direct | _mm512_mask_cmpeq_epi32_mask(there, _mm512_and_epi32(words, bits), bits);
        let in_time = _mm512_mask_cmplt_epu32_mask(there, slot, all(late_from));
        let listed = in_time | may_have & !sealed;
        let place = _mm512_mask_mov_epi32(all(Families::NEW), may_have, home);
        let place = _mm512_mask_mov_epi32(place, *sealed, all(Families::SEALED));
        // SAFETY: the room has a margin behind all that is listed.
        unsafe {
            let home = _mm512_maskz_compress_epi32(listed, home);
            _mm512_storeu_epi32(to_places.as_mut_ptr().add(kept).cast(), home);
            _mm512_storeu_epi32(to_slots.as_mut_ptr().add(kept).cast(), _mm512_maskz_compress_epi32(listed, slot));
            _mm512_storeu_ps(to_values.as_mut_ptr().add(kept), _mm512_maskz_compress_ps(listed, value));
        }
        let end = kept + count(listed);
        for home in &to_places[kept..end] {
            prefetch(weights, *home as usize);
        }
        // SAFETY: as above.
        unsafe {
            let place = _mm512_maskz_compress_epi32(listed, place);
            _mm512_storeu_epi32(to_places.as_mut_ptr().add(kept).cast(), place);
        }
        kept = end;
    }
    kept
}

/// [`super::family::bits_of`]
#[inline]
#[target_feature(enable = "avx512f")]
fn bits_of(scattered: __m512i) -> __m512i {
    let bit = |shifted| _mm512_sllv_epi32(all(1), _mm512_and_epi32(shifted, all(31)));
    let (one, two) = (bit(scattered), bit(_mm512_srli_epi32::<5>(scattered)));
    _mm512_or_epi32(_mm512_or_epi32(one, two), bit(_mm512_srli_epi32::<10>(scattered)))
}

/// [`super::plain::confirm`]
///
/// # Safety
/// The processor has AVX-512. All places of the row are in the table, which has fewer than [`MOST_PLACES`]; `to` is not behind the
/// row.
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn confirm(confirm: &Confirm<'_>, row: Range<usize>, to: usize, listed: &mut Listed) -> usize {
    debug_assert!(to <= row.start && confirm.weights.len() < MOST_PLACES);
    debug_assert!(listed.places[row.clone()].iter().all(|place| (*place as usize) < confirm.weights.len()));
    let (zero, late_from) = (_mm512_setzero_si512(), all(confirm.late_from));
    // SAFETY: the first key is inside the table, if there is any weight.
    let keys = unsafe { confirm.weights.as_ptr().cast::<u8>().add(offset_of!(Slot, key)) };
    let Room { places, slots, values } = listed.part(to..row.end);
    let mut kept = 0;
    for begin in (row.start - to..places.len()).step_by(WIDTH) {
        let there = first(places.len() - begin);
        // SAFETY: the lanes that are there; a place's key is 16 bytes times the place behind the first.
        let (place, slot, value, key) = unsafe {
            let place = _mm512_maskz_loadu_epi32(there, places.as_ptr().add(begin).cast());
            let slot = _mm512_maskz_loadu_epi32(there, slots.as_ptr().add(begin).cast());
            let value = _mm512_maskz_loadu_ps(there, values.as_ptr().add(begin));
            let key = _mm512_mask_i32gather_epi32::<8>(zero, there, _mm512_add_epi32(place, place), keys.cast());
            (place, slot, value, key)
        };
        let here = _mm512_mask_cmpeq_epi32_mask(there, key, slot);
        let mut other = _mm512_mask_cmpneq_epi32_mask(there & !here, key, zero);
        let mut listed = here | _mm512_cmplt_epu32_mask(slot, late_from) & there;
        // Nobody has the places for sealed and for new products.
        let mut place = _mm512_mask_min_epu32(place, !here, place, all(Families::NEW));
        while other != 0 {
            let lane = other.trailing_zeros();
            let found = confirm.search(slots[begin + lane as usize]);
            listed = listed & !(1 << lane) | u16::from(found.is_some()) << lane;
            place = _mm512_mask_set1_epi32(place, 1 << lane, found.unwrap_or(Families::NEW) as i32);
            other &= other - 1;
        }
        let (place, slot) = (_mm512_maskz_compress_epi32(listed, place), _mm512_maskz_compress_epi32(listed, slot));
        let value = _mm512_maskz_compress_ps(listed, value);
        // What is behind the row is not to be written over.
        let room = first(places.len() - kept);
        // SAFETY: the lanes that there is room for; nothing that is still to be read is among them.
        unsafe {
            if room == __mmask16::MAX {
                _mm512_storeu_epi32(places.as_mut_ptr().add(kept).cast(), place);
                _mm512_storeu_epi32(slots.as_mut_ptr().add(kept).cast(), slot);
                _mm512_storeu_ps(values.as_mut_ptr().add(kept), value);
            } else {
                _mm512_mask_storeu_epi32(places.as_mut_ptr().add(kept).cast(), room, place);
                _mm512_mask_storeu_epi32(slots.as_mut_ptr().add(kept).cast(), room, slot);
                _mm512_mask_storeu_ps(values.as_mut_ptr().add(kept), room, value);
            }
        }
        kept += count(listed);
    }
    kept
}
