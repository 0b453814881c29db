//! Lines in the most common form, as [`super::numbers`] reads them, read faster yet where the processor has AVX-512: sixteen numbers at a time, whatever they are.
//!
//! 1. The block's [marks](super::marks) are found. What is between two of them is a *token*: a name, or the part of a value before or after its point. Each becomes a number: all it takes are
//!    the 64 bytes at hand and the 64 before them.
//! 2. Line by line, the bytes that end its tokens say what each token is: a bit for each, 64 at a time. The numbers that make up a feature are put side by side.
//! 3. Features of many lines become codes and values.
//!
//! No step branches on what a feature looks like.

// Loads and stores of registers, each in a function of its own that says why it may.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use russet::batch::{Batch, Code, Ending, Label};

use super::Context;
use super::head::{head, short_head};
use super::marks::Kinds;
use crate::number;

/// How many tokens are read at once.
const LANES: usize = 16;

/// For how many tokens it is found at once what they are.
const GROUP: usize = 64;

/// The longest token.
const LONGEST: u32 = 8;

/// Where the number of decimals is kept in a word: above all numbers of eight digits.
const DECIMALS_AT: u32 = 27;

/// The bits of a word that are its number.
const NUMBER: u32 = (1 << DECIMALS_AT) - 1;

const SIGN: u32 = 1 << 31;

/// So many features go to the batch together.
const ENOUGH: usize = 1024;

/// Reads the lines of a block.
#[derive(Debug, Default)]
pub(super) struct Wide {
    tokens: Tokens,
    pending: Pending,
}

/// The tokens of a block, one an element of each; there may be more elements than tokens.
#[derive(Debug, Default)]
struct Tokens {
    /// The place of the mark that ends it.
    places: Vec<u32>,
    /// The byte there.
    kinds: Vec<u8>,
    /// How long it is, and whether it has a [sign](SIGNED). Of those too long to be read any length that is too long.
    lengths: Vec<u8>,
    /// The number it writes, without its sign.
    numbers: Vec<u32>,
}

/// What is added to the length of a token that begins with a minus sign.
const SIGNED: u8 = 0x80;

/// Lines that are on their way to the batch.
#[derive(Debug, Default)]
struct Pending {
    features: Features,
    lines: Vec<Ending>,
    /// How many features the lines have; there may be more, of a line that is being read.
    complete: usize,
}

/// Features as they were read, one an element of each; there may be more elements than features.
#[derive(Debug, Default)]
struct Features {
    names: Vec<u32>,
    /// What is before the point, and the sign.
    wholes: Vec<u32>,
    /// What is after the point, and how many decimals these are.
    fractions: Vec<u32>,
    count: usize,
}

/// What the tokens of a line are: a bit for each.
#[derive(Clone, Copy)]
struct Roles {
    /// Of the line.
    within: u64,
    /// The last one of a feature.
    last: u64,
    /// After a colon.
    whole: u64,
    /// After a point.
    fraction: u64,
    /// May have no digits.
    optional: u64,
}

/// What the next tokens have to know of those before them.
#[derive(Clone, Copy)]
struct Before {
    space: u64,
    colon: u64,
    point: u64,
    numbers: __m512i,
}

impl Wide {
    /// True if the processor has all that is needed.
    pub(super) fn is_possible() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// Finds a block's tokens.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find(&mut self, bytes: &[u8]) {
        self.tokens.find(bytes);
    }

    /// The first mark from `mark` on that is not before `place`.
    pub(super) fn mark_at(&self, mark: usize, place: usize) -> usize {
        let places = &self.tokens.places;
        places[mark..].iter().position(|found| *found as usize >= place).map_or(places.len(), |more| mark + more)
    }

    /// Reads the line at `start`, whose first mark is `mark`, if it is in the common form; gives the place of its end and its mark. It comes to the
    /// batch with [`Wide::hand_over`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn line(
        &mut self,
        bytes: &[u8],
        start: usize,
        mark: usize,
        line: u64,
        context: &Context<'_>,
        batch: &mut Batch,
    ) -> Option<(usize, usize)> {
        let (label, tag, first) = self.head(bytes, start, mark, context)?;
        self.pending.features.count = self.pending.complete;
        let end = self.features(first)?;
        let features = (self.pending.features.count - self.pending.complete) as u32;
        self.pending.complete = self.pending.features.count;
        self.pending.lines.push(Ending { label, line, features, namespaces: 1, tag: tag.len() as u32 });
        batch.end_namespace_at(features);
        if !tag.is_empty() {
            batch.push_tags(tag);
        }
        if self.pending.complete >= ENOUGH {
            self.hand_over(batch);
        }
        Some((self.tokens.places[end] as usize, end))
    }

    /// What is before a line's features, and the mark of the first.
    #[inline]
    fn head<'a>(
        &self,
        bytes: &'a [u8],
        start: usize,
        mark: usize,
        context: &Context<'_>,
    ) -> Option<(Label, &'a [u8], usize)> {
        if let Some((label, negative)) = short_head(u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?)) {
            return Some((label, b"", mark + 3 + usize::from(negative)));
        }
        let bar_mark = mark + self.tokens.kinds.get(mark..)?.iter().position(|kind| matches!(kind, b'|' | b'\n'))?;
        let bar = self.tokens.places[bar_mark] as usize;
        // The namespace has no name.
        if bytes[bar] != b'|' || bytes[bar + 1] != b' ' {
            return None;
        }
        let (label, tag) = head(&bytes[start..bar], context).ok()?;
        Some((label, tag, bar_mark + 2))
    }

    /// Reads the features of a line, from mark `first` on; gives the mark of the line's end.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn features(&mut self, first: usize) -> Option<usize> {
        let mut before = Before { space: 1, colon: 0, point: 0, numbers: _mm512_setzero_si512() };
        let mut token = first;
        loop {
            let kinds = load_bytes(self.tokens.kinds.get(token..)?.first_chunk()?);
            let is = |byte: u8| _mm512_cmpeq_epi8_mask(kinds, _mm512_set1_epi8(byte as i8));
            let line_ends = is(b'\n');
            let roles = roles(is(b' '), is(b':'), is(b'.'), line_ends, &mut before)?;
            let numbers = self.tokens.numbers.get(token..)?.first_chunk()?;
            let lengths = self.tokens.lengths.get(token..)?.first_chunk()?;
            before.numbers = self.pending.features.push(numbers, lengths, &roles, before.numbers)?;
            if line_ends != 0 {
                return Some(token + line_ends.trailing_zeros() as usize);
            }
            token += GROUP;
        }
    }

    /// Gives the batch all lines that were read.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn hand_over(&mut self, batch: &mut Batch) {
        let Pending { features, lines, complete } = &mut self.pending;
        features.count = *complete;
        batch.push_by(|codes, values| {
            codes.extend_from_slice(&features.names[..features.count]);
            let start = values.len();
            values.resize(start + features.count.next_multiple_of(LANES / 2), 0.0);
            features.write_values(&mut values[start..]);
            values.truncate(start + features.count);
            Some(())
        });
        batch.end_examples(lines.drain(..));
        *complete = 0;
    }
}

impl Tokens {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn find(&mut self, bytes: &[u8]) {
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

/// What tokens are, by the bytes that end them: a bit for each in one of the four, or the line is not in the common form.
#[inline]
fn roles(spaces: u64, colons: u64, points: u64, line_ends: u64, before: &mut Before) -> Option<Roles> {
    let after = |bits: u64, before: u64| bits << 1 | before;
    let name = after(spaces, before.space);
    let (whole, fraction) = (after(colons, before.colon), after(points, before.point));
    (before.space, before.colon, before.point) = (spaces >> 63, colons >> 63, points >> 63);
    let within = line_ends ^ line_ends.wrapping_sub(1);
    let others = !(spaces | colons | points | line_ends);
    let misplaced = colons & !name | points & !whole;
    let last = (spaces | line_ends) & within;
    let optional = name & last | whole & points;
    ((others | misplaced) & within == 0).then_some(Roles { within, last, whole, fraction, optional })
}

impl Roles {
    #[inline(always)]
    fn shifted(self, by: usize) -> Roles {
        Roles {
            within: self.within >> by,
            last: self.last >> by,
            whole: self.whole >> by,
            fraction: self.fraction >> by,
            optional: self.optional >> by,
        }
    }
}

impl Features {
    /// Adds the features that end with a token of a group. `before` are the numbers of the 16 tokens before them; gives those of the last 16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn push(
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
    fn write_values(&self, values: &mut [f32]) {
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

/// As [`number::rounded`], eight at a time; gives a bit for each value that another way has to find.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn write_eight_values(wholes: &[u32; 8], fractions: &[u32; 8], values: &mut [f32; 8]) -> __mmask8 {
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
fn exact_value(whole: u32, fraction: u32) -> f32 {
    let sign = if whole & SIGN == 0 { "" } else { "-" };
    let decimals = (fraction >> DECIMALS_AT) as usize;
    let text = format!("{sign}{}.{:0decimals$}", whole & NUMBER, fraction & NUMBER);
    number::parse_whole(text.as_bytes()).unwrap_or_default()
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

/// The elements from `at` on, as many as a register holds.
#[inline(always)]
fn chunk<T, const N: usize>(elements: &mut [T], at: usize) -> &mut [T; N] {
    match elements[at..].first_chunk_mut() {
        Some(chunk) => chunk,
        None => unreachable!("there is always room"),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[u32; LANES]) -> __m512i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_bytes(bytes: &[u8; GROUP]) -> __m512i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_sixteen(bytes: &[u8; LANES]) -> __m128i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_eight(words: &[u32; 8]) -> __m256i {
    // SAFETY: the array is as long as the register.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut [u32; LANES], register: __m512i) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_bytes(bytes: &mut [u8; GROUP], register: __m512i) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_eight(values: &mut [f32; 8], register: __m256) {
    // SAFETY: the array is as long as the register.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), register) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use russet::batch::Dictionary;

    #[test]
    fn lines_in_the_common_form_are_read_fast() {
        if !Wide::is_possible() {
            return;
        }
        let text = "1 | 1:0.5  2 123456:-7 7:-0.12345678 3:12.5 4:0 5:-.5\n-1.5 'tag| 9\n";
        let mut bytes = text.as_bytes().to_vec();
        super::super::pad(&mut bytes);
        let (mut dictionary, mut batch, mut wide) = (Dictionary::default(), Batch::default(), Wide::default());
        batch.start(&mut dictionary);
        let context = Context { labels: true, dictionary: &mut dictionary };
        // SAFETY: the processor has what these are compiled for.
        let ends = unsafe {
            wide.find(&bytes);
            let first = wide.line(&bytes, 0, 0, 1, &context, &mut batch).unwrap();
            let second = wide.line(&bytes, first.0 + 1, first.1 + 1, 2, &context, &mut batch).unwrap();
            wide.hand_over(&mut batch);
            (first.0, second.0)
        };
        assert_eq!(ends, (text.find('\n').unwrap(), text.len() - 1));
        assert_eq!(batch.example(0).values, [0.5, 1.0, -7.0, -0.123_456_78, 12.5, -0.5]);
        assert_eq!(batch.example(1).codes, [Code::Number(9).pack()]);
        assert_eq!((batch.example(1).label, batch.example(1).tag), (Label::new(-1.5), &b"tag"[..]));
    }

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
