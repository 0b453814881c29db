use super::*;
use crate::parse::Parser;
use crate::parse::tests::{Seen, parse_block, read, read_error};
use crate::{Block, Format, ReadOptions};
use proptest::prelude::*;
use russet::batch::{Batch, Dictionary, Label};
use russet::feature::FeatureId;

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
    /// With the fast one for numbers before it.
    Narrow,
    /// With AVX-512 where there is such.
    Wide,
    /// With the fast one for names before it.
    Names,
}

/// Examples, features that were declared, lines that were skipped, the first complaint and the error.
type Outcome = (Vec<String>, Vec<(FeatureId, String)>, u64, Option<String>, Option<String>);

/// What comes of blocks that one parser reads one after the other.
fn outcomes(blocks: &[Vec<u8>], way: Way, on_error: OnError) -> Vec<Outcome> {
    let mut parser = Parser::new(0, ReadOptions { on_error, ..ReadOptions::default() });
    parser.vw.narrow = matches!(way, Way::Narrow);
    if matches!(way, Way::Names) {
        parser.vw.form = Form::Names;
    }
    let mut outcome = |bytes: &Vec<u8>| {
        if matches!(way, Way::Plain) {
            parser.vw.pause = 1;
        }
        let block = Block { name: "test".into(), first_line: 1, bytes: bytes.clone(), ..Block::default() };
        let parsed = parse_block(&mut parser, Format::Vw, block);
        let fatal = parsed.fatal.as_ref().map(ToString::to_string);
        // As text: what is no number has its sign and zeros of both signs differ.
        let examples = parsed.batch.iter().map(|example| format!("{example:?}")).collect();
        let names = (0..).map(|place| parsed.batch.declared_names().text(place).into_owned());
        let declared = parsed.batch.declared_ids().iter().copied().zip(names).collect();
        (examples, declared, parsed.skipped, parsed.complaint.clone(), fatal)
    };
    blocks.iter().map(&mut outcome).collect()
}

fn all_ways_agree(text: &str, on_error: OnError) -> Result<(), TestCaseError> {
    all_ways_agree_on(&[text.into()], on_error)
}

fn all_ways_agree_on(blocks: &[Vec<u8>], on_error: OnError) -> Result<(), TestCaseError> {
    let expected = outcomes(blocks, Way::Plain, on_error);
    for way in [Way::Narrow, Way::Wide, Way::Names] {
        prop_assert_eq!(&outcomes(blocks, way, on_error), &expected, "{:?}", way);
    }
    Ok(())
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[1-9][0-9]{0,6}(:-?[0-9](\\.[0-9]{1,8})?)?",
        4 => "[0-9]{1,9}(:[+-]?[0-9]{0,9}(\\.[0-9]{0,10})?)?",
        1 => "[0-9a-c:.e+|\t\r-]{0,6}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-d.-][a-z0-9=]{0,24}(:-?[0-9](\\.[0-9]{1,9})?)?",
        4 => "[a-c]{1,2}(:[+-]?[0-9]{0,9}(\\.[0-9]{0,10})?)?",
        2 => "0{0,3}[0-9]{1,21}(:[0-9]\\.[0-9]e-?[0-9])?",
        2 => "\\|[a-b]{0,9}",
        1 => word(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![text_of(word().boxed()), text_of(name().boxed())]
}

fn text_of(word: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let head = prop_oneof![8 => "-?1 ", 2 => "-?[0-9]{1,3} ", 1 => "[0-9. 'a-]{0,6}"];
    let end = prop_oneof![8 => Just("\n"), 1 => Just(" \n"), 1 => Just("\r\n"), 1 => Just("\n\n")];
    let bar = prop_oneof![8 => Just("| "), 1 => Just("|"), 1 => Just("|n "), 1 => Just("|:2 ")];
    let line = (head, bar, prop::collection::vec(word, 0..80), end)
        .prop_map(|(head, bar, words, end)| format!("{head}{bar}{}{end}", words.join(" ")));
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

/// Lines with some bytes changed, cut off anywhere.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let odd = prop_oneof![any::<u8>(), prop::sample::select(b"0-.e:| \t\n\r'\0\xff".to_vec())];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), odd), 0..4);
    (text(), changes, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(text, changes, end, cut)| {
        let mut bytes = text.into_bytes();
        for (place, byte) in changes {
            if let length @ 1.. = bytes.len() {
                bytes[place.index(length)] = byte;
            }
        }
        bytes.truncate(if cut { end.index(bytes.len() + 1) } else { bytes.len() });
        bytes
    })
}

proptest! {
    #[test]
    fn fast_ways_read_what_the_plain_one_does(text in text(), skip in any::<bool>()) {
        let on_error = if skip { OnError::Skip } else { OnError::Stop };
        all_ways_agree(&text, on_error)?;
    }

    /// What one block leaves behind in the parser must not show in the next, whatever bytes it had.
    #[test]
    fn fast_ways_read_block_after_block(blocks in prop::collection::vec(bytes(), 1..4), skip in any::<bool>()) {
        let on_error = if skip { OnError::Skip } else { OnError::Stop };
        all_ways_agree_on(&blocks, on_error)?;
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
fn lines_of_names_are_read_fast() {
    let line = "1 0.5 'tag |a x:0.5 007  y:0\ty:-2 |b x:1e1 |\n";
    let text = line.repeat(2);
    let (mut dictionary, mut batch, mut marks) = (Dictionary::default(), Batch::default(), Marks::default());
    let mut pending = Pending::default();
    batch.start(&mut dictionary);
    let mut context = Context { labels: true, dictionary: &mut dictionary };
    let marks = marks.find_bits(text.as_bytes(), marks::word_ends);
    pending.make_room(marks.len());
    let (end, used) = names::line(text.as_bytes(), 0, marks, 1, &mut context, &mut pending, &mut batch).unwrap();
    assert_eq!((end, marks[used] as usize), (line.len() - 1, line.len() + 1));
    pending.hand_over(&mut batch);
    let example = batch.example(0);
    assert_eq!((example.values, example.tag), (&[0.5, 1.0, -2.0, 10.0][..], &b"tag"[..]));
    assert_eq!(example.namespace_ends, [3, 4, 4]);
}

#[test]
fn the_form_that_most_lines_have_is_found() {
    let (names, numbers, neither) = ("1 | a:1 b\n".repeat(9), "1 | 1:1 2\n".repeat(9), "1 |a:2 b\n".repeat(9));
    let mut parser = Parser::new(0, ReadOptions::default());
    let mut read = |text: &str| {
        let block = Block { name: "test".into(), first_line: 1, bytes: text.into(), ..Block::default() };
        assert_eq!(parse_block(&mut parser, Format::Vw, block).batch.len(), 9);
        (parser.vw.form, parser.vw.pause)
    };
    assert_eq!(read(&numbers), (Form::Numbers, 0));
    assert_eq!(read(&names), (Form::Names, 0));
    assert_eq!(read(&names), (Form::Names, 0));
    // Lines of names may have numbers in them.
    assert_eq!(read(&numbers), (Form::Names, 0));
    assert_eq!(read(&neither), (Form::Numbers, 0));
    assert_eq!(read(&neither), (Form::Names, Reader::PAUSE));
    (0..Reader::PAUSE).for_each(|number| assert_eq!(read(&neither), (Form::Names, Reader::PAUSE - 1 - number)));
}

/// One block of names at the beginning made a whole file of numbers slow.
#[test]
fn numbers_after_names_are_read_as_numbers_again() {
    let (names, numbers, long) = ("1 | a:1 b\n", "1 | 1:1 2\n", "1 | 1:0.12345678901234567890123\n");
    let mut parser = Parser::new(0, ReadOptions::default());
    let mut read = |text: &str| {
        let block = Block { name: "test".into(), first_line: 1, bytes: text.into(), ..Block::default() };
        parse_block(&mut parser, Format::Vw, block);
        (parser.vw.form, parser.vw.patience)
    };
    assert_eq!(read(names), (Form::Names, Reader::PAUSE));
    (0..Reader::PAUSE).for_each(|number| assert_eq!(read(numbers), (Form::Names, Reader::PAUSE - 1 - number)));
    assert_eq!(read(names), (Form::Names, 0));
    assert_eq!(read(numbers), (Form::Numbers, 0));
    assert_eq!(read(numbers), (Form::Numbers, 0));
    // These are no names, and none of the numbers that are read fast: tried once in a while.
    assert_eq!(read(long), (Form::Names, Reader::PAUSE));
    assert_eq!(read(long), (Form::Names, Reader::PAUSE - 1));
}

#[test]
fn wherever_a_token_lies_in_a_stretch() {
    for length in 0..70 {
        let text = format!(
            "{}1 | 1:-0.12345678 22:-3 4444444 333:0.5 7:-.5 8:0\n1 |ab some words:2 in it\n",
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
