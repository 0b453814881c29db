//! Vowpal Wabbit's text, as it reads it: `label [importance [base]] ['tag]|ns[:scale] name[:value] ... |ns ...`
//!
//! The last word before the first bar is a tag if it touches the bar or begins with a quote mark. An all-digit
//! name is a number. A missing value is 1, a value of 0 leaves the feature out. Features without a name count
//! through within their namespace. An empty line is an example without label or features.

// Calls of two functions that are compiled for some processors only.
#![allow(unsafe_code)]

mod head;
mod marks;
mod names;
mod numbers;
mod pending;
mod plain;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

use russet::batch::{Batch, Code};

use super::{Context, Parsed};
use crate::OnError;
use marks::{Kinds, Marks, Stretch};
use pending::Pending;
use plain::read_plainly;
#[cfg(target_arch = "x86_64")]
use wide::Wide;

/// Makes sure that a block's last line ends; gives the block's length. Further ends of lines follow, so that the last line can be read as fast as any other.
pub(super) fn pad(bytes: &mut Vec<u8>) -> usize {
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let length = bytes.len();
    bytes.resize(length + numbers::WINDOW, b'\n');
    length
}

/// Reads blocks of lines.
#[derive(Debug, Default)]
pub(super) struct Reader {
    marks: Marks,
    pending: Pending,
    #[cfg(target_arch = "x86_64")]
    wide: Wide,
    /// What lines are taken for.
    form: Form,
    /// The other form was in vain.
    has_failed: bool,
    /// For how many more blocks neither fast way is tried.
    pause: u32,
    /// How many more blocks without names are left to [`Form::Names`], after [`Form::Numbers`] was in vain.
    patience: u32,
    /// AVX-512 is not used, whatever the processor has.
    #[cfg(test)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    narrow: bool,
}

/// A form of lines that are read fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// [`numbers`], or [`wide`].
    #[default]
    Numbers,
    /// [`names`]
    Names,
}

impl Form {
    fn other(self) -> Form {
        match self {
            Form::Numbers => Form::Names,
            Form::Names => Form::Numbers,
        }
    }
}

/// How bytes are classified: by what the processor has.
#[derive(Clone, Copy)]
struct Bytes<K, E> {
    /// [`Kinds::of`]
    kinds: K,
    /// [`marks::word_ends`]
    word_ends: E,
}

impl Reader {
    /// After a form was in vain, so many blocks are read without another try.
    const PAUSE: u32 = 15;

    /// In a longer block, places would take much memory.
    const LONGEST: usize = 1 << 20;

    /// Reads a block of lines, of this length and [padded](pad).
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        length: usize,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.is_wide() && self.form == Form::Numbers && self.is_tried(bytes) {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { self.read_wide(bytes, length, context, parsed, on_error) };
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { self.read_with_bmi(bytes, length, context, parsed, on_error) };
        }
        let classified = Bytes { kinds: Kinds::of, word_ends: marks::word_ends };
        self.read_anywhere(bytes, length, context, parsed, on_error, classified);
    }

    /// The same, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
    fn read_wide(
        &mut self,
        bytes: &[u8],
        length: usize,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
    ) {
        self.wide.find(bytes);
        let (mut start, mut mark, mut number, mut common) = (0, 0, parsed.block.first_line, 0);
        while start < length {
            if let Some((end, end_mark)) = self.wide.line(bytes, start, mark, number, context, &mut parsed.batch) {
                (start, mark) = (end + 1, end_mark + 1);
                common += 1;
            } else {
                self.wide.hand_over(&mut parsed.batch);
                let Some(next) = read_plainly(bytes, start, number, context, parsed, on_error) else { return };
                (start, mark) = (next, self.wide.mark_at(mark, next));
            }
            number += 1;
        }
        self.wide.hand_over(&mut parsed.batch);
        self.judge(common, number - parsed.block.first_line, &parsed.batch);
    }

    /// The same, compiled for instructions that find bits faster.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn read_with_bmi(
        &mut self,
        bytes: &[u8],
        length: usize,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
    ) {
        let kinds = |stretch: &Stretch| Kinds::of_with_avx2(stretch);
        let word_ends = |stretch: &Stretch| marks::word_ends_with_avx2(stretch);
        self.read_anywhere(bytes, length, context, parsed, on_error, Bytes { kinds, word_ends });
    }

    #[inline(always)]
    fn read_anywhere(
        &mut self,
        bytes: &[u8],
        length: usize,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
        classified: Bytes<impl Fn(&Stretch) -> Kinds, impl Fn(&Stretch) -> u64>,
    ) {
        debug_assert!(bytes[length - 1..].iter().all(|byte| *byte == b'\n'));
        let (tried, form) = (self.is_tried(bytes), self.form);
        self.pause = self.pause.saturating_sub(1);
        let mut marks = match form {
            _ if !tried => &[],
            Form::Numbers => self.marks.find(bytes, classified.kinds),
            Form::Names => self.marks.find_bits(bytes, classified.word_ends),
        };
        self.pending.make_room(marks.len());
        let (mut start, mut number, mut common) = (0, parsed.block.first_line, 0);
        while start < length {
            let (pending, batch) = (&mut self.pending, &mut parsed.batch);
            let found = match form {
                _ if !tried => None,
                Form::Numbers => numbers::line(bytes, start, marks, number, context, pending, batch),
                Form::Names => names::line(bytes, start, marks, number, context, pending, batch),
            };
            if let Some((end, used)) = found {
                (start, marks) = (end + 1, &marks[used..]);
                common += 1;
            } else {
                self.pending.hand_over(&mut parsed.batch);
                let Some(next) = read_plainly(bytes, start, number, context, parsed, on_error) else { return };
                marks = &marks[marks.iter().position(|place| *place as usize >= next).unwrap_or(marks.len())..];
                start = next;
            }
            number += 1;
        }
        self.pending.hand_over(&mut parsed.batch);
        if tried {
            self.judge(common, number - parsed.block.first_line, &parsed.batch);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn is_wide(&self) -> bool {
        #[cfg(test)]
        if self.narrow {
            return false;
        }
        Wide::is_possible()
    }

    /// Whether the fast way is tried on a block.
    fn is_tried(&self, bytes: &[u8]) -> bool {
        self.pause == 0 && bytes.len() <= Reader::LONGEST
    }

    /// Tries the other form next if too few of a block's lines were in this one, or none for a while if neither is any good.
    fn judge(&mut self, common: u64, lines: u64, batch: &Batch) {
        if 2 * common >= lines {
            self.has_failed = false;
            return self.reconsider(batch);
        }
        if std::mem::replace(&mut self.has_failed, true) {
            (self.has_failed, self.pause) = (false, Reader::PAUSE);
        }
        (self.form, self.patience) = (self.form.other(), Reader::PAUSE);
    }

    /// Lines of numbers alone are in the form of names as well, but read faster in their own.
    fn reconsider(&mut self, batch: &Batch) {
        if self.form == Form::Numbers || batch.codes().iter().any(|code| *code < Code::NUMBERED) {
            return;
        }
        match self.patience.checked_sub(1) {
            Some(left) => self.patience = left,
            None => self.form = Form::Numbers,
        }
    }
}
