//! Where a block's bytes are no digits, or where its words end: found for 64 bytes at a time, before anything is parsed.
//!
//! In a line of numbers, what is between two such *marks* is a number; a minus sign right after a colon is a part of it, and so no mark. A parser that knows them ahead need not come to the end of one
//! number to know where the next begins, so the processor works on several at once.

// One call of a function for what every x86-64 processor has.
#![allow(unsafe_code)]

/// The places of a block's marks, in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    places: Vec<u32>,
}

/// How many bytes are looked at together.
const STRETCH: usize = 64;

pub(super) type Stretch = [u8; STRETCH];

/// Places are written this many at once, wanted or not: most stretches have between one and two times as many.
const AT_ONCE: usize = 12;

impl Marks {
    /// Finds where a block, which has to be shorter than 4 GiB, has no digits, by the kinds of its bytes.
    #[inline(always)]
    pub(super) fn find(&mut self, bytes: &[u8], kinds: impl Fn(&Stretch) -> Kinds) -> &[u32] {
        let mut after_colon = 0;
        self.find_bits(bytes, |stretch| kinds(stretch).marks(&mut after_colon))
    }

    /// Finds where the words of such a block end, by a bit for each such byte; `0` is none.
    #[inline(always)]
    pub(super) fn find_bits(&mut self, bytes: &[u8], mut bits: impl FnMut(&Stretch) -> u64) -> &[u32] {
        // A place for each byte, and room for what is written too much.
        let most = bytes.len() + 2 * AT_ONCE;
        if self.places.len() < most {
            // Memory that is never written to costs nothing.
            self.places = vec![0; most.next_power_of_two()];
        }
        let mut count = 0;
        let (stretches, rest) = bytes.as_chunks();
        for (number, stretch) in stretches.iter().enumerate() {
            count += write(bits(stretch), (number * STRETCH) as u32, &mut self.places[count..]);
        }
        let mut last = [b'0'; STRETCH];
        last[..rest.len()].copy_from_slice(rest);
        count += write(bits(&last), (bytes.len() - rest.len()) as u32, &mut self.places[count..]);
        &self.places[..count]
    }
}

/// Writes the places of the bits that are set, counted from `start`; gives their number.
#[inline(always)]
fn write(mut bits: u64, start: u32, places: &mut [u32]) -> usize {
    let count = bits.count_ones() as usize;
    let (first, rest) = places.split_at_mut(AT_ONCE);
    write_all(&mut bits, start, first);
    if count > AT_ONCE {
        let (second, rest) = rest.split_at_mut(AT_ONCE);
        write_all(&mut bits, start, second);
        if count > 2 * AT_ONCE {
            write_all(&mut bits, start, &mut rest[..count - 2 * AT_ONCE]);
        }
    }
    count
}

/// Writes as many places as there is room for, and takes their bits away; anything where no bits are left.
#[inline(always)]
fn write_all(bits: &mut u64, start: u32, places: &mut [u32]) {
    for place in places {
        *place = start + bits.trailing_zeros();
        *bits &= bits.wrapping_sub(1);
    }
}

/// What the bytes of a stretch are: a bit for each, the first byte's lowest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) digits: u64,
    pub(super) colons: u64,
    pub(super) minuses: u64,
}

impl Kinds {
    /// A bit for each mark. `after_colon` is as for [`Kinds::signs`].
    #[inline(always)]
    fn marks(&self, after_colon: &mut u64) -> u64 {
        !(self.digits | self.signs(after_colon))
    }

    /// A bit for each minus sign that is part of a number. `after_colon` is 1 if the byte before the first one is a colon; then it is set for the next stretch.
    #[inline(always)]
    pub(super) fn signs(&self, after_colon: &mut u64) -> u64 {
        let signs = self.minuses & (self.colons << 1 | *after_colon);
        *after_colon = self.colons >> (STRETCH - 1);
        signs
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn of(stretch: &Stretch) -> Kinds {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Kinds::of_with_sse2(stretch) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn of(stretch: &Stretch) -> Kinds {
        Kinds::of_plainly(stretch)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse2")]
    #[inline]
    fn of_with_sse2(stretch: &Stretch) -> Kinds {
        use std::arch::x86_64::{
            _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8, _mm_sub_epi8,
        };
        let (words, _) = stretch.as_chunks::<16>();
        let [zero, nine, colon, minus] = [b'0', 9, b':', b'-'].map(|byte| _mm_set1_epi8(byte as i8));
        let mut kinds = Kinds { digits: 0, colons: 0, minuses: 0 };
        for (number, word) in words.iter().enumerate() {
            let word = u128::from_le_bytes(*word);
            let word = _mm_set_epi64x((word >> 64) as i64, word as i64);
            let above_zero = _mm_sub_epi8(word, zero);
            let digits = _mm_cmpeq_epi8(_mm_min_epu8(above_zero, nine), above_zero);
            kinds.digits |= u64::from(_mm_movemask_epi8(digits) as u32) << (16 * number);
            kinds.colons |= u64::from(_mm_movemask_epi8(_mm_cmpeq_epi8(word, colon)) as u32) << (16 * number);
            kinds.minuses |= u64::from(_mm_movemask_epi8(_mm_cmpeq_epi8(word, minus)) as u32) << (16 * number);
        }
        kinds
    }

    /// As [`Kinds::of`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn of_with_avx2(stretch: &Stretch) -> Kinds {
        use std::arch::x86_64::{
            _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8,
            _mm256_sub_epi8,
        };
        let (words, _) = stretch.as_chunks::<8>();
        let [zero, nine, colon, minus] = [b'0', 9, b':', b'-'].map(|byte| _mm256_set1_epi8(byte as i8));
        let mut kinds = Kinds { digits: 0, colons: 0, minuses: 0 };
        for (number, half) in words.as_chunks::<4>().0.iter().enumerate() {
            let [first, second, third, fourth] = half.map(i64::from_le_bytes);
            let word = _mm256_set_epi64x(fourth, third, second, first);
            let above_zero = _mm256_sub_epi8(word, zero);
            let digits = _mm256_cmpeq_epi8(_mm256_min_epu8(above_zero, nine), above_zero);
            kinds.digits |= u64::from(_mm256_movemask_epi8(digits) as u32) << (32 * number);
            kinds.colons |= u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(word, colon)) as u32) << (32 * number);
            kinds.minuses |= u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(word, minus)) as u32) << (32 * number);
        }
        kinds
    }

    /// As [`Kinds::of`], on any processor.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn of_plainly(stretch: &Stretch) -> Kinds {
        let bits = |is: fn(u8) -> bool| {
            stretch.iter().enumerate().fold(0, |bits, (place, byte)| bits | u64::from(is(*byte)) << place)
        };
        Kinds {
            digits: bits(|byte| byte.is_ascii_digit()),
            colons: bits(|byte| byte == b':'),
            minuses: bits(|byte| byte == b'-'),
        }
    }
}

/// What ends a name or a value.
const ENDS: [u8; 6] = *b" :|\n\t\r";

/// A bit for each byte of a stretch that ends a name or a value, the first byte's lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn word_ends(stretch: &Stretch) -> u64 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { word_ends_with_sse2(stretch) }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn word_ends(stretch: &Stretch) -> u64 {
    word_ends_plainly(stretch)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn word_ends_with_sse2(stretch: &Stretch) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let (words, _) = stretch.as_chunks::<16>();
    let ends = ENDS.map(|end| _mm_set1_epi8(end as i8));
    words.iter().enumerate().fold(0, |bits, (number, word)| {
        let word = u128::from_le_bytes(*word);
        let word = _mm_set_epi64x((word >> 64) as i64, word as i64);
        let [a, b, c, d, e, f] = ends.map(|end| _mm_cmpeq_epi8(word, end));
        let all = _mm_or_si128(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)), _mm_or_si128(e, f));
        bits | u64::from(_mm_movemask_epi8(all) as u32) << (16 * number)
    })
}

/// As [`word_ends`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn word_ends_with_avx2(stretch: &Stretch) -> u64 {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi8,
    };
    let (words, _) = stretch.as_chunks::<8>();
    let ends = ENDS.map(|end| _mm256_set1_epi8(end as i8));
    words.as_chunks::<4>().0.iter().enumerate().fold(0, |bits, (number, half)| {
        let [first, second, third, fourth] = half.map(i64::from_le_bytes);
        let word = _mm256_set_epi64x(fourth, third, second, first);
        let [a, b, c, d, e, f] = ends.map(|end| _mm256_cmpeq_epi8(word, end));
        let all = _mm256_or_si256(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)), _mm256_or_si256(e, f));
        bits | u64::from(_mm256_movemask_epi8(all) as u32) << (32 * number)
    })
}

/// As [`word_ends`], on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn word_ends_plainly(stretch: &Stretch) -> u64 {
    stretch.iter().enumerate().fold(0, |bits, (place, byte)| bits | u64::from(ENDS.contains(byte)) << place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_mark_is_found(bytes in prop::collection::vec(prop_oneof![b'0'..=b'9', b'-'..b'<', any::<u8>()], 0..300)) {
            let is_mark = |place: usize| match bytes[place] {
                b'-' => place == 0 || bytes[place - 1] != b':',
                byte => !byte.is_ascii_digit(),
            };
            let expected = (0..bytes.len()).filter(|place| is_mark(*place)).map(|place| place as u32);
            let mut marks = Marks::default();
            // What was found before makes no difference.
            marks.find(&[b' '; 100], Kinds::of);
            prop_assert_eq!(marks.find(&bytes, Kinds::of), expected.collect::<Vec<_>>());
        }

        #[test]
        fn all_versions_agree(
            any in prop::array::uniform32(prop_oneof![any::<u8>(), prop::sample::select(&ENDS)]),
            near in prop::array::uniform32(b'-'..b'<'),
        ) {
            let mut stretch = [0; STRETCH];
            stretch[..32].copy_from_slice(&any);
            stretch[32..].copy_from_slice(&near);
            let expected = Kinds::of_plainly(&stretch);
            prop_assert_eq!(&Kinds::of(&stretch), &expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function is compiled for.
                prop_assert_eq!(&unsafe { Kinds::of_with_avx2(&stretch) }, &expected);
                // SAFETY: as above.
                prop_assert_eq!(unsafe { word_ends_with_avx2(&stretch) }, word_ends_plainly(&stretch));
            }
            prop_assert_eq!(word_ends(&stretch), word_ends_plainly(&stretch));
        }
    }
}
