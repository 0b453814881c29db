//! Scattered slots, eight at a time, and back.

use super::eight::Eight;
use super::tile::TILE;
use super::{BaseFeatures, Place, Row, Slot};

/// The places of a row's weights: `start` plus each of these.
#[inline(always)]
pub(super) fn places<'a>(row: &Row, base: &'a BaseFeatures) -> (usize, &'a [u32]) {
    let range = row.first as usize..row.end as usize;
    match row.place {
        Place::Own(start) => (start as usize, &base.slots[range]),
        Place::Listed => (0, &base.listed.places[range]),
        Place::Shared(_) | Place::Tiles(_) => unreachable!("not a row of scattered weights"),
    }
}

/// The weights, `G`, `N` and keys of eight weights.
///
/// # Safety
/// The places, from `start` on, are inside `slots`.
#[inline(always)]
pub(super) unsafe fn gather<E: Eight>(slots: &[Slot], start: usize, places: &[u32; TILE]) -> [E; 4] {
    let [a, b, c, d, e, f, g, h] = *places;
    // SAFETY: the caller's promise.
    unsafe {
        E::rows([
            at(slots, start, a),
            at(slots, start, b),
            at(slots, start, c),
            at(slots, start, d),
            at(slots, start, e),
            at(slots, start, f),
            at(slots, start, g),
            at(slots, start, h),
        ])
    }
}

/// # Safety
/// The place, from `start` on, is inside `slots`.
#[inline(always)]
unsafe fn at(slots: &[Slot], start: usize, place: u32) -> &[f32; 4] {
    // SAFETY: the caller's promise.
    bytemuck::cast_ref(unsafe { slots.get_unchecked(start + place as usize) })
}

/// Writes what [`gather`] has read back, the first one last.
///
/// # Safety
/// The places, from `start` on, are inside `slots`.
#[inline(always)]
pub(super) unsafe fn scatter<E: Eight>(slots: &mut [Slot], start: usize, places: &[u32; TILE], fresh: [E; 4]) {
    let fresh = E::columns(fresh);
    for lane in (0..TILE).rev() {
        // SAFETY: the caller's promise.
        unsafe { *slots.get_unchecked_mut(start + places[lane] as usize) = bytemuck::cast(fresh[lane]) };
    }
}
