//! Lines in the most common form, read fast: one namespace without a name or scale, features called by numbers, values of few digits.
//!
//! Whatever is not in this form, or wrong, is left to the [plain parser](super::plain), which says what holds.

use russet::batch::{Batch, Code, Ending, Label};

use super::Context;
use super::head::{head, short_head};
use super::pending::Pending;
use crate::number;

/// A feature in the common form and the byte after it are no longer than this, wherever eight bytes are read at once.
pub(super) const WINDOW: usize = 32;

/// A feature has no more marks: colon, point, end.
const MARKS: usize = 3;

/// The longest name, and the most digits before a point.
const MOST_DIGITS: usize = 7;

/// The most digits after a point.
const MOST_DECIMALS: usize = 8;

/// Reads the line at `start` as one example, if it is in the common form; gives the place of its end, and how many marks there are up
/// to it. `marks`: those from the line's start on. It comes to the batch with [`Pending::hand_over`].
#[inline(always)]
pub(super) fn line(
    bytes: &[u8],
    start: usize,
    marks: &[u32],
    line: u64,
    context: &Context<'_>,
    pending: &mut Pending,
    batch: &mut Batch,
) -> Option<(usize, usize)> {
    let (label, tag, first) = match short_head(u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?)) {
        Some((label, negative)) => (label, &b""[..], 2 + usize::from(negative)),
        None => long_head(bytes, start, marks, context)?,
    };
    let mut used = first + 1;
    let mut at = *marks.get(first)? as usize;
    let room = pending.codes.len().min(pending.values.len());
    let (codes, values) = (&mut pending.codes[..room], &mut pending.values[..room]);
    let mut count = pending.complete;
    let mut end = bytes[at];
    while end == b' ' {
        let window = bytes.get(at + 1..)?.first_chunk()?;
        let ahead = marks.get(used..)?.first_chunk()?;
        let found = feature(window, ahead, (at + 1) as u32)?;
        // What was found is not asked where it ends: the next feature does not wait for it.
        used += found.marks;
        at = ahead[found.marks - 1] as usize;
        end = bytes[at];
        *codes.get_mut(count)? = Code::Number(found.name).pack();
        values[count] = found.value;
        // All but the sign is 0: it is left out.
        count += usize::from(found.value.to_bits() << 1 != 0);
    }
    if end != b'\n' {
        return None;
    }
    let features = (count - pending.complete) as u32;
    pending.complete = count;
    pending.lines.push(Ending { label, line, features, namespaces: 1, tag: tag.len() as u32 });
    batch.end_namespace_at(features);
    if !tag.is_empty() {
        batch.push_tags(tag);
    }
    Some((at, used))
}

/// What is before a line's features, and the mark after the bar.
#[inline(never)]
fn long_head<'a>(
    bytes: &'a [u8],
    start: usize,
    marks: &[u32],
    context: &Context<'_>,
) -> Option<(Label, &'a [u8], usize)> {
    let bar_mark = marks.iter().position(|place| matches!(bytes[*place as usize], b'|' | b'\n'))?;
    let bar = marks[bar_mark] as usize;
    // The namespace has no name.
    if bytes[bar] == b'\n' || *marks.get(bar_mark + 1)? as usize != bar + 1 {
        return None;
    }
    let (label, tag) = head(&bytes[start..bar], context).ok()?;
    Some((label, tag, bar_mark + 1))
}

/// A feature as it was read.
struct Found {
    name: u32,
    value: f32,
    /// How many marks it takes, that of the byte after it included.
    marks: usize,
}

/// Reads the feature that `window` begins with, at `start`. No bytes, as between two spaces or at the end of a line, are a feature of
/// value 0.
#[inline(always)]
fn feature(window: &[u8; WINDOW], ahead: &[u32; MARKS], start: u32) -> Option<Found> {
    let place = |mark: usize| ahead[mark].wrapping_sub(start) as usize;
    let length = place(0);
    if length > MOST_DIGITS {
        return None;
    }
    if length == 0 {
        return Some(Found { name: 0, value: 0.0, marks: 1 });
    }
    let name = if length <= 4 { few_digits(window, length) } else { digits(window, 0, length) as u32 };
    if name >= Code::NUMBERS {
        return None;
    }
    if window[length] != b':' {
        return Some(Found { name, value: 1.0, marks: 1 });
    }
    // Signs are as good as random: a branch would often be guessed wrong.
    let negative = window[length + 1] == b'-';
    let (whole, point) = (length + 1 + usize::from(negative), place(1));
    let whole_digits = point.wrapping_sub(whole);
    if whole_digits > MOST_DIGITS {
        return None;
    }
    let mut mantissa = match whole_digits {
        0 => 0,
        1 => u64::from(window[whole] ^ b'0'),
        _ => digits(window, whole, whole_digits),
    };
    if window[point] != b'.' {
        let value = number::rounded(negative, mantissa, 0).filter(|_| whole_digits > 0)?;
        return Some(Found { name, value, marks: 2 });
    }
    let decimals = place(2).wrapping_sub(point + 1);
    if decimals.wrapping_sub(1) >= MOST_DECIMALS {
        return None;
    }
    mantissa = mantissa * number::WHOLE_POWERS[decimals] + digits(window, point + 1, decimals);
    Some(Found { name, value: number::rounded(negative, mantissa, decimals)?, marks: 3 })
}

/// The number that 1 to 8 digits write.
#[inline(always)]
fn digits(window: &[u8; WINDOW], start: usize, length: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&window[start..start + 8]);
    number::of_digits(eight, length)
}

/// The number that 1 to 4 digits at the window's start write.
#[inline(always)]
fn few_digits(window: &[u8; WINDOW], length: usize) -> u32 {
    number::of_few_digits([window[0], window[1], window[2], window[3]], length)
}
