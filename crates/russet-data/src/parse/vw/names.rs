//! Lines of features that are called by names, read fast: any namespaces without a scale, and no feature without a name.
//!
//! Where words end is found for the whole block first. Whatever is not in this form, or wrong, is left to the
//! [plain parser](super::plain), which says what holds.

use std::ops::Range;

use russet::batch::{Batch, Code, Ending};
use russet::feature::Namespace;

use super::head::head;
use super::pending::Pending;
use super::plain::push_name;
use crate::number;
use crate::parse::Context;

/// A name of more digits is no number.
const MOST_DIGITS: usize = 19;

/// What was found in a line: first all of its features, then what they are called.
#[derive(Debug, Default)]
pub(super) struct Found {
    namespaces: Vec<Space>,
    features: Vec<Feature>,
}

/// A namespace of a line.
#[derive(Debug)]
struct Space {
    /// Where its name begins and ends.
    start: usize,
    end: usize,
    /// How many features the line has up to its end.
    features: usize,
}

/// A feature of a line.
#[derive(Debug)]
struct Feature {
    /// Where its name begins and ends.
    start: usize,
    end: usize,
    value: f32,
}

/// Reads the line at `start` as one example, if it is in this form; gives the place of its end, and how many marks there are up to
/// it. `marks`: where words end, from the line's start on. It comes to the batch with [`Pending::hand_over`].
pub(super) fn line(
    bytes: &[u8],
    start: usize,
    marks: &[u32],
    line: u64,
    context: &mut Context<'_>,
    pending: &mut Pending,
    batch: &mut Batch,
) -> Option<(usize, usize)> {
    let bar = marks.iter().position(|place| matches!(bytes[*place as usize], b'|' | b'\n'))?;
    // A line without a bar has no namespace, and is none of ours.
    let (label, tag) = head(&bytes[start..marks[bar] as usize], context).ok()?;
    let used = bar + pending.found.find(bytes, &marks[bar..])?;
    let Pending { found, codes, values, complete, lines } = pending;
    let (mut count, mut begun) = (*complete, 0);
    for Space { start, end, features } in &found.namespaces {
        let space = &bytes[*start..*end];
        let namespace = Namespace::new(space);
        for Feature { start, end, value } in &found.features[begun..*features] {
            let code = code_of(bytes, *start..*end, (namespace, space), context, batch);
            (*codes.get_mut(count)?, *values.get_mut(count)?) = (code.pack(), *value);
            count += 1;
        }
        begun = *features;
    }
    found.namespaces.iter().for_each(|space| batch.end_namespace_at(space.features as u32));
    *complete = count;
    let (features, namespaces) = (found.features.len() as u32, found.namespaces.len() as u32);
    lines.push(Ending { label, line, features, namespaces, tag: tag.len() as u32 });
    batch.push_tags(tag);
    Some((marks[used] as usize, used + 1))
}

impl Found {
    /// Finds the features of a line whose first bar is the first of `marks`; gives how many marks are before its end.
    #[inline(always)]
    fn find(&mut self, bytes: &[u8], marks: &[u32]) -> Option<usize> {
        self.namespaces.clear();
        self.features.clear();
        let mut rest = marks.iter().map(|place| *place as usize);
        let mut at = rest.next()?;
        while bytes[at] == b'|' {
            let (start, end) = (at + 1, rest.next()?);
            at = end;
            while !matches!(bytes[at], b'|' | b'\n') {
                let (start, end) = (at + 1, rest.next()?);
                // A scale, or a value after a value.
                if bytes[at] == b':' {
                    return None;
                }
                at = end;
                let mut value = 1.0;
                if bytes[end] == b':' {
                    at = rest.next()?;
                    value = number::of_word(bytes, end + 1..at)?;
                }
                // Between two spaces there is no feature; a value without a name is another's to name.
                match start < end {
                    true if value != 0.0 => self.features.push(Feature { start, end, value }),
                    true => {}
                    false if bytes[end] == b':' => return None,
                    false => {}
                }
            }
            self.namespaces.push(Space { start, end, features: self.features.len() });
        }
        let used = marks.len() - rest.len() - 1;
        (bytes[at] == b'\n' && !self.namespaces.is_empty()).then_some(used)
    }
}

/// The code of the feature that is called `name`.
#[inline(always)]
fn code_of(
    bytes: &[u8],
    name: Range<usize>,
    (namespace, space): (Namespace, &[u8]),
    context: &mut Context<'_>,
    batch: &mut Batch,
) -> Code {
    let id = match number(bytes, &name) {
        Some(number) if space.is_empty() && number < u64::from(Code::NUMBERS) => return Code::Number(number as u32),
        Some(number) => namespace.numbered(number),
        None => namespace.verbatim_in(bytes, name.clone()),
    };
    Code::Declared(context.dictionary.index(batch, id, |names| push_name(names, space, &bytes[name])))
}

/// The number that a name is, if it is one.
#[inline(always)]
fn number(bytes: &[u8], name: &Range<usize>) -> Option<u64> {
    if !bytes[name.start].is_ascii_digit() || name.len() > MOST_DIGITS {
        return None;
    }
    let (number, end) = number::whole(bytes, name.start);
    (end == name.end).then_some(number)
}
