//! The tokens of a block, and the numbers they write.

use std::arch::x86_64::*;

use super::registers::{chunk, load_bytes, store, store_bytes};
use super::{GROUP, LANES};
use crate::parse::vw::marks::Kinds;

/// The tokens of a block, one an element of each; there may be more elements than tokens.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// The place of the mark that ends it.
    pub(super) places: Vec<u32>,
    /// The byte there.
    pub(super) kinds: Vec<u8>,
    /// How long it is, and whether it has a [sign](SIGNED). Of those too long to be read any length that is too long.
    pub(super) lengths: Vec<u8>,
    /// The number it writes, without its sign.
    pub(super) numbers: Vec<u32>,
}

/// What is added to the length of a token that begins with a minus sign.
pub(super) const SIGNED: u8 = 0x80;

impl Tokens {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find(&mut self, bytes: &[u8]) {
        // One for each byte, and room for what is written or read too much.
        let most = bytes.len() + 2 * GROUP;
        if self.places.len() < most {
            // Memory that is never written to costs nothing.
            let length = most.next_power_of_two();
            *self = Tokens {
                places: vec![0; length],
                kinds: vec![0; length],
                lengths: vec![0; length],
                numbers: vec![0; length],
            };
        }
        let (places, kinds) = (&mut self.places[..most], &mut self.kinds[..most]);
        let (lengths, numbers) = (&mut self.lengths[..most], &mut self.numbers[..most]);
        let (stretches, rest) = bytes.as_chunks();
        let mut last = [b'0'; GROUP];
        last[..rest.len()].copy_from_slice(rest);
        let mut count = 0;
        let mut before = BytesBefore { bytes: _mm512_setzero_si512(), after_colon: 0, in_signed: false, last_mark: -1 };
        for (number, stretch) in stretches.iter().chain([&last]).enumerate() {
            let found = Stretch::read(load_bytes(stretch), &mut before);
            store_bytes(chunk(kinds, count), found.kinds);
            store_bytes(chunk(lengths, count), found.signed_lengths);
            found.write_numbers(0, chunk(numbers, count));
            found.write_numbers(1, chunk(numbers, count + LANES));
            let start = (number * GROUP) as u32;
            found.write_places::<0>(start, chunk(places, count));
            found.write_places::<1>(start, chunk(places, count + LANES));
            if found.count > 2 * LANES {
                found.write_numbers(2, chunk(numbers, count + 2 * LANES));
                found.write_numbers(3, chunk(numbers, count + 3 * LANES));
                found.write_places::<2>(start, chunk(places, count + 2 * LANES));
                found.write_places::<3>(start, chunk(places, count + 3 * LANES));
            }
            count += found.count;
        }
    }
}

/// What 64 bytes have to know of those before them.
struct BytesBefore {
    bytes: __m512i,
    /// 1 if the last one is a colon.
    after_colon: u64,
    /// Whether they end within a token that has a sign.
    in_signed: bool,
    /// Where the last mark is, counted from the end; if that is further than 64 bytes away, there.
    last_mark: i8,
}

/// The tokens that end within 64 bytes: a byte of each register for one of them.
struct Stretch {
    count: usize,
    /// The 64 bytes before.
    before: __m512i,
    bytes: __m512i,
    /// Where the tokens end.
    ends: __m512i,
    kinds: __m512i,
    lengths: __m512i,
    signed_lengths: __m512i,
}

impl Stretch {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn read(bytes: __m512i, before: &mut BytesBefore) -> Stretch {
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
        let above_zero = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'0' as i8));
        let digits = _mm512_cmplt_epu8_mask(above_zero, _mm512_set1_epi8(10));
        let kinds = Kinds { digits, colons: is(b':'), minuses: is(b'-') };
        let signs = kinds.signs(&mut before.after_colon);
        let inside = digits | signs;
        // From each sign on, a carry runs to the mark that ends its token.
        let (sum, carried) = inside.overflowing_add(signs);
        let (sum, carried_on) = sum.overflowing_add(u64::from(before.in_signed));
        before.in_signed = carried | carried_on;
        let counted = load_bytes(&COUNTED);
        let ends = _mm512_maskz_compress_epi8(!inside, counted);
        let shifted = _mm512_permutexvar_epi8(_mm512_sub_epi8(counted, _mm512_set1_epi8(1)), ends);
        let marks_before = _mm512_mask_mov_epi8(shifted, 1, _mm512_set1_epi8(before.last_mark));
        let lengths = _mm512_sub_epi8(_mm512_sub_epi8(ends, marks_before), _mm512_set1_epi8(1));
        let signed = _pext_u64(sum, !inside);
        let found = Stretch {
            count: inside.count_zeros() as usize,
            before: before.bytes,
            bytes,
            ends,
            kinds: _mm512_maskz_compress_epi8(!inside, bytes),
            lengths,
            signed_lengths: _mm512_mask_add_epi8(lengths, signed, lengths, _mm512_set1_epi8(SIGNED as i8)),
        };
        before.bytes = bytes;
        before.last_mark = -1 - (!inside).leading_zeros() as i8;
        found
    }

    /// Writes where tokens end, the 16 from 16 times `PART` on; the stretch begins at `start`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_places<const PART: i32>(&self, start: u32, places: &mut [u32; LANES]) {
        let ends = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<PART>(self.ends));
        store(places, _mm512_add_epi32(ends, _mm512_set1_epi32(start as i32)));
    }

    /// Writes the numbers that tokens of up to eight bytes write, the 16 from 16 times `part` on. A minus sign counts as a zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_numbers(&self, part: i8, numbers: &mut [u32; LANES]) {
        let first = _mm512_set1_epi8(part * LANES as i8);
        // Where both are packed, neighbours come together.
        let even = self.fours(_mm512_add_epi8(load_bytes(&EVEN), first));
        let odd = self.fours(_mm512_add_epi8(load_bytes(&ODD), first));
        let ten_thousands = _mm512_set1_epi32(1 << 16 | 10_000);
        store(numbers, _mm512_madd_epi16(_mm512_packus_epi32(even, odd), ten_thousands));
    }

    /// The numbers that the first four and the last four of the eight bytes before a mark write, for eight tokens; `tokens` says, for each byte, which.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn fours(&self, tokens: __m512i) -> __m512i {
        let places = _mm512_add_epi8(_mm512_permutexvar_epi8(tokens, self.ends), load_bytes(&EIGHT_BEFORE));
        let eights = _mm512_permutex2var_epi8(self.before, places, self.bytes);
        let lengths = _mm512_permutexvar_epi8(tokens, self.lengths);
        let inside = _mm512_cmpgt_epu8_mask(lengths, load_bytes(&FROM_END));
        let digits = _mm512_maskz_subs_epu8(inside, eights, _mm512_set1_epi8(b'0' as i8));
        let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(1 << 8 | 10));
        _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 16 | 100))
    }
}

/// 0, 1, 2, and so on.
const COUNTED: [u8; GROUP] = table(0);

/// Tokens 0, 1, 4, 5, 8, and so on, each eight times.
const EVEN: [u8; GROUP] = table(1);

/// The other ones.
const ODD: [u8; GROUP] = table(2);

/// From a mark to the eight bytes before it, counted from 64 bytes before; eight times.
const EIGHT_BEFORE: [u8; GROUP] = table(3);

/// How many of eight bytes follow; eight times.
const FROM_END: [u8; GROUP] = table(4);

const fn table(number: usize) -> [u8; GROUP] {
    let mut table = [0; GROUP];
    let mut place = 0;
    while place < GROUP {
        let (eight, byte) = (place / 8, place % 8);
        let even = eight / 2 * 4 + eight % 2;
        table[place] = [place, even, even + 2, GROUP - 8 + byte, 7 - byte][number] as u8;
        place += 1;
    }
    table
}
