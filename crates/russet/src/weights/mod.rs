//! Where weights live, and the three loops that touch them: score, measure, apply.
//!
//! A weight and its learning state are one 16-byte [`Slot`], so that a scattered access costs one cache line.
//! The active features of an example are given as [`Row`]s over its base features: a row is one monomial `m`
//! times each of a range of the base features. The linear part is one row with `m = 1`; a quadratic expansion
//! has a row for each base feature. So no product is ever written out: a row's values are made in the loop.
//!
//! Sums run in 8 lanes, the position in the row modulo 8, whatever the processor, and row by row, so that rows need not wait for
//! each other; results are therefore the same bits everywhere. `plain` says each loop in the obvious way and is the oracle; `wide` computes the
//! same, eight at a time.

// The loops index without bounds checks: expansions make rows that fit their table (`WeightTable::holds`).
#![allow(unsafe_code)]

mod cpu;
mod eight;
mod listed;
mod loops;
mod memory;
mod plain;
mod row;
mod scatter;
mod shared;
mod single;
mod slot;
mod table;
mod tile;
mod tiles;
mod wide;

pub use cpu::Cpu;
pub(crate) use cpu::Work;
pub use listed::Listed;
pub(crate) use listed::Room;
pub(crate) use loops::{Loops, Plain, Scratch};
pub(crate) use memory::{extend_with_zeros, make_place, make_room, reserve_to_fill, room_to_fill, zeros_to_fill};
pub(crate) use row::Rows;
pub use row::{BaseFeatures, Place, Row};
pub(crate) use single::{Features, Hand};
pub use slot::Slot;
pub(crate) use table::unpacked;
pub use table::{Measured, Moments, WeightTable};
pub(crate) use tile::TILE;
pub(crate) use wide::{Span, write_products};

/// How many partial sums a loop keeps.
pub(crate) const LANES: usize = TILE;

/// Eight partial sums.
pub(crate) type Lanes = [f32; LANES];

/// Asks for the memory of an element that is soon to be met.
#[inline(always)]
pub(crate) fn prefetch<T>(all: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = all.get(place) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing, and the address is that of an element.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
}

/// How many bytes processors move at once between memory and their caches.
pub(crate) const CACHE_LINE: usize = 64;

/// Asks for the memory of the next `count` elements behind the end of `all`, which will be written soon: another core may have it.
#[inline(always)]
pub(crate) fn prefetch_behind<T>(all: &[T], count: usize) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..count * size_of::<T>()).step_by(CACHE_LINE) {
        let address = all.as_ptr().wrapping_add(all.len()).wrapping_byte_add(byte);
        // SAFETY: a prefetch changes nothing, whatever the address is.
        unsafe { std::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags)) };
    }
}

/// Adds up partial sums in a fixed order: halves onto halves.
#[inline(always)]
pub(crate) fn sum(lanes: &Lanes) -> f32 {
    let mut sums = *lanes;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// A finite value: products of finite values may pass the range.
#[inline(always)]
pub(crate) fn bounded(value: f32) -> f32 {
    between(value, -f32::MAX, f32::MAX)
}

/// `value` within a range, as two selections that are one instruction each; "not a number" becomes `high`.
#[inline(always)]
pub(crate) fn between(value: f32, low: f32, high: f32) -> f32 {
    at_least(at_most(value, high), low)
}

/// The smaller of the two; `limit` for "not a number".
#[inline(always)]
pub(crate) fn at_most(value: f32, limit: f32) -> f32 {
    if value < limit { value } else { limit }
}

/// The larger of the two; `limit` for "not a number".
#[inline(always)]
pub(crate) fn at_least(value: f32, limit: f32) -> f32 {
    if value > limit { value } else { limit }
}

/// Values this small are lifted to it, sign kept, when they are squared: below, squares leave the range of
/// normal numbers, where arithmetic is a hundred times slower.
pub(crate) const SMALLEST: f32 = 1.084_202_2e-19;
