//! One block of a cache: the features it declares, then its examples, column by column.
//!
//! ```text
//! 4 first feature declared, 4 how many, 4 examples
//! for each feature declared: 8 id, name's length (seven bits a byte), name
//! of each example: how many features it has
//!                  label (no number if there is none), importance, base
//! 8 line before the first; of each example: how many lines it is further
//! of each example: tag's length; then all tags
//! of each example: how many namespaces it has; of each of these: where it ends (none of an example that is all one namespace)
//! of each feature: code, value
//! ```
//! A column (`column`, `features`) is of one width, the narrowest that does for the block, and what is the same for all examples is written once: so
//! a block is read by few plain loops over whole columns, and what is not used takes no time. All examples' counts of features take a byte each at
//! least, unless they are the same and not 0: so there are no more examples in a block than it has bytes, and no more features.

mod column;
mod features;
mod input;

use russet::batch::{Batch, Code, Ending, Example, Label};
use russet::feature::FeatureId;
use std::sync::Arc;

use super::damaged;
use crate::DataError;
use crate::source::Block;
use column::{Wholes, read_numbers, write_numbers, write_wholes};
use input::{Input, write_bytes};

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

/// No block has more examples. Each may take a byte, and takes some 70 in memory: what a file asks for has to stay in bounds.
pub(super) const MOST_EXAMPLES: usize = 1 << 20;

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
    encode_headers(batch, out);
    features::write_codes(batch.codes(), out);
    features::write_values(batch.values(), out);
}

/// All that examples have but their features.
fn encode_headers(batch: &Batch, out: &mut Vec<u8>) {
    let wholes =
        |of: &dyn Fn(&Example<'_>) -> usize| batch.iter().map(|example| of(&example) as u64).collect::<Vec<_>>();
    let numbers = |of: &dyn Fn(&Label) -> f32| batch.iter().map(|example| of(&example.label)).collect::<Vec<_>>();
    let counts = wholes(&|example| example.codes.len());
    // See the top: where there are no features at all, what is there has to be written for each example.
    let least = usize::from(counts.iter().all(|count| *count == 0));
    write_wholes(&counts, least, out);
    write_numbers(&numbers(&|label| label.value.unwrap_or(f32::NAN)), out);
    write_numbers(&numbers(&|label| label.importance), out);
    write_numbers(&numbers(&|label| label.base), out);
    let mut line = batch.iter().next().map_or(0, |example| example.line.wrapping_sub(1));
    out.extend_from_slice(&line.to_le_bytes());
    let step = |example: Example<'_>| example.line.wrapping_sub(std::mem::replace(&mut line, example.line));
    write_wholes(&batch.iter().map(step).collect::<Vec<_>>(), 0, out);
    write_wholes(&wholes(&|example| example.tag.len()), 0, out);
    batch.iter().for_each(|example| out.extend_from_slice(example.tag));
    write_wholes(&wholes(&|example| namespace_ends(example).len()), 0, out);
    let ends: Vec<u64> = batch.iter().flat_map(|example| namespace_ends(&example)).map(|end| u64::from(*end)).collect();
    write_wholes(&ends, 1, out);
}

/// Where the namespaces of an example end, if there is more than one.
fn namespace_ends<'a>(example: &Example<'a>) -> &'a [u32] {
    let whole = [example.codes.len() as u32];
    if example.namespace_ends == whole { &[] } else { example.namespace_ends }
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
        let id = FeatureId(input.u64()?);
        batch.declare(id, input.bytes()?);
    }
    let known = first_declared.checked_add(declared)?.min(Code::NUMBERED);
    if examples as usize > MOST_EXAMPLES {
        return None;
    }
    if !wanted {
        return Some(());
    }
    let headers = Headers::read(&mut input, examples as usize)?;
    batch.push_by(|codes, values| {
        features::read_codes(&mut input, headers.features, known, codes)?;
        features::read_values(&mut input, headers.features, values)
    })?;
    // Until here, what is wrong leaves a batch without examples.
    input.rest.is_empty().then_some(())?;
    headers.end_examples(batch);
    Some(())
}

/// What examples have but their features: columns of one length.
struct Headers<'a> {
    /// How many features all examples have.
    features: usize,
    counts: Vec<u64>,
    labels: Vec<f32>,
    importances: Vec<f32>,
    bases: Vec<f32>,
    line_before: u64,
    steps: Vec<u64>,
    tag_lengths: Vec<u64>,
    tags: &'a [u8],
    namespaces: Vec<u64>,
    namespace_ends: Vec<u64>,
}

impl<'a> Headers<'a> {
    fn read(input: &mut Input<'a>, examples: usize) -> Option<Headers<'a>> {
        let counts = Wholes::read(input, examples)?;
        // Each feature takes a byte at least, and each example one of a feature or of its count: what cannot be true must not be made room for.
        let features = counts.sum(examples).filter(|features| *features <= input.rest.len())?;
        (features > 0 || counts.are_written_out()).then_some(())?;
        let all = |numbers: &[f32], proper: fn(f32) -> bool| numbers.iter().fold(true, |all, it| all & proper(*it));
        let numbers = |input: &mut Input<'_>, proper: fn(f32) -> bool| {
            read_numbers(input, examples).filter(|numbers| all(numbers, proper))
        };
        let labels = numbers(input, |label| label.abs() != f32::INFINITY)?;
        let importances = numbers(input, |importance| importance.is_finite() & (importance >= 0.0))?;
        let bases = numbers(input, f32::is_finite)?;
        let line_before = input.u64()?;
        let steps = Wholes::read(input, examples)?.to_vec(examples);
        let lengths = Wholes::read(input, examples)?;
        let tags = input.slice(lengths.sum(examples)?)?;
        let namespaces = Wholes::read(input, examples)?;
        let ends = namespaces.sum(examples)?;
        let namespace_ends = Wholes::read(input, ends).filter(Wholes::are_written_out)?;
        let headers = Headers {
            features,
            counts: counts.to_vec(examples),
            labels,
            importances,
            bases,
            line_before,
            steps,
            tag_lengths: lengths.to_vec(examples),
            tags,
            namespaces: namespaces.to_vec(examples),
            namespace_ends: namespace_ends.to_vec(ends),
        };
        headers.namespaces_are_in_order().then_some(headers)
    }

    /// True if in each example no namespace ends before the one that precedes it, or after the example.
    fn namespaces_are_in_order(&self) -> bool {
        let mut ends = self.namespace_ends.iter();
        if ends.len() == 0 {
            return true;
        }
        self.namespaces.iter().zip(&self.counts).filter(|(namespaces, _)| **namespaces > 0).all(
            |(namespaces, count)| {
                let ends = ends.by_ref().take(*namespaces as usize);
                ends.chain([count]).is_sorted()
            },
        )
    }

    /// Completes the examples of a batch that has their features.
    fn end_examples(&self, batch: &mut Batch) {
        self.namespace_ends.iter().for_each(|end| batch.end_namespace_at(*end as u32));
        batch.push_tags(self.tags);
        let numbers = self.labels.iter().zip(&self.importances).zip(&self.bases);
        let wholes = self.counts.iter().zip(&self.steps).zip(self.tag_lengths.iter().zip(&self.namespaces));
        let mut line = self.line_before;
        batch.end_examples(numbers.zip(wholes).map(
            |(((label, importance), base), ((count, step), (tag, namespaces)))| {
                line = line.wrapping_add(*step);
                let value = (!label.is_nan()).then_some(*label);
                let label = Label { value, importance: *importance, base: *base };
                Ending { label, line, features: *count as u32, namespaces: *namespaces as u32, tag: *tag as u32 }
            },
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use russet::batch::Dictionary;
    use russet::feature::Namespace;

    /// A name and a value for each feature; label, line and tag.
    type Drawn = (Vec<(u32, i32)>, Option<i32>, u64, String);

    /// A batch of what was drawn. An ordinary one has two labels, mostly ones, and nothing else.
    fn batch_of(examples: &[Drawn], ordinary: bool) -> Batch {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for (place, (features, label, line, tag)) in (7..).zip(examples) {
            for (position, (name, value)) in features.iter().enumerate() {
                let value = if ordinary && *value < 2 { 1.0 } else { *value as f32 / 2.5 };
                match name % 7 {
                    6 => batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{name}"), value),
                    _ if ordinary => batch.push_number(*name, value),
                    power => batch.push_number((name << (4 * power)).min(Code::NUMBERS - 1), value),
                }
                if position == 2 && !ordinary {
                    batch.end_namespace();
                }
            }
            batch.end_namespace();
            if ordinary {
                batch.end_example(Label::new(if label.is_some() { 1.0 } else { -1.0 }), b"", place);
            } else {
                let value = label.map(|label| label as f32);
                let label = Label { value, importance: *line as f32 / 2.0, base: *line as f32 - 2.0 };
                batch.end_example(label, tag.as_bytes(), *line);
            }
        }
        batch
    }

    fn encoded(batch: &Batch) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(batch, &mut bytes);
        bytes
    }

    fn examples() -> impl Strategy<Value = Vec<Drawn>> {
        let features = prop::collection::vec((0u32..50, -2i32..3), 0..30);
        prop::collection::vec((features, prop::option::of(-3i32..3), 1u64..9, "[a-z]{0,3}"), 0..20)
    }

    /// An example may take one byte of a file, and took 70 times that in memory: 8 million did 575 MB.
    #[test]
    fn a_block_of_too_many_examples_is_refused() {
        let payload = |examples: u32| [0u32.to_le_bytes(), 0u32.to_le_bytes(), examples.to_le_bytes()].concat();
        let too_many = MOST_EXAMPLES as u32 + 1;
        // Without examples nothing but their number is read.
        assert_eq!(decode_payload(&payload(too_many), false, &mut Batch::default()), None);
        assert_eq!(decode_payload(&payload(too_many - 1), false, &mut Batch::default()), Some(()));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(examples in examples(), ordinary in any::<bool>()) {
            let batch = batch_of(&examples, ordinary);
            let (bytes, mut decoded) = (encoded(&batch), Batch::default());
            decode_payload(&bytes, true, &mut decoded).unwrap();
            prop_assert_eq!(&bytes, &encoded(&decoded));
            prop_assert_eq!(batch.len(), decoded.len());
            for (ours, theirs) in batch.iter().zip(decoded.iter()) {
                prop_assert_eq!((ours.label, ours.tag, ours.codes, ours.values, ours.line),
                    (theirs.label, theirs.tag, theirs.codes, theirs.values, theirs.line));
                let whole = [ours.codes.len() as u32];
                prop_assert!(ours.namespace_ends == theirs.namespace_ends || ours.namespace_ends == whole);
            }
        }

        #[test]
        fn a_changed_byte_is_read_or_refused(
            examples in examples(), ordinary in any::<bool>(), place in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = encoded(&batch_of(&examples, ordinary));
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let mut batch = Batch::default();
            let decoded = decode_payload(&bytes, true, &mut batch);
            prop_assert!(decoded.is_some() || batch.is_empty());
            let known = batch.first_declared() + batch.declared_ids().len() as u32;
            for example in batch.iter() {
                prop_assert!(example.values.iter().all(|value| value.is_finite() && *value != 0.0));
                let exists = |code: &u32| *code < known || (Code::NUMBERED..Code::NUMBERED + Code::NUMBERS).contains(code);
                prop_assert!(example.codes.iter().all(exists));
                prop_assert!(example.namespace_ends.iter().chain([&(example.codes.len() as u32)]).is_sorted());
            }
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_payload(&bytes, true, &mut Batch::default());
        }
    }

    #[test]
    fn no_room_is_made_for_examples_that_take_no_bytes() {
        let mut bytes = encoded(&batch_of(&[(Vec::new(), None, 1, String::new())], true));
        decode_payload(&bytes, true, &mut Batch::default()).unwrap();
        bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(decode_payload(&bytes, true, &mut Batch::default()).is_none());
        // The same with all counts said to be the same.
        bytes.splice(12..14, [0; 9]);
        assert!(decode_payload(&bytes, true, &mut Batch::default()).is_none());
    }
}
