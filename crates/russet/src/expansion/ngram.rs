//! Runs of neighbouring base features as features of their own.

use crate::batch::Example;
use crate::feature::FeatureId;

/// A feature on its way in: who it is, where its weight is, what its value is.
pub(crate) struct Incoming {
    pub(crate) id: FeatureId,
    pub(crate) slot: u32,
    pub(crate) value: f32,
}

/// Lists the n-grams of an example.
#[derive(Clone, Debug)]
pub(crate) struct Grams {
    longest: usize,
}

impl Grams {
    /// N-grams of 2 to `longest` features.
    pub(crate) fn new(longest: u32) -> Grams {
        Grams { longest: longest as usize }
    }

    /// True if there are none to be made.
    pub(crate) fn none(&self) -> bool {
        self.longest < 2
    }

    /// Visits each n-gram within a namespace, in the order of its first feature and then of its length: the
    /// features it consists of, its id, and its value, which is their product.
    pub(crate) fn visit(
        &self,
        example: &Example<'_>,
        features: &[Incoming],
        mut visit: impl FnMut(&[Incoming], FeatureId, f32),
    ) {
        let mut start = 0;
        for end in example.namespace_ends.iter().map(|end| *end as usize).chain([features.len()]) {
            for first in start..end {
                let (mut id, mut value) = (features[first].id, features[first].value);
                for next in first + 1..end.min(first + self.longest) {
                    id = id.followed_by(features[next].id);
                    value *= features[next].value;
                    visit(&features[first..=next], id, value);
                }
            }
            start = end;
        }
    }
}
