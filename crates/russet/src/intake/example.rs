//! The base features of one example.

use super::Intake;
use super::codes::{ABSENT, Lookup, ascend, is_missing};
use super::order::Order;
use crate::batch::{Batch, Example};
use crate::expansion::Incoming;
use crate::feature::FeatureTable;
use crate::weights::{BaseFeatures, bounded};

impl Intake {
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
}
