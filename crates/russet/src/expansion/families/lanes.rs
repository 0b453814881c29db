//! As many numbers as a register holds: what finding products is written in.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Not};

/// Numbers in one register, and masks that say which of them are meant.
pub(super) trait Lanes: Copy + Add<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> {
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    const WIDTH: usize;

    fn all(number: u32) -> Self;

    /// As many as there are, up to all, and zeros behind them.
    fn load(numbers: &[u32]) -> Self;

    /// Writes as many as there is room for.
    fn store(self, room: &mut [u32]);

    /// The numbers `index` times `SCALE` bytes behind `start`; 0 where the mask has none.
    ///
    /// # Safety
    /// They may be read.
    unsafe fn gather<const SCALE: i32>(start: *const u32, index: Self, mask: Self::Mask) -> Self;

    fn times(self, other: Self) -> Self;

    fn shifted_down(self, by: u32) -> Self;

    /// 1, shifted up by each number, of which the lowest five bits count.
    fn bit(self) -> Self;

    fn at_most(self, limit: Self) -> Self;

    fn is(self, other: Self) -> Self::Mask;

    fn is_below(self, limit: Self) -> Self::Mask;

    /// Of `one` where the mask has a lane, otherwise of `other`.
    fn select(mask: Self::Mask, one: Self, other: Self) -> Self;

    /// Those that the mask has, one after the other; what follows them is any number.
    fn compress(self, mask: Self::Mask) -> Self;

    /// The first lanes, up to all.
    fn first(length: usize) -> Self::Mask;

    /// Those lanes whose bit is set.
    fn mask(bits: u16) -> Self::Mask;

    fn bits(mask: Self::Mask) -> u16;
}

/// An operation of the processor.
macro_rules! on_processor {
    ($operation:expr) => {
        // SAFETY: only code that is compiled for what the processor has names the type. What is read or written is a whole slice,
        // or the part of one that a mask says.
        unsafe { $operation }
    };
}

macro_rules! operators {
    ($type:ident: $($name:ident, $method:ident, $operation:ident;)*) => {
        $(impl $name for $type {
            type Output = $type;

            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                $type(on_processor!($operation(self.0, other.0)))
            }
        })*
    };
}
operators!(Sixteen: Add, add, _mm512_add_epi32; BitAnd, bitand, _mm512_and_si512; BitOr, bitor, _mm512_or_si512;);
operators!(Eight: Add, add, _mm256_add_epi32; BitAnd, bitand, _mm256_and_si256; BitOr, bitor, _mm256_or_si256;);
operators!(Mask: BitAnd, bitand, _mm256_and_si256; BitOr, bitor, _mm256_or_si256;);

/// Sixteen, with AVX-512: only code that is compiled for it names this type.
#[derive(Clone, Copy)]
pub(super) struct Sixteen(__m512i);

impl Lanes for Sixteen {
    type Mask = __mmask16;

    const WIDTH: usize = 16;

    #[inline(always)]
    fn all(number: u32) -> Sixteen {
        Sixteen(on_processor!(_mm512_set1_epi32(number as i32)))
    }

    #[inline(always)]
    fn load(numbers: &[u32]) -> Sixteen {
        let there = Sixteen::first(numbers.len());
        Sixteen(on_processor!(_mm512_maskz_loadu_epi32(there, numbers.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, room: &mut [u32]) {
        let there = Sixteen::first(room.len());
        // A store with a mask takes longer.
        if there == __mmask16::MAX {
            on_processor!(_mm512_storeu_epi32(room.as_mut_ptr().cast(), self.0));
        } else {
            on_processor!(_mm512_mask_storeu_epi32(room.as_mut_ptr().cast(), there, self.0));
        }
    }

    /// # Safety
    /// See [`Lanes::gather`].
    #[inline(always)]
    unsafe fn gather<const SCALE: i32>(start: *const u32, index: Sixteen, mask: __mmask16) -> Sixteen {
        let zeros = on_processor!(_mm512_setzero_si512());
        // SAFETY: the caller's promise.
        Sixteen(unsafe { _mm512_mask_i32gather_epi32::<SCALE>(zeros, mask, index.0, start.cast()) })
    }

    #[inline(always)]
    fn times(self, other: Sixteen) -> Sixteen {
        Sixteen(on_processor!(_mm512_mullo_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn shifted_down(self, by: u32) -> Sixteen {
        Sixteen(on_processor!(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(by as i32))))
    }

    #[inline(always)]
    fn bit(self) -> Sixteen {
        let [one, by] = [Sixteen::all(1), self & Sixteen::all(31)];
        Sixteen(on_processor!(_mm512_sllv_epi32(one.0, by.0)))
    }

    #[inline(always)]
    fn at_most(self, limit: Sixteen) -> Sixteen {
        Sixteen(on_processor!(_mm512_min_epu32(self.0, limit.0)))
    }

    #[inline(always)]
    fn is(self, other: Sixteen) -> __mmask16 {
        on_processor!(_mm512_cmpeq_epi32_mask(self.0, other.0))
    }

    #[inline(always)]
    fn is_below(self, limit: Sixteen) -> __mmask16 {
        on_processor!(_mm512_cmplt_epu32_mask(self.0, limit.0))
    }

    #[inline(always)]
    fn select(mask: __mmask16, one: Sixteen, other: Sixteen) -> Sixteen {
        Sixteen(on_processor!(_mm512_mask_mov_epi32(other.0, mask, one.0)))
    }

    #[inline(always)]
    fn compress(self, mask: __mmask16) -> Sixteen {
        Sixteen(on_processor!(_mm512_maskz_compress_epi32(mask, self.0)))
    }

    #[inline(always)]
    fn first(length: usize) -> __mmask16 {
        if length < Sixteen::WIDTH { (1 << length) - 1 } else { __mmask16::MAX }
    }

    #[inline(always)]
    fn mask(bits: u16) -> __mmask16 {
        bits
    }

    #[inline(always)]
    fn bits(mask: __mmask16) -> u16 {
        mask
    }
}

/// Eight, with AVX2: only code that is compiled for it names this type.
#[derive(Clone, Copy)]
pub(super) struct Eight(__m256i);

/// Lanes of [`Eight`]: all bits of those that are meant.
#[derive(Clone, Copy)]
pub(super) struct Mask(__m256i);

impl Not for Mask {
    type Output = Mask;

    #[inline(always)]
    fn not(self) -> Mask {
        Mask(on_processor!(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1))))
    }
}

impl Lanes for Eight {
    type Mask = Mask;

    const WIDTH: usize = 8;

    #[inline(always)]
    fn all(number: u32) -> Eight {
        Eight(on_processor!(_mm256_set1_epi32(number as i32)))
    }

    #[inline(always)]
    fn load(numbers: &[u32]) -> Eight {
        Eight(on_processor!(_mm256_maskload_epi32(numbers.as_ptr().cast(), Eight::first(numbers.len()).0)))
    }

    #[inline(always)]
    fn store(self, room: &mut [u32]) {
        // Here, too, a store with a mask takes longer.
        if room.len() >= Eight::WIDTH {
            on_processor!(_mm256_storeu_si256(room.as_mut_ptr().cast(), self.0));
        } else {
            on_processor!(_mm256_maskstore_epi32(room.as_mut_ptr().cast(), Eight::first(room.len()).0, self.0));
        }
    }

    /// # Safety
    /// See [`Lanes::gather`].
    #[inline(always)]
    unsafe fn gather<const SCALE: i32>(start: *const u32, index: Eight, mask: Mask) -> Eight {
        let zeros = on_processor!(_mm256_setzero_si256());
        // SAFETY: the caller's promise.
        Eight(unsafe { _mm256_mask_i32gather_epi32::<SCALE>(zeros, start.cast(), index.0, mask.0) })
    }

    #[inline(always)]
    fn times(self, other: Eight) -> Eight {
        Eight(on_processor!(_mm256_mullo_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn shifted_down(self, by: u32) -> Eight {
        Eight(on_processor!(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(by as i32))))
    }

    #[inline(always)]
    fn bit(self) -> Eight {
        let [one, by] = [Eight::all(1), self & Eight::all(31)];
        Eight(on_processor!(_mm256_sllv_epi32(one.0, by.0)))
    }

    #[inline(always)]
    fn at_most(self, limit: Eight) -> Eight {
        Eight(on_processor!(_mm256_min_epu32(self.0, limit.0)))
    }

    #[inline(always)]
    fn is(self, other: Eight) -> Mask {
        Mask(on_processor!(_mm256_cmpeq_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn is_below(self, limit: Eight) -> Mask {
        // There is no comparison of numbers without a sign.
        !Mask(on_processor!(_mm256_cmpeq_epi32(_mm256_max_epu32(self.0, limit.0), self.0)))
    }

    #[inline(always)]
    fn select(mask: Mask, one: Eight, other: Eight) -> Eight {
        Eight(on_processor!(_mm256_blendv_epi8(other.0, one.0, mask.0)))
    }

    #[inline(always)]
    fn compress(self, mask: Mask) -> Eight {
        let order = &ORDERS[usize::from(Eight::bits(mask))];
        Eight(on_processor!(_mm256_permutevar8x32_epi32(
            self.0,
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()))
        )))
    }

    #[inline(always)]
    fn first(length: usize) -> Mask {
        let lanes = on_processor!(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        Mask(on_processor!(_mm256_cmpgt_epi32(_mm256_set1_epi32(length.min(Eight::WIDTH) as i32), lanes)))
    }

    #[inline(always)]
    fn mask(bits: u16) -> Mask {
        let lanes = Eight(on_processor!(_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)));
        (Eight::all(bits.into()) & lanes).is(lanes)
    }

    #[inline(always)]
    fn bits(mask: Mask) -> u16 {
        on_processor!(_mm256_movemask_ps(_mm256_castsi256_ps(mask.0))) as u16
    }
}

/// For each mask of eight lanes, which lanes it has, in their order.
static ORDERS: [[u8; 8]; 256] = orders();

const fn orders() -> [[u8; 8]; 256] {
    let mut orders = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                orders[bits][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    orders
}
