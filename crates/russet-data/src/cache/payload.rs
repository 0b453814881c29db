//! One block of a cache: the features it declares, then its examples.
//!
//! ```text
//! 4 first feature declared, 4 how many, 4 examples
//! for each feature declared: 8 id, name's length, name
//! for each example: flags, [label] [importance] [base] [tag] [namespaces] [line], count of features, shape, steps, values
//! ```
//! Lengths, counts and lines are variable-length numbers, seven bits a byte. A step is the zigzag difference of a feature's code from
//! the one before (the first one: from 0 or, if the shape says so, from the code of number 0); all steps of an example have the same width
//! of 1 to 4 bytes. The shape says which, and what values there are: one for each feature; none, if all are 1; or a bit for each feature, and a value
//! for each bit that is set. So what takes most of the space is read in plain loops.

use russet::batch::{Batch, Code, Example, Label};
use russet::feature::FeatureId;
use std::sync::Arc;

use super::damaged;
use crate::DataError;
use crate::source::Block;

const LABEL: u8 = 1;
const IMPORTANCE: u8 = 2;
const BASE: u8 = 4;
const TAG: u8 = 8;
const NAMESPACES: u8 = 16;
const LINE: u8 = 32;

/// Of a shape: the width of a step, less 1.
const WIDTH: u8 = 3;
/// Of a shape: the first step is from the code of number 0.
const NUMBERED: u8 = 4;
// Of a shape: which values there are.
const ALL: u8 = 0;
const ONES: u8 = 8;
const SOME: u8 = 16;

pub(super) fn u64_at(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// True if a payload goes on declaring features where the one before it stopped, or before that.
pub(super) fn follows(payload: &[u8], declared: &mut u64) -> bool {
    let (Some(first), Some(count)) = (payload.get(..4), payload.get(4..8)) else { return false };
    let (first, count) = (u64::from(u32_at(first)), u64::from(u32_at(count)));
    let follows = first <= *declared;
    *declared = first + count;
    follows && *declared < u64::from(u32::MAX)
}

/// How many examples a payload says it has.
pub(crate) fn count(payload: &[u8]) -> usize {
    payload.get(8..).map_or(0, |rest| u32_at(rest) as usize)
}

pub(super) fn encode(batch: &Batch, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&batch.first_declared().to_le_bytes());
    out.extend_from_slice(&(batch.declared_ids().len() as u32).to_le_bytes());
    out.extend_from_slice(&(batch.len() as u32).to_le_bytes());
    for (id, name) in batch.declared_ids().iter().zip(batch.declared_names().iter()) {
        out.extend_from_slice(&id.0.to_le_bytes());
        write_bytes(name, out);
    }
    let mut line = 0;
    for example in batch.iter() {
        encode_example(&example, line, out);
        line = example.line;
    }
}

fn encode_example(example: &Example<'_>, line_before: u64, out: &mut Vec<u8>) {
    let label = &example.label;
    let whole = [example.codes.len() as u32];
    let one_namespace = example.namespace_ends.is_empty() || example.namespace_ends == whole;
    let next_line = example.line == line_before.wrapping_add(1);
    let flag = |flag: u8, set: bool| if set { flag } else { 0 };
    let flags = flag(LABEL, label.value.is_some())
        | flag(IMPORTANCE, label.importance != 1.0)
        | flag(BASE, label.base != 0.0)
        | flag(TAG, !example.tag.is_empty())
        | flag(NAMESPACES, !one_namespace)
        | flag(LINE, !next_line);
    out.push(flags);
    let numbers = [(LABEL, label.value.unwrap_or(0.0)), (IMPORTANCE, label.importance), (BASE, label.base)];
    for (_, number) in numbers.iter().filter(|(flag, _)| flags & flag != 0) {
        out.extend_from_slice(&number.to_le_bytes());
    }
    if flags & TAG != 0 {
        write_bytes(example.tag, out);
    }
    if flags & NAMESPACES != 0 {
        write_number(example.namespace_ends.len() as u64, out);
        example.namespace_ends.iter().for_each(|end| write_number(u64::from(*end), out));
    }
    if flags & LINE != 0 {
        write_number(example.line, out);
    }
    write_number(example.codes.len() as u64, out);
    encode_features(example.codes, example.values, out);
}

fn encode_features(codes: &[u32], values: &[f32], out: &mut Vec<u8>) {
    let numbered = codes.first().is_some_and(|code| *code >= Code::NUMBERED);
    let mut before = if numbered { Code::NUMBERED } else { 0 };
    let steps = codes.iter().map(|code| {
        let difference = code.wrapping_sub(before) as i32;
        before = *code;
        ((difference << 1) ^ (difference >> 31)) as u32
    });
    let steps: Vec<u32> = steps.collect();
    let widest = steps.iter().copied().max().unwrap_or(0);
    let width = (4 - widest.leading_zeros() as usize / 8).max(1);
    let ones = values.iter().filter(|value| **value == 1.0).count();
    let kind = match ones {
        _ if ones == values.len() => ONES,
        // Fewer would save little.
        _ if 2 * ones >= values.len() => SOME,
        _ => ALL,
    };
    out.push((width as u8 - 1) | if numbered { NUMBERED } else { 0 } | kind);
    steps.iter().for_each(|step| out.extend_from_slice(&step.to_le_bytes()[..width]));
    if kind == SOME {
        let bits =
            |eight: &[f32]| (0..).zip(eight).fold(0, |bits, (place, value)| bits | u8::from(*value != 1.0) << place);
        out.extend(values.chunks(8).map(bits));
    }
    let given = values.iter().filter(|value| kind == ALL || **value != 1.0);
    given.for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Fills `batch` from a block of a cache; without its `examples`, if these are not wanted, only with the features that it declares.
pub(crate) fn decode(block: &Block, examples: bool, batch: &mut Batch) -> Result<(), DataError> {
    decode_payload(&block.bytes, examples, batch).ok_or_else(|| damaged(&Arc::clone(&block.name)))
}

fn decode_payload(payload: &[u8], wanted: bool, batch: &mut Batch) -> Option<()> {
    let mut input = Input { rest: payload };
    let [first_declared, declared, examples] = [input.u32()?, input.u32()?, input.u32()?];
    batch.start_foreign(0, first_declared);
    for _ in 0..declared {
        let id = FeatureId(u64::from_le_bytes(input.array()?));
        batch.declare(id, input.bytes()?);
    }
    let known = first_declared.checked_add(declared)?.min(Code::NUMBERED);
    if !wanted {
        return Some(());
    }
    let mut line = 0;
    for _ in 0..examples {
        line = decode_example(&mut input, batch, known, line)?;
    }
    input.rest.is_empty().then_some(())
}

/// Adds one example to the batch; gives its line.
fn decode_example(input: &mut Input<'_>, batch: &mut Batch, known: u32, line_before: u64) -> Option<u64> {
    let [flags] = input.array()?;
    let mut number = |flag: u8, default: f32| if flags & flag == 0 { Some(default) } else { input.finite() };
    let value = number(LABEL, 0.0)?;
    let label = Label {
        value: (flags & LABEL != 0).then_some(value),
        importance: number(IMPORTANCE, 1.0).filter(|importance| *importance >= 0.0)?,
        base: number(BASE, 0.0)?,
    };
    let tag = if flags & TAG != 0 { input.bytes()? } else { &[] };
    let ends = if flags & NAMESPACES != 0 { input.namespace_ends()? } else { Vec::new() };
    let line = if flags & LINE != 0 { input.number()? } else { line_before.wrapping_add(1) };
    let count = input.number()?;
    let mut before = 0;
    for end in ends {
        if end < before || end > count {
            return None;
        }
        batch.end_namespace_at(end as u32);
        before = end;
    }
    batch.push_by(|codes, values| decode_features(input, count, known, codes, values))?;
    batch.end_example(label, tag, line);
    Some(line)
}

/// Adds the codes and the values of an example's features.
#[inline]
fn decode_features(
    input: &mut Input<'_>,
    count: u64,
    known: u32,
    codes: &mut Vec<u32>,
    values: &mut Vec<f32>,
) -> Option<()> {
    let [shape] = input.array()?;
    // Each takes a byte at least: a count that cannot be true must not be made room for.
    let count = usize::try_from(count).ok().filter(|count| *count <= input.rest.len())?;
    let start = codes.len();
    let before = if shape & NUMBERED != 0 { Code::NUMBERED } else { 0 };
    match shape & WIDTH {
        0 => follow_steps(input.chunks(count)?, before, codes, |[low]: [u8; 1]| low.into()),
        1 => follow_steps(input.chunks(count)?, before, codes, |two| u16::from_le_bytes(two).into()),
        2 => follow_steps(input.chunks(count)?, before, codes, |[a, b, c]| u32::from_le_bytes([a, b, c, 0])),
        _ => follow_steps(input.chunks(count)?, before, codes, u32::from_le_bytes),
    }
    let exists = |code: &u32| (*code < known) | (code.wrapping_sub(Code::NUMBERED) < Code::NUMBERS);
    let all_exist = codes[start..].iter().fold(true, |all, code| all & exists(code));
    match shape & !(WIDTH | NUMBERED) {
        ALL => values.extend(input.chunks(count)?.iter().map(|four| f32::from_le_bytes(*four))),
        ONES => values.resize(start + count, 1.0),
        SOME => {
            let bits = input.slice(count.div_ceil(8))?;
            values.resize(start + count, 1.0);
            for (eight, &bits) in values[start..].chunks_mut(8).zip(bits) {
                decode_some(input, bits, eight)?;
            }
        }
        _ => return None,
    }
    // A batch has no zeros, so neither has a cache.
    let is_proper = |value: &f32| value.is_finite() & (*value != 0.0);
    let all_proper = values[start..].iter().fold(true, |all, value| all & is_proper(value));
    (all_exist && all_proper).then_some(())
}

/// Adds the codes to which steps lead.
#[inline(always)]
fn follow_steps<const N: usize>(steps: &[[u8; N]], before: u32, codes: &mut Vec<u32>, step: impl Fn([u8; N]) -> u32) {
    let mut code = before;
    codes.extend(steps.iter().map(|bytes| {
        let zigzag = step(*bytes);
        code = code.wrapping_add((zigzag >> 1) ^ (zigzag & 1).wrapping_neg());
        code
    }));
}

/// Reads those of up to eight values whose bits are set.
#[inline]
fn decode_some(input: &mut Input<'_>, mut bits: u8, values: &mut [f32]) -> Option<()> {
    while bits != 0 {
        *values.get_mut(bits.trailing_zeros() as usize)? = input.array().map(f32::from_le_bytes)?;
        bits &= bits - 1;
    }
    Some(())
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    fn finite(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes).filter(|number| number.is_finite())
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        self.long_number(first)
    }

    fn long_number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.slice(length)
    }

    #[inline]
    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// `count` pieces of `N` bytes.
    #[inline]
    fn chunks<const N: usize>(&mut self, count: usize) -> Option<&'a [[u8; N]]> {
        self.slice(count.checked_mul(N)?).map(|bytes| bytes.as_chunks().0)
    }

    fn namespace_ends(&mut self) -> Option<Vec<u64>> {
        let count = self.number()?;
        (0..count).map(|_| self.number()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use russet::batch::Dictionary;
    use russet::feature::Namespace;

    proptest! {
        #[test]
        fn decoding_undoes_encoding(examples in prop::collection::vec(
            (prop::collection::vec((0u32..50, -2i32..3), 0..9), prop::option::of(-3i32..3), 1u64..9, "[a-z]{0,3}"), 0..9)
        ) {
            let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
            batch.start(&mut dictionary);
            for (features, label, line, tag) in &examples {
                for (position, (name, value)) in features.iter().enumerate() {
                    match name % 7 {
                        6 => batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name}"), *value as f32 / 2.0),
                        power => batch.push_number((name << (4 * power)).min(Code::NUMBERS - 1), *value as f32 / 2.0),
                    }
                    if position == 2 {
                        batch.end_namespace();
                    }
                }
                batch.end_namespace();
                let value = label.map(|label| label as f32);
                batch.end_example(Label { value, importance: *line as f32 / 2.0, base: *line as f32 - 2.0 }, tag.as_bytes(), *line);
            }
            let (mut bytes, mut decoded) = (Vec::new(), Batch::default());
            encode(&batch, &mut bytes);
            decode_payload(&bytes, true, &mut decoded).unwrap();
            let mut again = Vec::new();
            encode(&decoded, &mut again);
            prop_assert_eq!(&bytes, &again);
            prop_assert_eq!(batch.len(), decoded.len());
            for (ours, theirs) in batch.iter().zip(decoded.iter()) {
                prop_assert_eq!((ours.label, ours.tag, ours.codes, ours.values, ours.line),
                    (theirs.label, theirs.tag, theirs.codes, theirs.values, theirs.line));
                let whole = [ours.codes.len() as u32];
                prop_assert!(ours.namespace_ends == theirs.namespace_ends || ours.namespace_ends == whole);
            }
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_payload(&bytes, true, &mut Batch::default());
        }
    }
}
