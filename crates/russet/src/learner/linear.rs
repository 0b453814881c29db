//! The course of a plain linear model, with nothing in the way: no products, no guard, no pull of L1 or L2.
//!
//! Each step is the one that `learner` takes for every model, and the results are the same bits. But all that can be done for a
//! batch at once is done first, so that little is left between one example's weights and the next's.

use std::ops::Range;

use super::chosen::{self, Choice, Task};
use super::judge::clip;
use super::scout::Taken;
use super::{Examples, LearnError, Learner, label, near_weights};
use crate::batch::{Batch, Code, Label};
use crate::feature::FeatureTable;
use crate::intake::Intake;
use crate::loss::{Loss, LossKind};
use crate::metrics::Tally;
use crate::model::{Model, activity};
use crate::settings::ExpansionKind;
use crate::step::{Single, Step, Surprise};
use crate::weights::{Features, Hand, Loops, at_least, at_most, prefetch};

/// What is kept from batch to batch to be used again.
#[derive(Default)]
pub(super) struct Buffers {
    /// The labels of a batch as the loss wants them.
    labels: Vec<f32>,
    whole: WholeBatches,
}

/// Takes the features of a batch in one go, where that can be done.
#[derive(Default)]
pub(super) struct WholeBatches {
    /// How often in a row a batch could not be taken in this way, and how many are not tried now because of that.
    failures: u32,
    not_tried: u32,
}

/// After so many failures the batches that are not tried become no more.
const MOST_FAILURES: u32 = 6;

impl WholeBatches {
    /// The slots of all features of the first `examples` of a batch, if each of an example has a different one.
    pub(super) fn take<'a>(
        &mut self,
        batch: &Batch,
        examples: usize,
        intake: &'a mut Intake,
        features: &mut FeatureTable,
    ) -> Option<&'a mut Vec<u32>> {
        let slots = intake.take_all(batch, examples, features);
        match &slots {
            Some(_) => self.failures = 0,
            None => self.note_failure(),
        }
        slots
    }

    /// True if a batch should be tried: features that are called by names are mostly in no order, by which it is told that each is
    /// there once; and those before it could be taken in this way.
    pub(super) fn tries(&mut self, batch: &Batch) -> bool {
        let are_numbers = batch.codes().first().is_none_or(|code| *code >= Code::NUMBERED);
        let sits_out = are_numbers && self.not_tried > 0;
        self.not_tried -= u32::from(sits_out);
        are_numbers && !sits_out
    }

    /// Data that has features in another order mostly stays so.
    fn note_failure(&mut self) {
        self.failures = MOST_FAILURES.min(self.failures + 1);
        self.not_tried = 1 << self.failures;
    }
}

impl Learner {
    /// Learns from all of `examples`, if it can be done in this way; otherwise from none.
    pub(super) fn learn_linear(&mut self, examples: &Examples<'_>) -> Option<Result<(), LearnError>> {
        let Examples { batch, taken, ref range } = *examples;
        // Not for a few of a batch's examples, which may be gone on with many times, after each that was refused.
        let is_most = range.start == 0 && 2 * range.len() >= batch.len();
        if !self.is_plain_linear() || taken.is_none() && !(is_most && self.linear.whole.tries(batch)) {
            return None;
        }
        let before = self.model.progress.labels;
        let Learner { model, intake, linear: Buffers { labels, whole }, scratches, .. } = self;
        let seen = &mut model.progress.labels;
        let (end, checked) = label::check_all(batch, range.clone(), &model.settings, None, seen, labels);
        let source = match taken {
            Some(taken) => Source::Taken(taken),
            None => match whole.take(batch, end, intake, &mut model.features) {
                Some(slots) => Source::Batch(slots),
                None => {
                    model.progress.labels = before;
                    return None;
                }
            },
        };
        if let Some(taken) = taken.filter(|_| end > 0) {
            model.slots_apart = Some(taken.slot_count(end - 1));
        }
        model.fit_tables_if_short();
        let choice = Choice::of(&model.settings, model.cpu);
        let state = State::of(model, &mut scratches.hand, (before.smallest, before.largest));
        chosen::run(choice, Course { state, source, batch, labels, places: range.start..end });
        Some(checked)
    }

    /// True if there is nothing but base weights, and nobody wants to hear more than what is learned.
    fn is_plain_linear(&self) -> bool {
        let Model { settings, shrinkage, cpu, .. } = &self.model;
        let is_linear = settings.expansion == ExpansionKind::Linear && !settings.select.rule().observes();
        let is_heard = self.heard.is_some() || self.notes.is_some() || self.against_rest.is_some();
        is_linear && !is_heard && Single::suits(settings, shrinkage, *cpu)
    }
}

/// Where the base features of a batch's examples are known from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Taken(&'a Taken),
    /// The slots of all its features.
    Batch(&'a [u32]),
}

/// Examples of a batch, all of which can be learned from.
struct Course<'a> {
    state: State<'a>,
    source: Source<'a>,
    batch: &'a Batch,
    /// Their labels as the loss wants them.
    labels: &'a [f32],
    places: Range<usize>,
}

impl Task for Course<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Loops>(mut self, loops: L, _: impl Step, loss: impl Loss) {
        if !self.repeats() {
            return self.learn::<L, false>(loops, loss);
        }
        self.state.weights.hand.begin();
        self.learn::<L, true>(loops, loss);
        self.state.weights.table.end_single(loops, self.state.weights.hand);
    }
}

/// How many examples are looked at to tell whether weights should stay in hand.
const LOOKED_AT: usize = 16;

impl<'a> Course<'a> {
    /// Learns from each example. `KEEPS`: weights stay in hand from one to the next.
    #[inline(always)]
    fn learn<L: Loops, const KEEPS: bool>(&mut self, loops: L, loss: impl Loss) {
        let is_far = self.state.weights.table.len() > self.state.near;
        for (place, label) in self.places.clone().zip(self.labels) {
            if is_far && place + 1 < self.places.end {
                let next = self.features(place + 1).slots;
                next.iter().for_each(|slot| prefetch(self.state.weights.table.slots(), *slot as usize));
            }
            let (features, given) = (self.features(place), self.batch.label(place));
            self.state.learn::<L, KEEPS>(loops, loss, features, *given, *label);
        }
    }

    /// True if nearly all examples have the features of the one before, in the same order: then it is quicker to keep their weights
    /// than to put them back and take them again. With half of them the processor guesses wrong too often.
    fn repeats(&self) -> bool {
        let (mut all, mut same) = (0, 0);
        let step = self.places.len() / LOOKED_AT + 1;
        for place in self.places.clone().step_by(step).skip(1) {
            let features = self.features(place);
            all += features.eights();
            same += features.eights_as_in(self.features(place - 1));
        }
        4 * same > 3 * all
    }

    #[inline(always)]
    fn features(&self, place: usize) -> Features<'a> {
        match self.source {
            Source::Taken(taken) => taken.example(self.batch, place),
            Source::Batch(slots) => {
                let range = self.batch.features_of(place);
                Features { slots: &slots[range.clone()], values: &self.batch.values()[range] }
            }
        }
    }
}

/// What changes while a linear model learns, and what its steps hang on.
struct State<'a> {
    weights: Single<'a>,
    tally: &'a mut Tally,
    /// What predictions are clipped to: what labels have been between, if `grows`.
    range: (f32, f32),
    grows: bool,
    /// With more weights than this, those of the next example are asked for ahead of time.
    near: usize,
}

impl<'a> State<'a> {
    /// `labels`: what labels have been between.
    fn of(model: &'a mut Model, hand: &'a mut Hand, labels: (f32, f32)) -> State<'a> {
        let (near, rate) = (near_weights(&model.settings), model.settings.learning_rate * model.pace);
        let grows = model.settings.loss != LossKind::Logistic;
        let range = if grows { labels } else { model.range() };
        let Model { linear: table, scale, progress, .. } = model;
        State { weights: Single { table, scale, rate, hand }, tally: &mut progress.tally, range, grows, near }
    }

    /// Score, record, move.
    #[inline(always)]
    fn learn<L: Loops, const KEEPS: bool>(
        &mut self,
        loops: L,
        loss: impl Loss,
        features: Features<'_>,
        given: Label,
        label: f32,
    ) {
        let Label { importance, base, .. } = given;
        if self.grows {
            self.range = (at_most(label, self.range.0), at_least(label, self.range.1));
        }
        let score = self.weights.open::<L, KEEPS>(loops, features) + base;
        let prediction = clip(score, self.range);
        self.tally.examples += 1;
        self.tally.features += features.slots.len() as u64 + 1;
        self.tally.base_features += features.slots.len() as u64;
        self.tally.add(prediction, label, importance, loss.value(prediction, label));
        let slope = loss.slope(prediction, label);
        if importance > 0.0 && slope != 0.0 {
            self.weights.step::<L, KEEPS>(loops, loss, Surprise { prediction, label, importance }, slope);
            if activity::is_counted(self.tally.examples) {
                self.weights.table.count_single(features);
            }
        }
    }
}
