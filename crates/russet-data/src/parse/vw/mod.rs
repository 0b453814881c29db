//! Vowpal Wabbit's text, as it reads it: `label [importance [base]] ['tag]|ns[:scale] name[:value] ... |ns ...`
//!
//! The last word before the first bar is a tag if it touches the bar or begins with a quote mark. An all-digit
//! name is a number. A missing value is 1, a value of 0 leaves the feature out. Features without a name count
//! through within their namespace. An empty line is an example without label or features.

// Calls of two functions that are compiled for some processors only.
#![allow(unsafe_code)]

mod marks;
mod numbers;
#[cfg(target_arch = "x86_64")]
mod wide;

use russet::batch::{Batch, Code, Label};
use russet::feature::{FeatureId, Namespace};

use super::{Context, Fault, Parsed, not_finite};
use crate::{OnError, number};
use marks::{Kinds, Marks, Stretch};
use numbers::Pending;
#[cfg(target_arch = "x86_64")]
use wide::Wide;

/// What ends a name or a value. A line's end is a `\n` that is always there.
#[inline(always)]
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'|' | b'\n' | b'\r')
}

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

/// Reads the line at `start`; gives the place of the next one, or nothing if its faults are not forgiven.
#[inline(never)]
fn read_plainly(
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
        let index = context.dictionary.index(batch, id, |names| match space.name {
            b"" => names.push(display(name)),
            space => names.push_parts(&[space, b"^", display(name)]),
        });
        batch.push(index, value);
    }
    Ok(end)
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

/// What stands before the first bar: label, importance, base prediction and tag.
#[inline]
fn head<'a>(head: &'a [u8], context: &Context<'_>) -> Result<(Label, &'a [u8]), Fault> {
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
fn short_head(word: u64) -> Option<(Label, bool)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::parse::Parser;
    use crate::parse::tests::{Seen, parse_block, read, read_error, seen};
    use crate::{Block, ReadOptions};
    use proptest::prelude::*;
    use russet::batch::Dictionary;

    fn examples(text: &str) -> Vec<Seen> {
        read(Format::Vw, text, true)
    }

    fn error(text: &str) -> String {
        read_error(Format::Vw, text)
    }

    #[test]
    fn plain_lines() {
        let seen = examples("1 | a b:2.5 7\n-1.5 | 007:-1 c:0 d\r\n");
        assert_eq!(seen[0].features, [("a", 1.0), ("b", 2.5), ("7", 1.0)].map(|(n, v)| (n.to_owned(), v)));
        assert_eq!(seen[1].features, [("7", -1.0), ("d", 1.0)].map(|(n, v)| (n.to_owned(), v)));
        assert_eq!(seen[1].label, Label::new(-1.5));
    }

    #[test]
    fn namespaces_scales_and_nameless_features() {
        let seen = examples("1 |x:2 a:3 b |y a |:0.5 c:4 :0.5 :0.7\n");
        let expected = [("x^a", 6.0), ("x^b", 2.0), ("y^a", 1.0), ("c", 2.0), ("0", 0.25), ("1", 0.35)];
        assert_eq!(seen[0].features, expected.map(|(n, v)| (n.to_owned(), v)));
        assert_eq!(seen[0].namespace_ends, [2, 3, 6]);
    }

    #[test]
    fn labels_with_importance_base_and_tag() {
        let full = Label { value: Some(1.0), importance: 0.5, base: 0.25 };
        for (text, label, tag) in [
            ("1 0.5 0.25 'name|a\n", full, "name"),
            ("1 0.5 0.25 'name |a\n", full, "name"),
            ("1 0.5 0.25 name|a\n", full, "name"),
            ("1 '| a\n", Label::new(1.0), ""),
            ("1\t| a\n", Label::new(1.0), ""),
        ] {
            let seen = examples(text);
            assert_eq!((seen[0].label, seen[0].tag.as_str()), (label, tag), "{text}");
        }
    }

    #[test]
    fn empty_examples() {
        assert_eq!(examples("1 |\n\n-1 |  \n").len(), 2);
        let unlabelled = read(Format::Vw, "1 |\n\n| a", false);
        assert_eq!(unlabelled.len(), 3);
        assert_eq!(unlabelled[1].label, Label::unknown());
        assert_eq!(unlabelled[2].label, Label::unknown());
    }

    #[test]
    fn faults_name_their_place() {
        assert_eq!(error("1 | a:nan\n"), "test:1:7: feature value is `nan`; expected a finite number");
        assert_eq!(error("1 | a\n1 | b:1e999 c\n"), "test:2:7: feature value is `1e999`; expected a finite number");
        assert_eq!(error("1 | a:inf\n"), "test:1:7: feature value is `inf`; expected a finite number");
        assert_eq!(error("1 | a:1x\n"), "test:1:7: feature value is `1x`; expected a finite number");
        assert_eq!(error("nan | a\n"), "test:1:1: label is `nan`; expected a finite number");
        assert_eq!(error("| a\n"), "test:1:1: there is no label; expected a number before `|`");
        assert_eq!(
            error("1|f a\n"),
            "test:1:1: there is no label; expected a number before `|` (a word that touches the bar is a tag: put a space before `|`)"
        );
        assert_eq!(error("1 -2 | a\n"), "test:1:3: importance is `-2`; expected 0 or more");
        assert_eq!(error("1 1 0 4 | a\n"), "test:1:7: text before `|` is `4`; expected a tag that begins with '");
        assert_eq!(error("1 |x:y a\n"), "test:1:6: namespace scale is `y`; expected a finite number");
        assert_eq!(error("hello\n"), "test:1:1: this line is `hello`; expected `label | features`, but it has no `|`");
    }

    /// How a block is read.
    #[derive(Clone, Copy, Debug)]
    enum Way {
        /// By the plain parser alone.
        Plain,
        /// With the fast one before it.
        Narrow,
        /// With AVX-512 where there is such.
        Wide,
    }

    type Outcome = (Vec<Seen>, u64, Option<String>, Option<String>);

    /// What comes of a block.
    fn outcome(text: &str, way: Way, on_error: OnError) -> Outcome {
        let mut parser = Parser::new(0, ReadOptions { on_error, ..ReadOptions::default() });
        parser.vw.pause = u32::from(matches!(way, Way::Plain));
        parser.vw.narrow = matches!(way, Way::Narrow);
        let block = Block { name: "test".into(), first_line: 1, bytes: text.into(), ..Block::default() };
        let parsed = parse_block(&mut parser, Format::Vw, block);
        let fatal = parsed.fatal.as_ref().map(ToString::to_string);
        (seen(&parsed), parsed.skipped, parsed.complaint.clone(), fatal)
    }

    fn all_ways_agree(text: &str, on_error: OnError) -> Result<(), TestCaseError> {
        let expected = outcome(text, Way::Plain, on_error);
        prop_assert_eq!(&outcome(text, Way::Narrow, on_error), &expected);
        prop_assert_eq!(&outcome(text, Way::Wide, on_error), &expected);
        Ok(())
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => "[1-9][0-9]{0,6}(:-?[0-9](\\.[0-9]{1,8})?)?",
            4 => "[0-9]{1,9}(:[+-]?[0-9]{0,9}(\\.[0-9]{0,10})?)?",
            1 => "[0-9a-c:.e+|\t\r-]{0,6}",
        ]
    }

    fn text() -> impl Strategy<Value = String> {
        let head = prop_oneof![8 => "-?1 ", 2 => "-?[0-9]{1,3} ", 1 => "[0-9. 'a-]{0,6}"];
        let end = prop_oneof![8 => Just("\n"), 1 => Just(" \n"), 1 => Just("\r\n"), 1 => Just("\n\n")];
        let bar = prop_oneof![8 => Just("| "), 1 => Just("|"), 1 => Just("|n "), 1 => Just("|:2 ")];
        let line = (head, bar, prop::collection::vec(word(), 0..80), end)
            .prop_map(|(head, bar, words, end)| format!("{head}{bar}{}{end}", words.join(" ")));
        prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn fast_ways_read_what_the_plain_one_does(text in text(), skip in any::<bool>()) {
            let on_error = if skip { OnError::Skip } else { OnError::Stop };
            all_ways_agree(&text, on_error)?;
        }

        #[test]
        fn fast_ways_read_values_to_the_bit(values in prop::collection::vec("-?[0-9]{0,8}(\\.[0-9]{1,8})?", 1..60)) {
            let features: String = values.iter().map(|value| format!(" 1:{value} 2")).collect();
            let text = format!("1 |{features}\n").repeat(4);
            all_ways_agree(&text, OnError::Stop)?;
        }

        /// One in a hundred million is as close to the middle as these.
        #[test]
        fn fast_ways_read_values_between_two_floats(bits in 0x3a00_0000u32..0x4b00_0000, off in -9i32..=9) {
            let (low, high) = (f64::from(f32::from_bits(bits)), f64::from(f32::from_bits(bits + 1)));
            let middle = f64::from_bits(((low + high) / 2.0).to_bits().wrapping_add_signed(i64::from(off)));
            let text = format!("1 | 1:{middle:.8} 2:-{middle:.7} 3:{middle:.6}\n");
            all_ways_agree(&text, OnError::Stop)?;
        }
    }

    #[test]
    fn lines_in_the_common_form_are_read_fast() {
        let text = "1 | 1:0.5  2 123456:-7 7:-0.12345678 3:12.5 4:0\n".repeat(2);
        let (mut dictionary, mut batch, mut marks) = (Dictionary::default(), Batch::default(), Marks::default());
        let mut pending = Pending::default();
        batch.start(&mut dictionary);
        let context = Context { labels: true, dictionary: &mut dictionary };
        let marks = marks.find(text.as_bytes(), Kinds::of);
        pending.make_room(marks.len());
        let found = numbers::line(text.as_bytes(), 0, marks, 1, &context, &mut pending, &mut batch);
        pending.hand_over(&mut batch);
        assert_eq!(found.map(|(end, _)| end), Some(text.len() / 2 - 1));
        assert_eq!(batch.example(0).values, [0.5, 1.0, -7.0, -0.123_456_78, 12.5]);
    }

    #[test]
    fn wherever_a_token_lies_in_a_stretch() {
        for length in 0..70 {
            let text = format!(
                "{}1 | 1:-0.12345678 22:-3 4444444 333:0.5 7:-.5 8:0\n",
                "1 | 1\n-1 |\n0 | \n".repeat(length) + &" ".repeat(length % 16)
            );
            all_ways_agree(&text, OnError::Stop).unwrap();
        }
    }

    #[test]
    fn features_of_a_line_of_any_length() {
        for length in 0..200 {
            let text = format!("-3 |{} 5\n1 | 2\n", " 1:0.5 2:-7".repeat(length));
            all_ways_agree(&text, OnError::Stop).unwrap();
        }
        let long = format!("1 | {}:1\n1 | 5:{}\n1 | 7\n", "1".repeat(300), "2".repeat(130));
        all_ways_agree(&long, OnError::Skip).unwrap();
    }
}
