//! Lines in the most common form, as [`super::numbers`] reads them, read faster yet where the processor has AVX-512: sixteen numbers at a time, whatever they are.
//!
//! 1. The block's [marks](super::marks) are found: their places, and the bytes there. What is between two of them is a *token*: a name, or the part of a value before or after its point.
//! 2. Line by line, the bytes that end its tokens say what each token is: a bit for each, 64 at a time. Tokens become numbers, and those that make up a feature are put side by side.
//! 3. Features of many lines become codes and values.
//!
//! No step branches on what a feature looks like.

// Loads and stores of registers, and a gather; each in a function of its own that says why it may.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use russet::batch::{Batch, Code, Ending, Label};

use super::marks::{Kinds, marked};
use super::{Context, head, short_head};
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
    /// Where the marks are.
    places: Vec<u32>,
    /// The bytes there.
    kinds: Vec<u8>,
    pending: Pending,
}

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

    /// Finds a block's marks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find(&mut self, bytes: &[u8]) {
        // A place for each byte, and room for what is written or read too much.
        let most = bytes.len() + 2 * GROUP;
        if self.places.len() < most {
            self.places.resize(most, 0);
            self.kinds.resize(most, 0);
        }
        let (places, kinds) = (&mut self.places[..most], &mut self.kinds[..most]);
        let (stretches, rest) = bytes.as_chunks();
        let mut last = [b'0'; GROUP];
        last[..rest.len()].copy_from_slice(rest);
        let (mut count, mut after_colon) = (0, 0);
        for (number, stretch) in stretches.iter().chain([&last]).enumerate() {
            count +=
                find_in(stretch, (number * GROUP) as u32, chunk(places, count), chunk(kinds, count), &mut after_colon);
        }
    }

    /// The first mark from `mark` on that is not before `place`.
    pub(super) fn mark_at(&self, mark: usize, place: usize) -> usize {
        self.places[mark..]
            .iter()
            .position(|found| *found as usize >= place)
            .map_or(self.places.len(), |more| mark + more)
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
        let end = self.features(bytes, first)?;
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
        Some((self.places[end] as usize, end))
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
        let bar_mark = mark + self.kinds.get(mark..)?.iter().position(|kind| matches!(kind, b'|' | b'\n'))?;
        let bar = self.places[bar_mark] as usize;
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
    fn features(&mut self, bytes: &[u8], first: usize) -> Option<usize> {
        let mut before = Before { space: 1, colon: 0, point: 0, numbers: _mm512_setzero_si512() };
        let mut token = first;
        loop {
            let kinds = load_bytes(self.kinds.get(token..)?.first_chunk()?);
            let is = |byte: u8| _mm512_cmpeq_epi8_mask(kinds, _mm512_set1_epi8(byte as i8));
            let line_ends = is(b'\n');
            let roles = roles(is(b' '), is(b':'), is(b'.'), line_ends, &mut before)?;
            let places = self.places.get(token - 1..)?.first_chunk()?;
            before.numbers = self.pending.features.push(bytes, places, &roles, before.numbers)?;
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

/// Finds the marks of 64 bytes, the first of which is at `start`; gives their number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn find_in(
    stretch: &[u8; GROUP],
    start: u32,
    places: &mut [u32; GROUP],
    kinds: &mut [u8; GROUP],
    after_colon: &mut u64,
) -> usize {
    let bytes = load_bytes(stretch);
    let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
    let above_zero = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'0' as i8));
    let digits = _mm512_cmplt_epu8_mask(above_zero, _mm512_set1_epi8(10));
    let marks = marked(&Kinds { digits, colons: is(b':'), minuses: is(b'-') }, after_colon);
    let count = marks.count_ones() as usize;
    store_bytes(kinds, _mm512_maskz_compress_epi8(marks, bytes));
    let found = _mm512_maskz_compress_epi8(marks, load_bytes(&COUNTED));
    let start = _mm512_set1_epi32(start as i32);
    let absolute = |places: __m128i| _mm512_add_epi32(_mm512_cvtepu8_epi32(places), start);
    store(chunk(places, 0), absolute(_mm512_extracti32x4_epi32::<0>(found)));
    store(chunk(places, LANES), absolute(_mm512_extracti32x4_epi32::<1>(found)));
    if count > 2 * LANES {
        store(chunk(places, 2 * LANES), absolute(_mm512_extracti32x4_epi32::<2>(found)));
        store(chunk(places, 3 * LANES), absolute(_mm512_extracti32x4_epi32::<3>(found)));
    }
    count
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
    /// Adds the features that end with a token of a group. `places` are where the mark before them is and where they end, `before` the numbers of the 16
    /// tokens before them; gives those of the last 16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn push(&mut self, bytes: &[u8], places: &[u32; GROUP + 1], roles: &Roles, mut before: __m512i) -> Option<__m512i> {
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
            let places = places[part * LANES..].first_chunk()?;
            let found = Found::read(bytes, places, &roles, before)?;
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
    fn read(bytes: &[u8], places: &[u32; LANES + 1], roles: &Roles, before: __m512i) -> Option<Found> {
        let one = _mm512_set1_epi32(1);
        let [within, last, whole, fraction, optional] =
            [roles.within, roles.last, roles.whole, roles.fraction, roles.optional].map(|bits| bits as __mmask16);
        let starts = _mm512_add_epi32(load(places.first_chunk()?), one);
        let lengths = _mm512_sub_epi32(load(places.last_chunk()?), starts);
        let tokens = Eights::gathered(bytes, starts);
        let minus = _mm512_set1_epi32(i32::from(b'-') << 24);
        let negative = whole & _mm512_cmpeq_epi32_mask(_mm512_slli_epi32::<24>(tokens.first_words()), minus);
        let digits = _mm512_mask_sub_epi32(lengths, negative, lengths, one);
        let empty = _mm512_testn_epi32_mask(digits, digits);
        let too_long = _mm512_cmpgt_epu32_mask(lengths, _mm512_set1_epi32(LONGEST as i32));

        let numbers = tokens.numbers(lengths);
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

/// The eight bytes from the start of each of 16 tokens on: tokens 0, 1, 4, 5, and so on in `even`, the others in `odd`, as neighbours come together where both are packed.
#[derive(Clone, Copy)]
struct Eights {
    even: __m512i,
    odd: __m512i,
}

impl Eights {
    /// The bytes at `starts`; zeros for what is not within `bytes`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn gathered(bytes: &[u8], starts: __m512i) -> Eights {
        let zero = _mm512_setzero_si512();
        let even = gather(bytes, _mm512_unpacklo_epi32(starts, zero));
        Eights { even, odd: gather(bytes, _mm512_unpackhi_epi32(starts, zero)) }
    }

    /// The first four bytes of each token.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn first_words(self) -> __m512i {
        let (even, odd) = (_mm512_castsi512_ps(self.even), _mm512_castsi512_ps(self.odd));
        _mm512_castps_si512(_mm512_shuffle_ps::<0b10_00_10_00>(even, odd))
    }

    /// The numbers that tokens of these lengths write, up to eight digits; a minus sign counts as a zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn numbers(self, lengths: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let shifts = _mm512_sub_epi32(_mm512_set1_epi32(64), _mm512_slli_epi32::<3>(lengths));
        let even = fours(self.even, _mm512_unpacklo_epi32(shifts, zero));
        let odd = fours(self.odd, _mm512_unpackhi_epi32(shifts, zero));
        _mm512_madd_epi16(_mm512_packus_epi32(even, odd), _mm512_set1_epi32(1 << 16 | 10_000))
    }
}

/// The numbers that the first four and the last four of eight bytes write, once these are moved to the end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn fours(eights: __m512i, shifts: __m512i) -> __m512i {
    let digits = _mm512_subs_epu8(_mm512_sllv_epi64(eights, shifts), _mm512_set1_epi8(b'0' as i8));
    let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(1 << 8 | 10));
    _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 16 | 100))
}

/// 0, 1, 2, and so on.
const COUNTED: [u8; GROUP] = {
    let mut counted = [0; GROUP];
    let mut place = 0;
    while place < GROUP {
        counted[place] = place as u8;
        place += 1;
    }
    counted
};

/// The elements from `at` on, as many as a register holds.
#[inline(always)]
fn chunk<T, const N: usize>(elements: &mut [T], at: usize) -> &mut [T; N] {
    match elements[at..].first_chunk_mut() {
        Some(chunk) => chunk,
        None => unreachable!("there is always room"),
    }
}

/// Eight bytes from each of eight places on; zeros for those that are not within `bytes`.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(bytes: &[u8], places: __m512i) -> __m512i {
    let Some(last) = bytes.len().checked_sub(8) else { return _mm512_setzero_si512() };
    let inside = _mm512_cmple_epu64_mask(places, _mm512_set1_epi64(last as i64));
    // SAFETY: only where `inside` says so is anything read, and there eight bytes from the place on are within `bytes`.
    unsafe { _mm512_mask_i64gather_epi64::<1>(_mm512_setzero_si512(), inside, places, bytes.as_ptr().cast()) }
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
