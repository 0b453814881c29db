//! Any line, read in the obvious way: what holds where the fast ways give up.

use russet::batch::{Batch, Code, Label};
use russet::feature::{FeatureId, Names, Namespace};

use super::head::head;
use crate::parse::{Context, Fault, Parsed, not_finite};
use crate::{OnError, number};

/// Reads the line at `start`; gives the place of the next one, or nothing if its faults are not forgiven.
#[inline(never)]
pub(super) fn read_plainly(
    bytes: &[u8],
    start: usize,
    number: u64,
    context: &mut Context<'_>,
    parsed: &mut Parsed,
    on_error: OnError,
) -> Option<usize> {
    match line(bytes, start, number, context, &mut parsed.batch) {
        Ok(end) => Some(end + 1),
        Err(fault) => {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
            let fault = Fault { at: fault.at - start, message: fault.message };
            parsed.forgive(fault, number, on_error).then_some(end + 1)
        }
    }
}

/// Reads the line at `start` as one example; gives the place of its end.
fn line(bytes: &[u8], start: usize, number: u64, context: &mut Context<'_>, batch: &mut Batch) -> Result<usize, Fault> {
    let mut at = start;
    while !matches!(bytes[at], b'|' | b'\n') {
        at += 1;
    }
    if bytes[at] == b'\n' {
        return without_bar(bytes, start, at, number, context, batch);
    }
    let (label, tag) = head(&bytes[start..at], context).map_err(|fault| Fault { at: fault.at + start, ..fault })?;
    loop {
        at = namespace(bytes, at + 1, context, batch)?;
        batch.end_namespace();
        if bytes[at] != b'|' {
            break;
        }
    }
    batch.end_example(label, tag, number);
    Ok(at)
}

#[cold]
fn without_bar(
    bytes: &[u8],
    start: usize,
    end: usize,
    number: u64,
    context: &Context<'_>,
    batch: &mut Batch,
) -> Result<usize, Fault> {
    let line = bytes[start..end].trim_ascii_end();
    if !line.is_empty() {
        return Err(Fault::expected(start, "this line", line, "`label | features`, but it has no `|`"));
    }
    // An empty line: nothing to learn, but something to predict.
    if !context.labels {
        batch.end_example(Label::unknown(), b"", number);
    }
    Ok(end)
}

/// Reads the namespace whose name begins at `at`; gives the place of the next bar, or the line's end.
fn namespace(bytes: &[u8], mut at: usize, context: &mut Context<'_>, batch: &mut Batch) -> Result<usize, Fault> {
    let name = word(bytes, at);
    at += name.len();
    let mut scale = 1.0;
    if bytes[at] == b':' {
        (scale, at) = value(bytes, at + 1).ok_or_else(|| bad_value(bytes, at + 1, "namespace scale"))?;
    }
    let space = Space { namespace: Namespace::new(name), name, scale };
    let mut unnamed = 0;
    loop {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            b'\n' | b'|' => return Ok(at),
            // The line's end, if that is `\r\n`; otherwise white space.
            b'\r' => at += 1,
            b'0'..=b'9' => at = numbered(bytes, at, &space, context, batch)?,
            b':' => {
                // A feature without a name is named by its number within the namespace.
                let (name, id) = (unnamed.to_string(), space.namespace.numbered(unnamed));
                at = named(bytes, name.as_bytes(), at, id, &space, context, batch)?;
                unnamed += 1;
            }
            _ => {
                let start = at;
                at += word(bytes, at).len();
                let id = space.namespace.feature(&bytes[start..at]);
                at = named(bytes, &bytes[start..at], at, id, &space, context, batch)?;
            }
        }
    }
}

/// A feature whose name begins with a digit; most likely it is a number.
#[inline(always)]
fn numbered(
    bytes: &[u8],
    start: usize,
    space: &Space<'_>,
    context: &mut Context<'_>,
    batch: &mut Batch,
) -> Result<usize, Fault> {
    let (number, mut at) = number::whole(bytes, start);
    if !(bytes[at] == b':' || ends_word(bytes[at])) || at - start > 19 {
        at = start + word(bytes, start).len();
        let id = space.namespace.feature(&bytes[start..at]);
        return named(bytes, &bytes[start..at], at, id, space, context, batch);
    }
    if number >= u64::from(Code::NUMBERS) || !space.name.is_empty() {
        let id = space.namespace.numbered(number);
        return named(bytes, &bytes[start..at], at, id, space, context, batch);
    }
    let (value, end) = feature_value(bytes, at, space).ok_or_else(|| bad_feature_value(bytes, at))?;
    if value != 0.0 {
        batch.push_number(number as u32, value);
    }
    Ok(end)
}

/// A namespace within a line.
struct Space<'a> {
    namespace: Namespace,
    name: &'a [u8],
    scale: f32,
}

/// Adds the feature called `name`; its value, if any, is at `at`.
#[inline]
fn named(
    bytes: &[u8],
    name: &[u8],
    at: usize,
    id: FeatureId,
    space: &Space<'_>,
    context: &mut Context<'_>,
    batch: &mut Batch,
) -> Result<usize, Fault> {
    let (value, end) = feature_value(bytes, at, space).ok_or_else(|| bad_feature_value(bytes, at))?;
    if value != 0.0 {
        let index = context.dictionary.index(batch, id, |names| push_name(names, space.name, name));
        batch.push(index, value);
    }
    Ok(end)
}

/// Adds the name under which people know a feature.
pub(super) fn push_name(names: &mut Names, space: &[u8], name: &[u8]) {
    match space {
        b"" => names.push(display(name)),
        space => names.push_parts(&[space, b"^", display(name)]),
    }
}

/// The value that may follow a name, times the namespace's scale, and where it ends.
#[inline(always)]
fn feature_value(bytes: &[u8], at: usize, space: &Space<'_>) -> Option<(f32, usize)> {
    if bytes[at] != b':' {
        return Some((space.scale, at));
    }
    let (value, end) = value(bytes, at + 1)?;
    if space.scale == 1.0 {
        return Some((value, end));
    }
    let scaled = value * space.scale;
    scaled.is_finite().then_some((scaled, end))
}

/// A finite number that ends where a word does.
#[inline(always)]
fn value(bytes: &[u8], at: usize) -> Option<(f32, usize)> {
    let (value, length) = number::parse_finite(&bytes[at..])?;
    let end = at + length;
    ends_word(bytes[end]).then_some((value, end))
}

/// What ends a name or a value. A line's end is a `\n` that is always there.
#[inline(always)]
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'|' | b'\n' | b'\r')
}

#[cold]
fn bad_feature_value(bytes: &[u8], at: usize) -> Fault {
    match value(bytes, at + 1) {
        Some(_) => Fault::new(at + 1, "feature value times namespace scale is too large; expected a finite number"),
        None => bad_value(bytes, at + 1, "feature value"),
    }
}

#[cold]
fn bad_value(bytes: &[u8], at: usize, what: &str) -> Fault {
    let length = bytes[at..].iter().position(|byte| ends_word(*byte)).unwrap_or(0);
    not_finite(at, what, &bytes[at..at + length])
}

/// The bytes up to the next space, colon or bar.
#[inline]
fn word(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at..];
    let length = rest.iter().position(|byte| *byte == b':' || ends_word(*byte)).unwrap_or(rest.len());
    &rest[..length]
}

/// A number's name without leading zeros.
fn display(name: &[u8]) -> &[u8] {
    let digits = name.iter().all(u8::is_ascii_digit);
    match name.iter().position(|byte| *byte != b'0') {
        Some(first) if digits => &name[first..],
        None if digits => b"0",
        _ => name,
    }
}
