//! How a reader fills a batch.

use super::{Batch, Code, Dictionary, Ending, Header, Label};
use crate::feature::{FeatureId, Namespace};

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
}
