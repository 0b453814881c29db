//! Finding products as many at a time as a register has lanes, with AVX-512 or AVX2.

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::ops::Range;

use super::Families;
use super::family::SCATTER;
use super::lanes::{Eight, Lanes, Sixteen};
use super::listing::{Aim, Confirm, Features};
use crate::weights::{Listed, Room, Slot, prefetch};

/// A table has fewer places than this: twice a place is an index of 31 bits.
pub(super) const MOST_PLACES: usize = 1 << 30;

/// How many homes are found before their memory is asked for. How many there are of a few features cannot be foreseen, and a loop over
/// them that ends unforeseen waits for all that was found so far.
const HOMES: usize = 64;

/// [`super::plain::aim`], with AVX-512.
///
/// # Safety
/// The processor has it. The family has places, and so a filter.
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn aim_with_avx512(aim: &Aim<'_>, features: Features<'_>, room: Room<'_>) -> usize {
    // SAFETY: the caller's promise.
    unsafe { self::aim::<Sixteen>(aim, features, room) }
}

/// The same with AVX2.
///
/// # Safety
/// As above.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn aim_with_avx2(aim: &Aim<'_>, features: Features<'_>, room: Room<'_>) -> usize {
    // SAFETY: the caller's promise.
    unsafe { self::aim::<Eight>(aim, features, room) }
}

/// [`super::plain::confirm`], with AVX-512.
///
/// # Safety
/// The processor has it. All places of the row are in the table, which has fewer than [`MOST_PLACES`].
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn confirm_with_avx512(
    confirm: &Confirm<'_>,
    row: Range<usize>,
    to: usize,
    listed: &mut Listed,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { self::confirm::<Sixteen>(confirm, row, to, listed) }
}

/// The same with AVX2.
///
/// # Safety
/// As above.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn confirm_with_avx2(
    confirm: &Confirm<'_>,
    row: Range<usize>,
    to: usize,
    listed: &mut Listed,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { self::confirm::<Eight>(confirm, row, to, listed) }
}

/// # Safety
/// The family has places, and so a filter.
#[inline(always)]
unsafe fn aim<L: Lanes>(aim: &Aim<'_>, Features { slots, values }: Features<'_>, room: Room<'_>) -> usize {
    let Room { places: to_places, slots: to_slots, values: to_values } = room;
    let (values, to_values) = (bytemuck::cast_slice(values), bytemuck::cast_slice_mut(to_values));
    let Aim { family, late_from, weights, sealed } = *aim;
    debug_assert!(family.bits > 0);
    let (start, half, hashed) = (L::all(family.start), L::all(family.half), L::all(family.start + family.half));
    let (mut kept, mut asked, mut homes) = (0, 0, [0; HOMES + Sixteen::WIDTH]);
    for begin in (0..slots.len()).step_by(L::WIDTH) {
        let (slot, value) = (L::load(&slots[begin..]), L::load(&values[begin..]));
        let (there, sealed) = (L::first(slots.len() - begin), L::mask(sealed.bits_from(begin)));
        let scattered = slot.times(L::all(SCATTER));
        let direct = slot.is_below(half) & there;
        let home = L::select(direct, start + slot, hashed + scattered.shifted_down(family.home_shift()));
        let (word, filter) = (scattered.shifted_down(family.filter.shift), &family.filter.words);
        // SAFETY: the filter has a word for each number that the shift leaves.
        let words = unsafe { L::gather::<4>(filter.as_ptr(), word, there & !direct) };
        let bits = bits_of(scattered);
        let may_have = direct | (words & bits).is(bits) & there;
        let listed = slot.is_below(L::all(late_from)) & there | may_have & !sealed;
        let place = L::select(may_have, home, L::all(Families::NEW));
        let place = L::select(sealed, L::all(Families::SEALED), place);
        home.compress(listed).store(&mut homes[kept - asked..]);
        place.compress(listed).store(&mut to_places[kept..]);
        slot.compress(listed).store(&mut to_slots[kept..]);
        value.compress(listed).store(&mut to_values[kept..]);
        kept += L::bits(listed).count_ones() as usize;
        if kept - asked > HOMES {
            homes[..kept - asked].iter().for_each(|home| prefetch(weights, *home as usize));
            asked = kept;
        }
    }
    homes[..kept - asked].iter().for_each(|home| prefetch(weights, *home as usize));
    kept
}

/// [`super::family::bits_of`]
#[inline(always)]
fn bits_of<L: Lanes>(scattered: L) -> L {
    scattered.bit() | scattered.shifted_down(5).bit() | scattered.shifted_down(10).bit()
}

/// # Safety
/// All places of the row are in the table, which has fewer than [`MOST_PLACES`].
#[inline(always)]
unsafe fn confirm<L: Lanes>(confirm: &Confirm<'_>, row: Range<usize>, to: usize, listed: &mut Listed) -> usize {
    debug_assert!(to <= row.start && confirm.weights.len() < MOST_PLACES);
    debug_assert!(listed.places[row.clone()].iter().all(|place| (*place as usize) < confirm.weights.len()));
    let (zero, late_from) = (L::all(0), L::all(confirm.late_from));
    // SAFETY: the first key is inside the table, if there is any weight.
    let keys = unsafe { confirm.weights.as_ptr().cast::<u8>().add(offset_of!(Slot, key)) };
    let Room { places, slots, values } = listed.part(to..row.end);
    let values: &mut [u32] = bytemuck::cast_slice_mut(values);
    let mut kept = 0;
    for begin in (row.start - to..places.len()).step_by(L::WIDTH) {
        let (place, slot) = (L::load(&places[begin..]), L::load(&slots[begin..]));
        let (value, there) = (L::load(&values[begin..]), L::first(places.len() - begin));
        // SAFETY: a place's key is 16 bytes times the place behind the first.
        let key = unsafe { L::gather::<8>(keys.cast(), place + place, there) };
        let here = key.is(slot) & there;
        let mut listed = here | slot.is_below(late_from) & there;
        // Nobody has the places for sealed and for new products.
        let mut place = L::select(here, place, place.at_most(L::all(Families::NEW)));
        let mut other = L::bits(there & !here & !key.is(zero));
        while other != 0 {
            let (lane, found) = (other.trailing_zeros() as usize, other & other.wrapping_neg());
            let (other_place, lane) = (confirm.search(slots[begin + lane]), L::mask(found));
            listed = if other_place.is_some() { listed | lane } else { listed & !lane };
            place = L::select(lane, L::all(other_place.unwrap_or(Families::NEW)), place);
            other &= other - 1;
        }
        place.compress(listed).store(&mut places[kept..]);
        slot.compress(listed).store(&mut slots[kept..]);
        value.compress(listed).store(&mut values[kept..]);
        kept += L::bits(listed).count_ones() as usize;
    }
    kept
}
