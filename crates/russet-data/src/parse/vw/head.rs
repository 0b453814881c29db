//! What stands before a line's first bar.

use russet::batch::Label;

use crate::number;
use crate::parse::{Context, Fault, not_finite};

/// What stands before the first bar: label, importance, base prediction and tag.
#[inline]
pub(super) fn head<'a>(head: &'a [u8], context: &Context<'_>) -> Result<(Label, &'a [u8]), Fault> {
    // By far the most common: a number and a space.
    if let Some((value, length)) = number::parse(head)
        && length + 1 == head.len()
        && head[length] == b' '
        && value.is_finite()
    {
        return Ok((Label::new(value), b""));
    }
    full_head(head, context)
}

/// A label of one digit before a bar and a space, as most are; and whether it has a sign. `word`: the eight bytes that the line begins with.
#[inline(always)]
pub(super) fn short_head(word: u64) -> Option<(Label, bool)> {
    let negative = word as u8 == b'-';
    let unsigned = (word >> (8 * u32::from(negative))) as u32;
    let digit = (unsigned as u8).wrapping_sub(b'0');
    let label = f32::from(digit);
    let known = unsigned >> 8 == u32::from_le_bytes(*b" | \0") && digit < 10;
    known.then_some((Label::new(if negative { -label } else { label }), negative))
}

fn full_head<'a>(head: &'a [u8], context: &Context<'_>) -> Result<(Label, &'a [u8]), Fault> {
    let mut words: Vec<&[u8]> =
        head.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()).collect();
    let touches_bar = head.last().is_some_and(|byte| !matches!(byte, b' ' | b'\t'));
    let tag = words.pop_if(|word| touches_bar || word.starts_with(b"'")).unwrap_or_default();
    let place = |word: &[u8]| word.as_ptr() as usize - head.as_ptr() as usize;
    let mut numbers = [f32::NAN; 3];
    for (position, word) in words.iter().enumerate() {
        let what = ["label", "importance", "base prediction"].get(position);
        let what =
            what.ok_or_else(|| Fault::expected(place(word), "text before `|`", word, "a tag that begins with '"))?;
        numbers[position] = number::parse_whole(word)
            .filter(|number| number.is_finite())
            .ok_or_else(|| not_finite(place(word), what, word))?;
        if position == 1 && numbers[1] < 0.0 {
            return Err(Fault::expected(place(word), what, word, "0 or more"));
        }
    }
    if words.is_empty() && context.labels {
        return Err(missing_label(tag));
    }
    let or = |number: f32, default: f32| if number.is_nan() { default } else { number };
    let value = (!words.is_empty()).then_some(numbers[0]);
    let label = Label { value, importance: or(numbers[1], 1.0), base: or(numbers[2], 0.0) };
    Ok((label, tag.strip_prefix(b"'").unwrap_or(tag)))
}

#[cold]
fn missing_label(tag: &[u8]) -> Fault {
    let hint = match number::parse_whole(tag) {
        Some(_) => " (a word that touches the bar is a tag: put a space before `|`)",
        None => "",
    };
    Fault::new(0, format!("there is no label; expected a number before `|`{hint}"))
}
