//! Lines in the most common form, as [`super::numbers`] reads them, read faster yet where the processor has AVX-512: sixteen numbers at a time, whatever they are.
//!
//! 1. The block's [marks](super::marks) are found. What is between two of them is a *token*: a name, or the part of a value before or after its point. Each becomes a number: all it takes are
//!    the 64 bytes at hand and the 64 before them.
//! 2. Line by line, the bytes that end its tokens say what each token is: a bit for each, 64 at a time. The numbers that make up a feature are put side by side.
//! 3. Features of many lines become codes and values.
//!
//! No step branches on what a feature looks like.

mod features;
mod registers;
mod roles;
mod tokens;
mod values;

use std::arch::x86_64::*;

use russet::batch::{Batch, Ending, Label};

use super::Context;
use super::head::{head, short_head};
use features::Features;
use registers::load_bytes;
use roles::{Before, roles};
use tokens::Tokens;

/// How many tokens are read at once.
const LANES: usize = 16;

/// For how many tokens it is found at once what they are.
const GROUP: usize = 64;

/// So many features go to the batch together.
const ENOUGH: usize = 1024;

/// Reads the lines of a block.
#[derive(Debug, Default)]
pub(super) struct Wide {
    tokens: Tokens,
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

#[cfg(test)]
mod tests {
    use super::*;
    use russet::batch::{Code, Dictionary};

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
}
