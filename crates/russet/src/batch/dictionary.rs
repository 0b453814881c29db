use super::Batch;
use crate::feature::{FeatureId, IdList, Names};

/// A reader's own numbering of the features it has met.
///
/// It is bounded: past [`Dictionary::LIMIT`] features it takes no more, and those that come later are declared anew by
/// every batch that has them. Frequent features come early, so few are concerned.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    pub(super) number: u32,
    pub(super) kept: IdList,
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
    pub(super) fn begin_batch(&mut self) -> bool {
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
    use crate::feature::Namespace;

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
