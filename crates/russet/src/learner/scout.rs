use std::ops::Range;

use super::label::{self, OneClass};
use super::linear::WholeBatches;
use super::{Examples, LearnError, Learner, near_weights};
use crate::batch::Batch;
use crate::feature::{CONSTANT, FeatureTable};
use crate::intake::Intake;
use crate::metrics::LabelsSeen;
use crate::settings::{Checked, ExpansionKind};
use crate::weights::{Features, prefetch};

/// The part of a learner that knows features by their names, apart from it: which weights an example has does not hang on
/// what they are, so this can be found ahead of learning, in another thread. See [`Learner::send_scout`].
pub struct Scout {
    intake: Intake,
    features: FeatureTable,
    labels: LabelsSeen,
    settings: Checked,
    against_rest: Option<OneClass>,
    whole: WholeBatches,
    /// What labels become, which only the learner needs; kept to be used again.
    checked: Vec<f32>,
}

/// The base features of all examples of a batch, by slot, without the constant.
#[derive(Debug, Default)]
pub struct Taken {
    slots: Vec<u32>,
    /// None if features are taken as they are in the batch.
    values: Vec<f32>,
    examples: Vec<Mark>,
    is_whole: bool,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Where the example's base features end, if not where they do in the batch; it has none if it cannot be learned from.
    end: usize,
    /// How many slots there are after it, or after the whole batch.
    slot_count: usize,
}

impl Scout {
    /// Takes the base features of all examples of a batch.
    pub fn take(&mut self, batch: &Batch, taken: &mut Taken) {
        taken.clear();
        self.intake.begin(batch);
        if self.take_whole(batch, taken) {
            return;
        }
        self.intake.find_all(batch, &self.features);
        let near = near_weights(&self.settings);
        for place in 0..batch.len() {
            let example = batch.example(place);
            // What cannot be learned from leaves no trace: the learner will refuse it for the same reason.
            let (label, features) = (example.label, example.codes.len());
            if label::check(label, features, &self.settings, self.against_rest, &mut self.labels).is_ok() {
                let into = (&mut taken.slots, &mut taken.values);
                self.intake.take_into(batch, &example, &mut self.features, into);
            }
            if self.features.len() > near {
                self.intake.look_ahead(batch, place + 1, &self.features, |_| ());
            }
            taken.examples.push(Mark { end: taken.slots.len(), slot_count: self.features.slot_count() });
        }
    }

    /// Takes them in one go, if all can be learned from.
    fn take_whole(&mut self, batch: &Batch, taken: &mut Taken) -> bool {
        let Scout { intake, features, labels, settings, against_rest, whole, checked } = self;
        let is_linear = settings.expansion == ExpansionKind::Linear;
        // Where it is not all the same which example brought which slot, none may be given out before it is sure that this will do.
        let may_try = || is_linear || intake.can_take_all(batch, features);
        if settings.expansion.needs_order() || !whole.tries(batch) || !may_try() {
            return false;
        }
        let (labels_before, slots_before) = (*labels, features.slot_count());
        let all = 0..batch.len();
        let are_fine = label::check_all(batch, all, settings, *against_rest, labels, checked).1.is_ok();
        let slots = if are_fine { whole.take(batch, batch.len(), intake, features) } else { None };
        let Some(slots) = slots else {
            *labels = labels_before;
            return false;
        };
        std::mem::swap(slots, &mut taken.slots);
        taken.is_whole = true;
        if is_linear {
            taken.examples.resize(batch.len(), Mark { end: 0, slot_count: features.slot_count() });
        } else {
            taken.mark_examples(batch, slots_before);
        }
        true
    }
}

impl Taken {
    fn clear(&mut self) {
        self.slots.clear();
        self.values.clear();
        self.examples.clear();
        self.is_whole = false;
    }

    /// Marks the examples of a batch that was taken as it is. Slots are given out in order, and there were so many before it.
    fn mark_examples(&mut self, batch: &Batch, mut slot_count: usize) {
        let mut start = 0;
        for end in batch.feature_ends() {
            let largest = self.slots[start..end].iter().fold(0, |largest, slot| *slot.max(&largest));
            slot_count = slot_count.max(largest as usize + 1);
            self.examples.push(Mark { end, slot_count });
            start = end;
        }
    }

    /// The base features of an example of `batch`, from which they were taken.
    #[inline(always)]
    pub(super) fn example<'a>(&'a self, batch: &'a Batch, place: usize) -> Features<'a> {
        let (range, values) = if self.is_whole {
            (batch.features_of(place), batch.values())
        } else {
            let start = place.checked_sub(1).map_or(0, |before| self.examples[before].end);
            (start..self.examples[place].end, &self.values[..])
        };
        Features { slots: &self.slots[range.clone()], values: &values[range] }
    }

    /// How many slots there are after an example; of a linear model, after the whole batch.
    #[inline]
    pub(super) fn slot_count(&self, place: usize) -> usize {
        self.examples[place].slot_count
    }
}

impl Learner {
    /// Sends a scout, who takes the base features of batches ahead of learning, in whatever thread; what was taken is
    /// then [learned from](Learner::learn_taken). The result is the same. Until the scout [is back](Learner::meet_scout), the
    /// model knows no feature by name, and batches can be learned from in no other way.
    ///
    /// ```
    /// # use russet::{Learner, Taken, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
    /// # let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    /// # batch.start(&mut dictionary);
    /// # for round in 0..60 {
    /// #     batch.push_named(&mut dictionary, Namespace::ANONYMOUS, if round % 2 == 0 { "sun" } else { "rain" }, 1.0);
    /// #     batch.end_example(Label::new((round % 2) as f32), b"", round + 1);
    /// # }
    /// let mut learner = Learner::new(Settings::default().check().unwrap());
    /// let (mut scout, mut taken) = (learner.send_scout(), Taken::default());
    /// scout.take(&batch, &mut taken);
    /// learner.learn_taken(&batch, &taken, 0..60).unwrap();
    /// learner.meet_scout(scout);
    /// assert_eq!(learner.model().features().len(), 2);
    /// ```
    pub fn send_scout(&mut self) -> Scout {
        let model = &mut self.model;
        model.slots_apart = Some(model.features.slot_count());
        let empty = FeatureTable::new(model.settings.indexing, model.settings.bits, model.settings.seed);
        let features = std::mem::replace(&mut model.features, empty);
        let (labels, settings) = (model.progress.labels, model.settings.clone());
        Scout {
            intake: self.intake.part(),
            features,
            labels,
            settings,
            against_rest: self.against_rest,
            whole: WholeBatches::default(),
            checked: Vec::new(),
        }
    }

    /// Takes the scout back. All that was taken has to have been learned from.
    pub fn meet_scout(&mut self, scout: Scout) {
        self.model.features = scout.features;
        self.model.slots_apart = None;
        self.intake.rejoin(scout.intake);
        self.model.fit_tables_if_short();
    }

    /// Learns from some examples of a batch whose base features a scout has taken. After an error, all before
    /// [`LearnError::place`] have been learned.
    pub fn learn_taken(&mut self, batch: &Batch, taken: &Taken, range: Range<usize>) -> Result<(), LearnError> {
        let examples = Examples { batch, taken: Some(taken), range };
        self.learn_examples(examples)
    }

    /// Makes the base features of an example those that were taken.
    #[inline(always)]
    pub(super) fn recall(&mut self, batch: &Batch, taken: &Taken, place: usize) {
        let Features { slots, values } = taken.example(batch, place);
        let base = self.intake.base();
        base.slots.clear();
        base.values.clear();
        base.slots.push(CONSTANT);
        base.values.push(1.0);
        base.slots.extend_from_slice(slots);
        base.values.extend_from_slice(values);
        self.model.slots_apart = Some(taken.slot_count(place));
    }

    /// Asks for the memory of weights that the example at `place` will need.
    #[inline]
    pub(super) fn prefetch_taken(&self, batch: &Batch, taken: &Taken, place: usize) {
        if place >= batch.len() {
            return;
        }
        let linear = self.model.linear.slots();
        let guard = self.model.guard.as_ref().map_or(&[][..], |guard| guard.linear.slots());
        for slot in taken.example(batch, place).slots {
            prefetch(linear, *slot as usize);
            prefetch(guard, *slot as usize);
        }
    }
}
