//! The features of all examples: a column of codes and one of values.
//!
//! ```text
//! codes:  4 the smallest that is declared, 4 how many there are from it to the largest; 4 and 4, the same of numbers
//!         for each feature its place among these, the declared ones first: 1, 2 or 4 bytes, or, where it takes three, first the
//!         lower two of all, then the third of all
//! values: 1 which there are; a word of 8 for each 64 features, with a bit for each that is not 1; 4 for each that is given
//! ```
//! The width is the least that all places fit into. Values: all are given, or none, as all are 1, or those that are not 1; only then there
//! are bits.

use std::ops::Range;

use russet::batch::Code;

use super::input::Input;

// Which values are given.
const ALL: u8 = 0;
const NONE: u8 = 1;
const SOME: u8 = 2;

/// The codes that a block's features are among.
struct Span {
    declared: Range<u32>,
    numbered: Range<u32>,
}

impl Span {
    fn of(codes: &[u32]) -> Span {
        let range = |is_numbered: bool| {
            let codes = codes.iter().copied().filter(|code| (*code >= Code::NUMBERED) == is_numbered);
            let (first, end) = codes.fold((u32::MAX, 0), |(first, end), code| (first.min(code), end.max(code + 1)));
            first.min(end)..end
        };
        Span { declared: range(false), numbered: range(true) }
    }

    /// None if it has codes that do not exist: of the declared ones there are `known`.
    fn read(input: &mut Input<'_>, known: u32) -> Option<Span> {
        let mut range = |start: u32, end: u32| {
            let [first, count] = [input.u32()?.checked_add(start)?, input.u32()?];
            let range = first..first.checked_add(count)?;
            (range.end <= end).then_some(range)
        };
        let declared = range(0, known)?;
        Some(Span { declared, numbered: range(Code::NUMBERED, Code::NUMBERED + Code::NUMBERS)? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let numbers = [self.declared.start, self.numbered.start.saturating_sub(Code::NUMBERED)];
        for (first, count) in numbers.into_iter().zip([self.declared.len(), self.numbered.len()]) {
            out.extend_from_slice(&first.to_le_bytes());
            out.extend_from_slice(&(count as u32).to_le_bytes());
        }
    }

    /// How many codes there are.
    fn len(&self) -> u32 {
        // Half of all that there can be, and a few more.
        (self.declared.len() + self.numbered.len()) as u32
    }

    /// How many bytes a place takes.
    fn width(&self) -> usize {
        (4 - self.len().saturating_sub(1).leading_zeros() as usize / 8).max(1)
    }

    fn place(&self, code: u32) -> u32 {
        match code.checked_sub(Code::NUMBERED) {
            None => code - self.declared.start,
            Some(_) => code - self.numbered.start + self.declared.len() as u32,
        }
    }

    /// Adds the codes at these places; none if one of them is beyond the `largest` that there is.
    #[inline(always)]
    fn follow(&self, largest: u32, places: impl Iterator<Item = u32>, codes: &mut Vec<u32>) -> Option<()> {
        let (declared, numbered, split) = (self.declared.start, self.numbered.start, self.declared.len() as u32);
        if split == 0 {
            codes.extend(places.map(|place| numbered.wrapping_add(place)));
        } else {
            let jump = numbered.wrapping_sub(declared + split);
            let jump = |place: u32| if place < split { 0 } else { jump };
            codes.extend(places.map(|place| declared.wrapping_add(place).wrapping_add(jump(place))));
        }
        (largest < self.len()).then_some(())
    }
}

pub(super) fn write_codes(codes: &[u32], out: &mut Vec<u8>) {
    let span = Span::of(codes);
    span.write(out);
    let places = codes.iter().map(|code| span.place(*code).to_le_bytes());
    match span.width() {
        3 => {
            places.clone().for_each(|place| out.extend_from_slice(&place[..2]));
            out.extend(places.map(|place| place[2]));
        }
        width => places.for_each(|place| out.extend_from_slice(&place[..width])),
    }
}

/// Adds the codes of `count` features; `known` are declared.
pub(super) fn read_codes(input: &mut Input<'_>, count: usize, known: u32, codes: &mut Vec<u32>) -> Option<()> {
    let span = Span::read(input, known)?;
    if count == 0 {
        return Some(());
    }
    let two = |two: &[u8; 2]| u16::from_le_bytes(*two);
    // The largest of a column is found at its own width, where a register holds most.
    match span.width() {
        1 => {
            let places = input.slice(count)?;
            let largest = places.iter().fold(0, |largest, place| largest.max(*place));
            span.follow(largest.into(), places.iter().map(|place| u32::from(*place)), codes)
        }
        2 => {
            let places = input.chunks(count)?;
            let largest = places.iter().fold(0, |largest, place| two(place).max(largest));
            span.follow(largest.into(), places.iter().map(|place| u32::from(two(place))), codes)
        }
        3 => {
            let (lower, upper) = (input.chunks(count)?, input.slice(count)?);
            let places = lower.iter().zip(upper).map(|(lower, upper)| u32::from(two(lower)) | u32::from(*upper) << 16);
            // As signed numbers, which the processor compares faster.
            let largest = places.clone().fold(0, |largest, place| largest.max(place as i32));
            span.follow(largest as u32, places, codes)
        }
        _ => {
            let places = input.chunks(count)?.iter().map(|four| u32::from_le_bytes(*four));
            span.follow(places.clone().fold(0, u32::max), places, codes)
        }
    }
}

pub(super) fn write_values(values: &[f32], out: &mut Vec<u8>) {
    let is_given = |value: &&f32| **value != 1.0;
    let given = values.iter().filter(is_given).count();
    let kind = match given {
        0 => NONE,
        // More would save little.
        _ if 2 * given <= values.len() => SOME,
        _ => ALL,
    };
    out.push(kind);
    if kind == SOME {
        let word = |values: &[f32]| {
            (0..).zip(values).fold(0, |word, (place, value)| word | u64::from(is_given(&value)) << place)
        };
        values.chunks(64).for_each(|values| out.extend_from_slice(&word(values).to_le_bytes()));
    }
    let given = values.iter().filter(|value| kind == ALL || is_given(value));
    given.for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

/// Adds the values of `count` features.
pub(super) fn read_values(input: &mut Input<'_>, count: usize, values: &mut Vec<f32>) -> Option<()> {
    match input.array()? {
        [ALL] => values.extend(read_given(input, count)?.iter().map(|four| f32::from_le_bytes(*four))),
        [NONE] => values.resize(values.len() + count, 1.0),
        [SOME] => read_some(input, count, values)?,
        _ => return None,
    }
    Some(())
}

/// Values where they lie.
fn read_given<'a>(input: &mut Input<'a>, count: usize) -> Option<&'a [[u8; 4]]> {
    let given = input.chunks(count)?;
    given.iter().fold(true, |all, four| all & is_proper(f32::from_le_bytes(*four))).then_some(given)
}

/// Adds values of which most are 1.
fn read_some(input: &mut Input<'_>, count: usize, values: &mut Vec<f32>) -> Option<()> {
    let words: &[[u8; 8]] = input.chunks(count.div_ceil(64))?;
    let bits = |word: &[u8; 8]| u64::from_le_bytes(*word);
    let beyond = words.last().map_or(0, |word| bits(word) >> (count % 64));
    // No bit may be set for what there is not: of the last word, if it is not full.
    (count.is_multiple_of(64) || beyond == 0).then_some(())?;
    let mut given = read_given(input, words.iter().map(|word| bits(word).count_ones() as usize).sum())?;
    let start = values.len();
    values.resize(start + 64 * words.len(), 1.0);
    for (values, word) in values[start..].as_chunks_mut::<64>().0.iter_mut().zip(words) {
        let mut bits = bits(word);
        let (first, rest) = given.split_at_checked(bits.count_ones() as usize)?;
        for four in first {
            values[bits.trailing_zeros() as usize % 64] = f32::from_le_bytes(*four);
            bits &= bits.wrapping_sub(1);
        }
        given = rest;
    }
    values.truncate(start + count);
    Some(())
}

/// True of what is finite and not 0: a batch has no zeros, so neither has a cache.
#[inline(always)]
fn is_proper(value: f32) -> bool {
    const INFINITY: u32 = f32::INFINITY.to_bits() << 1;
    // Without its sign, less 1, it is below infinity; as a signed number, for processors compare these faster.
    let magnitude = (value.to_bits() << 1).wrapping_sub(2);
    ((magnitude ^ 1 << 31) as i32) < ((INFINITY - 2) ^ 1 << 31) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_what_is_not_finite_are_not_proper() {
        for value in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
            assert!(!is_proper(value), "{value}");
        }
        for value in [f32::MIN, f32::MAX, f32::from_bits(1), -f32::from_bits(1), 1.0, -1.0] {
            assert!(is_proper(value), "{value}");
        }
    }

    #[test]
    fn codes_take_what_their_span_needs() {
        let numbered = Code::NUMBERED;
        let cases: [(&[u32], usize); 7] = [
            (&[], 0),
            (&[70_000, 70_255, 70_000], 3),
            (&[numbered + 900_000, numbered + 900_256], 4),
            (&[0, numbered, numbered + Code::NUMBERS - 1], 9),
            (&[3, numbered + 70_000, 258], 6),
            (&[1 << 25, 0], 8),
            (&[(1 << 30) - 1, 0, numbered + 1], 12),
        ];
        for (codes, bytes) in cases {
            let (mut out, mut read) = (Vec::new(), Vec::new());
            write_codes(codes, &mut out);
            assert_eq!(out.len(), 16 + bytes, "{codes:?}");
            read_codes(&mut Input { rest: &out }, codes.len(), 1 << 30, &mut read).unwrap();
            assert_eq!(read, codes);
            let largest = codes.iter().copied().filter(|code| *code < numbered).max();
            if let Some(known) = largest {
                let read = read_codes(&mut Input { rest: &out }, codes.len(), known, &mut read);
                assert!(read.is_none(), "{codes:?}: the last one is not declared");
            }
        }
    }
}
