//! One example after another: its rows, its score, what it is judged by, its step.

use std::ops::Range;

use super::chosen::{self, Choice, Task};
use super::judge::{Judge, Seen};
use super::{LearnError, Learner, Taken, label, near_weights};
use crate::batch::{Batch, Example};
use crate::expansion;
use crate::loss::Loss;
use crate::model::{Model, activity};
use crate::step::{Active, Step, Surprise};
use crate::weights::{Loops, prefetch};

/// Examples to be learned.
struct Course<'a> {
    learner: &'a mut Learner,
    examples: Examples<'a>,
}

/// Some examples of a batch, and their base features if a scout has taken them.
pub(super) struct Examples<'a> {
    pub(super) batch: &'a Batch,
    pub(super) taken: Option<&'a Taken>,
    pub(super) range: Range<usize>,
}

impl Task for Course<'_> {
    type Output = Result<(), LearnError>;

    #[inline(always)]
    fn run<L: Loops>(self, loops: L, step: impl Step, loss: impl Loss) -> Result<(), LearnError> {
        self.learner.run(self.examples, loops, step, loss)
    }
}

impl Learner {
    pub(super) fn learn_examples(&mut self, examples: Examples<'_>) -> Result<(), LearnError> {
        if examples.taken.is_none() {
            self.intake.begin(examples.batch);
        }
        if let Some(result) = self.learn_linear(&examples) {
            return result;
        }
        chosen::run(Choice::of(&self.model.settings, self.model.cpu), Course { learner: self, examples })
    }

    #[inline(always)]
    fn run<L: Loops>(
        &mut self,
        examples: Examples<'_>,
        loops: L,
        step: impl Step,
        loss: impl Loss,
    ) -> Result<(), LearnError> {
        let Examples { batch, taken, range } = examples;
        if taken.is_none() {
            // Not for a few of its examples: a batch may be gone on with many times, after each example that was refused.
            if range.start == 0 && 2 * range.len() >= batch.len() {
                self.intake.find_all(batch, &self.model.features);
            }
        }
        if let Some(heard) = &mut self.heard {
            heard.clear();
        }
        let near = near_weights(&self.model.settings);
        for place in range {
            let (example, labels) = (batch.example(place), &mut self.model.progress.labels);
            let features = example.codes.len();
            let label = label::check(example.label, features, &self.model.settings, self.against_rest, labels)
                .map_err(|problem| LearnError { place, line: example.line, problem })?;
            match taken {
                Some(taken) => self.recall(batch, taken, place),
                None => drop(self.intake.take(batch, &example, &mut self.model.features)),
            }
            // While this example is learned, what the next one needs is on its way.
            if self.model.linear.len() > near {
                match taken {
                    Some(taken) => self.prefetch_taken(batch, taken, place + 1),
                    None => self.look_ahead(batch, place + 1),
                }
            }
            self.learn_one(&example, label, loops, step, loss);
        }
        Ok(())
    }

    /// Asks for the memory of weights that the example at `place` will need.
    #[inline]
    fn look_ahead(&mut self, batch: &Batch, place: usize) {
        let linear = self.model.linear.slots();
        let guard = self.model.guard.as_ref().map_or(&[][..], |guard| guard.linear.slots());
        self.intake.look_ahead(batch, place, &self.model.features, |slot| {
            prefetch(linear, slot as usize);
            prefetch(guard, slot as usize);
        });
    }

    /// Expand, score, record, move.
    #[inline(always)]
    fn learn_one<L: Loops>(&mut self, example: &Example<'_>, label: f32, loops: L, step: impl Step, loss: impl Loss) {
        self.expand();
        let seen = self.see(example, label, loops, step, loss);
        let (tally, base) = (&mut self.model.progress.tally, self.intake.base());
        tally.examples += 1;
        tally.features += (expansion::linear(base).len() + self.rows.active()) as u64;
        tally.base_features += base.slots.len() as u64 - 1;
        if seen.is_learned() {
            self.habit.note(seen.has_slope(loss));
            self.move_weights(&seen, loops, step, loss);
        }
        self.judge(&seen, loops, step, loss);
        if self.model.progress.tally.examples >= self.next_growth {
            self.grow();
        }
    }

    /// Lists the example's products.
    #[inline(always)]
    fn expand(&mut self) {
        let (model, base) = (&mut self.model, self.intake.base());
        model.fit_tables_if_short();
        match &mut model.growth {
            Some(growth) => {
                growth.note_values(base, &mut model.products);
                growth.rows(base, &model.products, &mut self.enumerator, &mut self.rows);
            }
            None => {
                if model.progress.tally.examples.is_power_of_two() {
                    model.order_products();
                }
                let slot_count = model.slot_count();
                expansion::products(&model.settings, base, slot_count, &model.products, &mut self.rows);
            }
        }
    }

    /// What the weights say of an example. They are made ready for a step, but where most examples move nothing, only if this one will.
    #[inline(always)]
    fn see<L: Loops, S: Step>(&mut self, example: &Example<'_>, label: f32, loops: L, _: S, loss: impl Loss) -> Seen {
        let (model, base) = (&self.model, self.intake.base());
        let (importance, offset, range) = (example.label.importance, example.label.base, model.range());
        let mut seen = Seen { score: 0.0, label, importance, offset, range, used: self.pass.use_of(example.line) };
        let active =
            Active { base, linear: expansion::linear(base), products: &self.rows, straight: self.rows.straight() };
        let looks_first = S::NEEDS_SLOPE && model.products.is_tiled() && self.habit.is_still();
        if looks_first {
            seen.score = model.score(loops, active, offset);
        }
        if !looks_first || seen.is_learned() && seen.has_slope(loss) {
            seen.score = model.open(loops, active, offset, &mut self.scratches);
        }
        seen
    }

    /// Judges the example that was opened last, or notes it down for the companion.
    #[inline(always)]
    fn judge<L: Loops>(&mut self, seen: &Seen, loops: L, step: impl Step, loss: impl Loss) {
        let (model, base) = (&mut self.model, self.intake.base());
        if let Some(notes) = &mut self.notes {
            notes.add(*seen, base, model.slot_count());
            return;
        }
        let Model { guard, progress, settings, pace, cpu, .. } = model;
        let (tally, scratches) = (&mut progress.tally, &mut self.guard_scratches);
        let single = guard.as_ref().is_some_and(|guard| guard.has_single_steps(settings, *cpu));
        let judge = Judge { guard: guard.as_mut(), tally, settings, pace: *pace, scratches, single };
        let predicted = judge.judge(loops, step, loss, seen, base);
        if let Some(heard) = &mut self.heard {
            heard.push(predicted);
        }
    }

    /// Learns from the example that was opened last.
    #[inline(always)]
    fn move_weights<L: Loops>(&mut self, seen: &Seen, loops: L, step: impl Step, loss: impl Loss) {
        let (model, base) = (&mut self.model, self.intake.base());
        let Seen { label, importance, .. } = *seen;
        let prediction = seen.clip(seen.score);
        let slope = loss.slope(prediction, label);
        if let Some(growth) = model.growth.as_mut().filter(|_| slope != 0.0) {
            growth.admit(base, &self.rows, &mut model.products, &mut self.scratches.products);
        }
        let active =
            Active { base, linear: expansion::linear(base), products: &self.rows, straight: self.rows.straight() };
        let surprise = Surprise { prediction, label, importance };
        step.step(loops, model.moved(), active, loss, surprise, &mut self.scratches);
        if slope != 0.0 && activity::is_counted(model.progress.tally.examples) {
            model.count(active);
        }
        model.observe(active, importance, slope);
        if let Some(growth) = &mut model.growth {
            growth.try_products(base, &self.enumerator, (importance, slope, model.settings.learning_rate));
        }
    }
}
