//! From a batch's example to base features: the reader's numbers become slots, n-grams join, repeated features
//! are summed, the constant comes first.

mod ahead;
mod codes;
mod ready;

use crate::batch::{Batch, Example};
use crate::expansion::{Grams, Incoming};
use crate::feature::FeatureTable;
use crate::weights::{BaseFeatures, bounded};
use ahead::Ahead;
use codes::{ABSENT, Codes, Lookup, ascend, is_missing};
use ready::Ready;

/// What is known of the base features of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// They are in the order of their slots, each once.
    Ascending,
    /// Each is there once, and there is no value of 0.
    Distinct,
    /// Some may be there more than once.
    Unknown,
}

/// Turns examples into base features, with buffers that are reused.
pub(crate) struct Intake {
    codes: Codes,
    ready: Ready,
    ahead: Ahead,
    grams: Grams,
    sorted: bool,
    /// One bit for each slot that the current example has used.
    used: Vec<u64>,
    incoming: Vec<Incoming>,
    order: Vec<u64>,
    base: BaseFeatures,
}

impl Intake {
    /// `sorted`: whether base features are wanted in the order of their slots.
    pub(crate) fn new(ngram: u32, sorted: bool) -> Intake {
        Intake {
            codes: Codes::default(),
            ready: Ready::default(),
            ahead: Ahead::default(),
            grams: Grams::new(ngram),
            sorted,
            used: Vec::new(),
            incoming: Vec::new(),
            order: Vec::new(),
            base: BaseFeatures::default(),
        }
    }

    /// Takes note of what a batch declares. Comes once for each batch, before its examples.
    pub(crate) fn begin(&mut self, batch: &Batch) {
        self.codes.begin(batch);
        self.ready.forget();
        self.ahead.forget();
    }

    /// Finds the slots of all features of the batch that was begun last, if that can be done in one go.
    pub(crate) fn find_all(&mut self, batch: &Batch, features: &FeatureTable) {
        if self.grams.none() {
            self.ready.find(batch, self.codes.numbered(&features), features.is_exact(), self.sorted);
        }
    }

    /// Finds the slots of all features of the first `examples` of the batch that was begun last, and gives new features
    /// theirs. Gives them one after another, if each of an example is a different one, for whoever wants to keep them; otherwise examples have to be taken
    /// one by one.
    pub(crate) fn take_all(
        &mut self,
        batch: &Batch,
        examples: usize,
        features: &mut FeatureTable,
    ) -> Option<&mut Vec<u32>> {
        if !self.grams.none() {
            return None;
        }
        self.ready.find_or_add(batch, examples, &mut self.codes, features);
        self.ready.give_all()
    }

    /// True if [`Intake::take_all`] is sure to find the slots of all features of a batch, each of them its own.
    pub(crate) fn can_take_all(&self, batch: &Batch, features: &FeatureTable) -> bool {
        let has_room = features.slot_count() + batch.codes().len() < features.slot_limit();
        self.grams.none() && features.is_exact() && has_room && ready::has_numbers_in_order(batch)
    }

    /// Forgets what hangs on where weights are: the model's tables have been laid out anew. `slots`: so have its features.
    pub(crate) fn forget_places(&mut self, slots: bool) {
        self.base = BaseFeatures::default();
        self.ready.forget();
        self.ahead.forget();
        if slots {
            self.codes.forget_slots();
        }
    }

    /// Gives everything but the base features that were taken last away.
    pub(crate) fn part(&mut self) -> Intake {
        let base = std::mem::take(&mut self.base);
        let empty = Intake { base, ..Intake::new(1, self.sorted) };
        std::mem::replace(self, empty)
    }

    /// Takes it back.
    pub(crate) fn rejoin(&mut self, parted: Intake) {
        let base = std::mem::take(&mut self.base);
        *self = Intake { base, ..parted };
    }

    /// Prepares for the example at `place` and the one after it, which will be taken soon: asks for the memory where the
    /// slots of the later one are known, and visits those of the former.
    #[inline]
    pub(crate) fn look_ahead(&mut self, batch: &Batch, place: usize, table: &FeatureTable, mut visit: impl FnMut(u32)) {
        if place >= batch.len() || !self.grams.none() {
            return;
        }
        let example = batch.example(place);
        if let Some((slots, _)) = self.ready.slots(&example) {
            return slots.iter().for_each(|slot| visit(*slot));
        }
        if place + 1 < batch.len() {
            self.codes.prefetch(batch, batch.example(place + 1).codes, &table);
        }
        let follow = |slots: &mut Vec<u32>| self.codes.follow(batch, example.codes, &table, slots);
        self.ahead.find(&example, follow, visit);
    }

    /// The base features of an example of the batch that was begun last.
    #[inline(always)]
    pub(crate) fn take(&mut self, batch: &Batch, example: &Example<'_>, mut lookup: impl Lookup) -> &mut BaseFeatures {
        self.base.slots.clear();
        self.base.values.clear();
        self.base.slots.push(crate::feature::CONSTANT);
        self.base.values.push(1.0);
        let order = if self.grams.none() {
            self.take_plain(batch, example, &mut lookup)
        } else {
            self.take_grams(batch, example, &mut lookup);
            Order::Unknown
        };
        if order == Order::Unknown {
            self.merge_repeated();
        }
        if order != Order::Ascending && self.sorted {
            self.sort();
        }
        &mut self.base
    }

    /// Adds the base features of an example of the batch that was begun last, without the constant, to `slots` and `values`.
    pub(crate) fn take_into(
        &mut self,
        batch: &Batch,
        example: &Example<'_>,
        features: &mut FeatureTable,
        (slots, values): (&mut Vec<u32>, &mut Vec<f32>),
    ) {
        if self.grams.none()
            && !self.sorted
            && features.is_exact()
            && self.take_distinct(batch, example, features, slots)
        {
            values.extend_from_slice(example.values);
            return;
        }
        let base = self.take(batch, example, features);
        slots.extend_from_slice(&base.slots[1..]);
        values.extend_from_slice(&base.values[1..]);
    }

    /// In the most common case nothing has to be summed or sorted: adds the slots to `slots`. False if it is another case; then nothing was added.
    fn take_distinct(
        &mut self,
        batch: &Batch,
        example: &Example<'_>,
        mut features: &mut FeatureTable,
        slots: &mut Vec<u32>,
    ) -> bool {
        let start = slots.len();
        if let Some((ready, _)) = self.ready.slots(example) {
            slots.extend_from_slice(ready);
            return true;
        }
        let found = match self.ahead.slots(example) {
            Some((ahead, found)) => {
                slots.extend_from_slice(ahead);
                found
            }
            None => self.codes.follow(batch, example.codes, &features, slots),
        };
        if !found.all {
            for (slot, code) in slots[start..].iter_mut().zip(example.codes) {
                if is_missing(*slot) {
                    *slot = self.codes.resolve(batch, *code, &mut features);
                }
            }
        }
        // The last feature may have been the one that filled the table.
        let distinct = (found.distinct || found.all && ascend(&slots[start..])) && features.is_exact();
        if !distinct {
            slots.truncate(start);
        }
        distinct
    }

    /// The base features that were taken last.
    pub(crate) fn base(&mut self) -> &mut BaseFeatures {
        &mut self.base
    }

    /// Without n-grams.
    #[inline(always)]
    fn take_plain(&mut self, batch: &Batch, example: &Example<'_>, lookup: &mut impl Lookup) -> Order {
        if let Some((slots, order)) = self.ready.slots(example) {
            self.base.slots.extend_from_slice(slots);
            self.base.values.extend_from_slice(example.values);
            return order;
        }
        let found = match self.ahead.slots(example) {
            Some((slots, found)) => {
                self.base.slots.extend_from_slice(slots);
                found
            }
            None => self.codes.follow(batch, example.codes, lookup, &mut self.base.slots),
        };
        self.base.values.extend_from_slice(example.values);
        if !found.all {
            self.resolve_missing(batch, example, lookup);
        }
        let distinct = found.distinct && lookup.is_exact();
        match found.all {
            // It is not asked for.
            _ if distinct && !self.sorted => Order::Distinct,
            true if ascend(&self.base.slots) => Order::Ascending,
            _ if distinct => Order::Distinct,
            _ => Order::Unknown,
        }
    }

    /// Asks for the slots that [`Intake::take_plain`] has not found, and leaves out what has none.
    #[cold]
    fn resolve_missing(&mut self, batch: &Batch, example: &Example<'_>, lookup: &mut impl Lookup) {
        let BaseFeatures { slots, values, .. } = &mut self.base;
        let mut absent = false;
        for (slot, code) in slots[1..].iter_mut().zip(example.codes) {
            if is_missing(*slot) {
                *slot = self.codes.resolve(batch, *code, lookup);
                absent |= *slot == ABSENT;
            }
        }
        if absent {
            let mut kept = slots.iter().map(|slot| *slot != ABSENT);
            values.retain(|_| kept.next() == Some(true));
            slots.retain(|slot| *slot != ABSENT);
        }
    }

    fn take_grams(&mut self, batch: &Batch, example: &Example<'_>, lookup: &mut impl Lookup) {
        self.incoming.clear();
        for (&code, &value) in example.codes.iter().zip(example.values) {
            let slot = self.codes.resolve(batch, code, lookup);
            self.incoming.push(Incoming { id: self.codes.id(batch, code), slot, value });
        }
        let base = &mut self.base;
        let mut push = |slot: u32, value: f32| {
            if slot != ABSENT {
                base.slots.push(slot);
                base.values.push(value);
            }
        };
        self.incoming.iter().for_each(|feature| push(feature.slot, feature.value));
        self.grams.visit(example, &self.incoming, |features, id, value| {
            let name = |table: &FeatureTable| {
                let parts: Vec<_> = features.iter().map(|feature| table.name_bytes(feature.slot)).collect();
                parts.join(&b'>')
            };
            // A product of small values may be 0, which is no feature.
            if value != 0.0 {
                push(lookup.slot(id, name).unwrap_or(ABSENT), bounded(value));
            }
        });
    }

    /// Sums the values of features that occur more than once, at their first place, and drops zeros.
    fn merge_repeated(&mut self) {
        let BaseFeatures { slots, values, .. } = &mut self.base;
        let mut repeated = false;
        for &slot in slots.iter() {
            let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
            if self.used.len() <= word {
                self.used.resize((word + 1).next_power_of_two(), 0);
            }
            repeated |= self.used[word] & bit != 0;
            self.used[word] |= bit;
        }
        for &slot in slots.iter() {
            self.used[slot as usize / 64] = 0;
        }
        if repeated {
            merge(slots, values);
        }
    }

    fn sort(&mut self) {
        let BaseFeatures { slots, values, .. } = &mut self.base;
        let pack = |(slot, value): (&u32, &f32)| (u64::from(*slot) << 32) | u64::from(value.to_bits());
        self.order.clear();
        self.order.extend(slots.iter().zip(values.iter()).map(pack));
        self.order.sort_unstable();
        for (place, packed) in self.order.iter().enumerate() {
            slots[place] = (packed >> 32) as u32;
            values[place] = f32::from_bits(*packed as u32);
        }
    }
}

/// The slow way, for the rare example that repeats a feature.
fn merge(slots: &mut Vec<u32>, values: &mut Vec<f32>) {
    let mut sums: Vec<(u32, f32)> = Vec::with_capacity(slots.len());
    let mut place_of = std::collections::HashMap::new();
    for (&slot, &value) in slots.iter().zip(values.iter()) {
        let place = *place_of.entry(slot).or_insert(sums.len());
        match sums.get_mut(place) {
            Some(sum) => sum.1 = bounded(sum.1 + value),
            None => sums.push((slot, value)),
        }
    }
    sums.retain(|(_, value)| *value != 0.0);
    (*slots, *values) = sums.into_iter().unzip();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Dictionary, Label};
    use crate::feature::{Indexing, Namespace};

    fn base_of(features: &[(&str, f32)], ngram: u32, sorted: bool, table: &mut FeatureTable) -> Vec<(String, f32)> {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for (name, value) in features {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, *value);
        }
        batch.end_example(Label::new(1.0), b"", 1);
        let mut intake = Intake::new(ngram, sorted);
        intake.begin(&batch);
        let base = intake.take(&batch, &batch.example(0), &mut *table).clone();
        base.slots.iter().zip(base.values).map(|(slot, value)| (table.name(*slot).into_owned(), value)).collect()
    }

    fn named(features: &[(&str, f32)]) -> Vec<(String, f32)> {
        features.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn repeated_features_are_summed_and_zeros_dropped() {
        let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
        let found = base_of(&[("a", 1.0), ("b", 2.0), ("a", 0.5), ("c", 3.0), ("c", -3.0)], 1, false, &mut table);
        assert_eq!(found, named(&[("constant", 1.0), ("a", 1.5), ("b", 2.0)]));
    }

    #[test]
    fn sorted_by_first_appearance_if_asked() {
        let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
        base_of(&[("a", 1.0), ("b", 1.0)], 1, true, &mut table);
        let found = base_of(&[("b", 2.0), ("a", 1.0)], 1, true, &mut table);
        assert_eq!(found, named(&[("constant", 1.0), ("a", 1.0), ("b", 2.0)]));
    }

    #[test]
    fn ngrams_have_products_as_values_and_names_in_order() {
        let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
        let found = base_of(&[("new", 2.0), ("york", 3.0), ("city", 1.0)], 3, false, &mut table);
        let expected = [
            ("constant", 1.0),
            ("new", 2.0),
            ("york", 3.0),
            ("city", 1.0),
            ("new>york", 6.0),
            ("new>york>city", 6.0),
            ("york>city", 3.0),
        ];
        assert_eq!(found, named(&expected));
    }
}
