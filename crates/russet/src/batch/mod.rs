//! Examples on their way from a reader to the learner, a batch at a time.
//!
//! A batch is flat: all features of all its examples lie in two arrays. A feature is written as a small number, its
//! *code*: see [`Code`]. In most cases a [`Dictionary`] gave it. Each reader thread has a dictionary of its own; a batch
//! *declares* the features it is the first of its dictionary to use, with their ids and names. So a name is hashed and
//! looked up by the reader, once for each occurrence, while the learner only follows an array. A feature that is called by
//! a number needs not even that: the number is its code.

mod code;
mod dictionary;
mod example;
mod filling;

use crate::feature::{FeatureId, Names};

pub use code::Code;
pub use dictionary::Dictionary;
pub use example::{Ending, Example, Label};

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
