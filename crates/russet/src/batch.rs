//! Examples on their way from a reader to the learner, a batch at a time.
//!
//! A batch is flat: all features of all its examples lie in two arrays. A feature is written as a small number, its
//! *code*: see [`Code`]. In most cases a [`Dictionary`] gave it. Each reader thread has a dictionary of its own; a batch
//! *declares* the features it is the first of its dictionary to use, with their ids and names. So a name is hashed and
//! looked up by the reader, once for each occurrence, while the learner only follows an array. A feature that is called by
//! a number needs not even that: the number is its code.

use crate::feature::{FeatureId, IdList, Names, Namespace};

/// What an example says besides its features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// What is to be predicted; `None` where it is not known.
    pub value: Option<f32>,
    /// How many examples this one counts for.
    pub importance: f32,
    /// A prediction to start from: the model learns what is to be added to it.
    pub base: f32,
}

impl Label {
    /// A label that counts once and starts from zero.
    pub fn new(value: f32) -> Label {
        Label { value: Some(value), importance: 1.0, base: 0.0 }
    }

    /// No label: the example can be predicted, not learned from.
    pub fn unknown() -> Label {
        Label { value: None, importance: 1.0, base: 0.0 }
    }
}

/// How a batch writes a feature.
///
/// ```
/// use russet::batch::Code;
/// assert_eq!(Code::Number(7).pack(), Code::NUMBERED + 7);
/// assert_eq!(Code::unpack(Code::NUMBERED + 7), Code::Number(7));
/// assert_eq!(Code::unpack(7), Code::Declared(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// By its number in the batch's dictionary.
    Declared(u32),
    /// By the number that is its name, in the anonymous namespace; it is below [`Code::NUMBERS`].
    Number(u32),
}

impl Code {
    /// What is added to a number to make it a code.
    pub const NUMBERED: u32 = 1 << 31;
    /// Larger numbers are declared in the dictionary, as other names are: whoever follows codes keeps an array of this
    /// length at most.
    pub const NUMBERS: u32 = 1 << 21;

    /// The code as it stands in a batch.
    #[inline(always)]
    pub fn pack(self) -> u32 {
        match self {
            Code::Declared(index) => index,
            Code::Number(number) => Code::NUMBERED | number,
        }
    }

    /// What a code says.
    #[inline(always)]
    pub fn unpack(code: u32) -> Code {
        match code.checked_sub(Code::NUMBERED) {
            Some(number) => Code::Number(number),
            None => Code::Declared(code),
        }
    }
}

/// One example of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Its label.
    pub label: Label,
    /// The tag that predictions carry along.
    pub tag: &'a [u8],
    /// Its features: the code of each, as [`Code::unpack`] reads it.
    pub codes: &'a [u32],
    /// The value of each feature.
    pub values: &'a [f32],
    /// Where each namespace ends within `codes`: n-grams do not cross these.
    pub namespace_ends: &'a [u32],
    /// The line of the input it began on, counted from 1.
    pub line: u64,
    /// Where its features begin among all of the batch.
    pub(crate) first: usize,
}

/// What ends an example, for [`Batch::end_examples`].
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// Its label.
    pub label: Label,
    /// The line of the input it began on, counted from 1.
    pub line: u64,
    /// How many features it has.
    pub features: u32,
    /// How many namespaces it has.
    pub namespaces: u32,
    /// How long its tag is.
    pub tag: u32,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    label: Label,
    line: u64,
    features_end: u32,
    namespaces_end: u32,
    tag_end: u32,
}

/// A run of examples, with the features they declare.
///
/// ```
/// use russet::batch::{Batch, Dictionary, Label};
/// use russet::feature::Namespace;
///
/// let mut dictionary = Dictionary::default();
/// let mut batch = Batch::default();
/// batch.start(&mut dictionary);
/// batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "price", 0.23);
/// batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "sqft", 0.25);
/// batch.end_example(Label::new(1.0), b"house-1", 1);
/// assert_eq!(batch.len(), 1);
/// assert_eq!(batch.example(0).values, [0.23, 0.25]);
/// assert_eq!(batch.declared_names().text(1), "sqft");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    dictionary: u32,
    starts_dictionary: bool,
    first_declared: u32,
    declared_ids: Vec<FeatureId>,
    declared_names: Names,
    headers: Vec<Header>,
    codes: Vec<u32>,
    values: Vec<f32>,
    namespace_ends: Vec<u32>,
    tags: Vec<u8>,
}

impl Batch {
    /// Empties the batch and ties it to a dictionary, for a reader to fill.
    pub fn start(&mut self, dictionary: &mut Dictionary) {
        self.clear();
        self.starts_dictionary = dictionary.begin_batch();
        self.dictionary = dictionary.number;
        self.first_declared = dictionary.kept.len() as u32;
    }

    /// Empties the batch and ties it to dictionary `number` that is kept elsewhere, such as in a cache file:
    /// its next unused feature is `first_declared`, and 0 starts the dictionary anew.
    pub fn start_foreign(&mut self, number: u32, first_declared: u32) {
        self.clear();
        self.dictionary = number;
        self.starts_dictionary = first_declared == 0;
        self.first_declared = first_declared;
    }

    fn clear(&mut self) {
        self.declared_ids.clear();
        self.declared_names.clear();
        self.headers.clear();
        self.codes.clear();
        self.values.clear();
        self.namespace_ends.clear();
        self.tags.clear();
    }

    /// Declares the next feature of a foreign dictionary.
    pub fn declare(&mut self, id: FeatureId, name: &[u8]) {
        self.declared_ids.push(id);
        self.declared_names.push(name);
    }

    /// Adds a feature to the example that is being built, by its number in the dictionary. A value of 0 is left out.
    #[inline]
    pub fn push(&mut self, index: u32, value: f32) {
        debug_assert!(index < Code::NUMBERED);
        if value != 0.0 {
            self.codes.push(index);
            self.values.push(value);
        }
    }

    /// Adds a feature of the anonymous namespace that is called by a number below [`Code::NUMBERS`]. A value of 0 is left out.
    #[inline]
    pub fn push_number(&mut self, number: u32, value: f32) {
        debug_assert!(number < Code::NUMBERS);
        if value != 0.0 {
            self.codes.push(Code::Number(number).pack());
            self.values.push(value);
        }
    }

    /// Adds `count` features to the example that is being built, each as `next` gives it, none with the value 0. If `next` gives none, the
    /// example is not complete and must be abandoned.
    #[inline]
    pub fn push_many(&mut self, count: usize, mut next: impl FnMut() -> Option<(u32, f32)>) -> Option<()> {
        let start = self.codes.len();
        self.codes.resize(start + count, 0);
        self.values.resize(start + count, 0.0);
        for (index, value) in self.codes[start..].iter_mut().zip(&mut self.values[start..]) {
            (*index, *value) = next()?;
        }
        Some(())
    }

    /// Adds features to the example that is being built: `fill` adds the code of each to one array and its value, which is not 0, to the
    /// other. If it gives none, the example is not complete and must be abandoned.
    #[inline]
    pub fn push_by(&mut self, fill: impl FnOnce(&mut Vec<u32>, &mut Vec<f32>) -> Option<()>) -> Option<()> {
        let filled = fill(&mut self.codes, &mut self.values);
        debug_assert!(filled.is_none() || self.codes.len() == self.values.len());
        filled
    }

    /// Adds a feature by name to the example that is being built. A value of 0 is left out.
    pub fn push_named(&mut self, dictionary: &mut Dictionary, namespace: Namespace, name: &str, value: f32) {
        if value != 0.0 {
            let id = namespace.feature(name.as_bytes());
            let index = dictionary.index(self, id, |names| names.push(name.as_bytes()));
            self.push(index, value);
        }
    }

    /// Marks the end of a namespace in the example that is being built.
    #[inline]
    pub fn end_namespace(&mut self) {
        let start = self.headers.last().map_or(0, |header| header.features_end);
        self.namespace_ends.push(self.codes.len() as u32 - start);
    }

    /// As [`Batch::end_namespace`], for a namespace that has ended after this many features of the example.
    #[inline]
    pub fn end_namespace_at(&mut self, features: u32) {
        self.namespace_ends.push(features);
    }

    /// Completes the example that is being built.
    #[inline]
    pub fn end_example(&mut self, label: Label, tag: &[u8], line: u64) {
        self.tags.extend_from_slice(tag);
        self.headers.push(Header {
            label,
            line,
            features_end: self.codes.len() as u32,
            namespaces_end: self.namespace_ends.len() as u32,
            tag_end: self.tags.len() as u32,
        });
    }

    /// Adds the tags of the examples that [`Batch::end_examples`] will complete, one after another.
    pub fn push_tags(&mut self, tags: &[u8]) {
        self.tags.extend_from_slice(tags);
    }

    /// Completes several examples at once: the features, ends of namespaces and tags of all of them have been added, and are as many as the
    /// endings say.
    #[inline]
    pub fn end_examples(&mut self, endings: impl Iterator<Item = Ending>) {
        let last = self.headers.last();
        let mut ends = last.map_or((0, 0, 0), |last| (last.features_end, last.namespaces_end, last.tag_end));
        self.headers.extend(endings.map(|Ending { label, line, features, namespaces, tag }| {
            ends = (ends.0 + features, ends.1 + namespaces, ends.2 + tag);
            Header { label, line, features_end: ends.0, namespaces_end: ends.1, tag_end: ends.2 }
        }));
        debug_assert_eq!(ends, (self.codes.len() as u32, self.namespace_ends.len() as u32, self.tags.len() as u32));
    }

    /// Drops the example that is being built, after an error in it.
    pub fn abandon_example(&mut self) {
        let (features, namespaces) =
            self.headers.last().map_or((0, 0), |header| (header.features_end, header.namespaces_end));
        self.codes.truncate(features as usize);
        self.values.truncate(features as usize);
        self.namespace_ends.truncate(namespaces as usize);
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// True if there is no example.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// The example at `place`.
    #[inline]
    pub fn example(&self, place: usize) -> Example<'_> {
        let header = &self.headers[place];
        let (features, namespaces, tag) = match place.checked_sub(1) {
            Some(before) => {
                let before = &self.headers[before];
                (before.features_end as usize, before.namespaces_end as usize, before.tag_end as usize)
            }
            None => (0, 0, 0),
        };
        Example {
            label: header.label,
            tag: &self.tags[tag..header.tag_end as usize],
            codes: &self.codes[features..header.features_end as usize],
            values: &self.values[features..header.features_end as usize],
            namespace_ends: &self.namespace_ends[namespaces..header.namespaces_end as usize],
            line: header.line,
            first: features,
        }
    }

    /// Where the features of each example end among them.
    pub(crate) fn feature_ends(&self) -> impl Iterator<Item = usize> {
        self.headers.iter().map(|header| header.features_end as usize)
    }

    /// How many features the first `examples` have together.
    #[inline]
    pub(crate) fn features_before(&self, examples: usize) -> usize {
        examples.checked_sub(1).map_or(0, |last| self.headers[last].features_end as usize)
    }

    /// Where the features of an example are among all.
    #[inline]
    pub(crate) fn features_of(&self, place: usize) -> std::ops::Range<usize> {
        self.features_before(place)..self.headers[place].features_end as usize
    }

    /// The label of an example.
    #[inline]
    pub(crate) fn label(&self, place: usize) -> &Label {
        &self.headers[place].label
    }

    /// The line of the input that an example began on.
    pub(crate) fn line(&self, place: usize) -> u64 {
        self.headers[place].line
    }

    /// All examples in order.
    pub fn iter(&self) -> impl Iterator<Item = Example<'_>> {
        (0..self.len()).map(|place| self.example(place))
    }

    /// The codes of all examples' features, one example after another.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The values of all examples' features.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The number of the dictionary that the features' numbers refer to.
    pub fn dictionary(&self) -> u32 {
        self.dictionary
    }

    /// True if the dictionary starts with this batch: what another of its number declared before is void.
    pub fn starts_dictionary(&self) -> bool {
        self.starts_dictionary
    }

    /// The number of the first feature that this batch declares; the others follow it, and what earlier batches
    /// declared from it on is void.
    pub fn first_declared(&self) -> u32 {
        self.first_declared
    }

    /// The ids of the features that this batch declares.
    pub fn declared_ids(&self) -> &[FeatureId] {
        &self.declared_ids
    }

    /// The names of the features that this batch declares.
    pub fn declared_names(&self) -> &Names {
        &self.declared_names
    }
}

/// A reader's own numbering of the features it has met.
///
/// It is bounded: past [`Dictionary::LIMIT`] features it takes no more, and those that come later are declared anew by
/// every batch that has them. Frequent features come early, so few are concerned.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    number: u32,
    kept: IdList,
    /// Features of the current batch that have found no room.
    passing: IdList,
    begun: bool,
}

impl Dictionary {
    /// How many features a dictionary keeps.
    pub const LIMIT: usize = 1 << 16;

    /// The dictionary of reader `number`; no two readers of one learner may have the same.
    pub fn new(number: u32) -> Dictionary {
        Dictionary { number, ..Dictionary::default() }
    }

    /// Makes room for a batch. True for the first one.
    fn begin_batch(&mut self) -> bool {
        if !self.passing.is_empty() {
            self.passing.clear();
        }
        !std::mem::replace(&mut self.begun, true)
    }

    /// The number of a feature; one that is new is declared in `batch`, and `name` writes its name. Numbers from
    /// [`Dictionary::LIMIT`] on hold for the current batch only.
    #[inline]
    pub fn index(&mut self, batch: &mut Batch, id: FeatureId, name: impl FnOnce(&mut Names)) -> u32 {
        match self.kept.place(id) {
            Some(index) => index,
            None => self.declare(batch, id, name),
        }
    }

    #[cold]
    fn declare(&mut self, batch: &mut Batch, id: FeatureId, name: impl FnOnce(&mut Names)) -> u32 {
        debug_assert_eq!(batch.dictionary, self.number);
        if let Some(place) = self.passing.place(id) {
            return Dictionary::LIMIT as u32 + place;
        }
        let index = if self.kept.len() < Dictionary::LIMIT {
            self.kept.push(id)
        } else {
            Dictionary::LIMIT as u32 + self.passing.push(id)
        };
        batch.declared_ids.push(id);
        name(&mut batch.declared_names);
        debug_assert_eq!(batch.declared_ids.len(), batch.declared_names.len(), "the closure pushes one name");
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_example_leaves_no_trace() {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "a", 1.0);
        batch.end_namespace();
        batch.end_example(Label::new(1.0), b"", 1);
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "b", 1.0);
        batch.end_namespace();
        batch.abandon_example();
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "a", 2.0);
        batch.end_namespace();
        batch.end_example(Label::new(0.0), b"t", 3);
        assert_eq!(batch.example(1).codes, [0]);
        assert_eq!(batch.example(1).values, [2.0]);
        assert_eq!(batch.example(1).namespace_ends, [1]);
        assert_eq!(batch.example(1).tag, b"t");
    }

    #[test]
    fn features_past_the_limit_are_declared_by_every_batch_that_has_them() {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        let mut index = |batch: &mut Batch, number: u64| {
            dictionary.index(batch, Namespace::ANONYMOUS.numbered(number), |names| names.push(b"x"))
        };
        let limit = Dictionary::LIMIT as u64;
        let mut other = Dictionary::default();
        batch.start(&mut other);
        (0..limit).for_each(|number| assert_eq!(u64::from(index(&mut batch, number)), number));
        assert_eq!(u64::from(index(&mut batch, limit + 7)), limit);
        assert_eq!(u64::from(index(&mut batch, limit + 8)), limit + 1);
        assert_eq!(u64::from(index(&mut batch, limit + 7)), limit);
        batch.start(&mut dictionary);
        assert_eq!((batch.first_declared(), batch.declared_ids().len()), (limit as u32, 0));
        let again = dictionary.index(&mut batch, Namespace::ANONYMOUS.numbered(limit + 8), |names| names.push(b"x"));
        assert_eq!((u64::from(again), batch.declared_ids().len()), (limit, 1));
        assert_eq!(dictionary.index(&mut batch, Namespace::ANONYMOUS.numbered(5), |_| unreachable!()), 5);
    }
}
