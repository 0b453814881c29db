//! From a batch's example to base features: the reader's numbers become slots, n-grams join, repeated features
//! are summed, the constant comes first.

mod ahead;
mod codes;
mod example;
mod order;
mod ready;
#[cfg(test)]
mod tests;

use crate::batch::Batch;
use crate::expansion::{Grams, Incoming};
use crate::feature::FeatureTable;
use crate::weights::BaseFeatures;
use ahead::Ahead;
use codes::Codes;
use order::Order;
use ready::Ready;

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

    /// The base features that were taken last.
    pub(crate) fn base(&mut self) -> &mut BaseFeatures {
        &mut self.base
    }
}
