//! Vowpal Wabbit's text, as it reads it: `label [importance [base]] ['tag]|ns[:scale] name[:value] ... |ns ...`
//!
//! The last word before the first bar is a tag if it touches the bar or begins with a quote mark. An all-digit
//! name is a number. A missing value is 1, a value of 0 leaves the feature out. Features without a name count
//! through within their namespace. An empty line is an example without label or features.

// Calls of two functions that are compiled for some processors only.
#![allow(unsafe_code)]

mod head;
mod marks;
mod numbers;
mod plain;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

use super::{Context, Parsed};
use crate::OnError;
use marks::{Kinds, Marks, Stretch};
use numbers::Pending;
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
    /// For how many more blocks the fast way is not tried.
    pause: u32,
    /// AVX-512 is not used, whatever the processor has.
    #[cfg(test)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    narrow: bool,
}

impl Reader {
    /// Where most lines are not in the common form, so many blocks are read without another try.
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
        if self.is_wide() && self.is_tried(bytes) {
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
        self.read_anywhere(bytes, length, context, parsed, on_error, Kinds::of);
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
        self.judge(common, number - parsed.block.first_line);
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
        self.read_anywhere(bytes, length, context, parsed, on_error, |stretch| Kinds::of_with_avx2(stretch));
    }

    #[inline(always)]
    fn read_anywhere(
        &mut self,
        bytes: &[u8],
        length: usize,
        context: &mut Context<'_>,
        parsed: &mut Parsed,
        on_error: OnError,
        kinds: impl Fn(&Stretch) -> Kinds,
    ) {
        debug_assert!(bytes[length - 1..].iter().all(|byte| *byte == b'\n'));
        let tried = self.is_tried(bytes);
        self.pause = self.pause.saturating_sub(1);
        let mut marks = if tried { self.marks.find(bytes, kinds) } else { &[] };
        self.pending.make_room(marks.len());
        let (mut start, mut number, mut common) = (0, parsed.block.first_line, 0);
        while start < length {
            let Reader { pending, .. } = self;
            if let Some((end, used)) = numbers::line(bytes, start, marks, number, context, pending, &mut parsed.batch) {
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
            self.judge(common, number - parsed.block.first_line);
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

    /// Leaves the fast way alone for a while if too few of a block's lines are in the common form.
    fn judge(&mut self, common: u64, lines: u64) {
        if 2 * common < lines {
            self.pause = Reader::PAUSE;
        }
    }
}
