//! A way in for benchmarks, which time the steps of [`crate::Learner::learn`] one by one. Not part of the interface.

use crate::batch::Batch;
use crate::expansion::{self, adaptive::Enumerator};
use crate::intake::Intake;
use crate::loss::Squared;
use crate::model::Model;
use crate::step::{Active, Adaptive, Scratches, Step, Surprise};
use crate::weights::{BaseFeatures, Loops, Place, Row, Rows, Work};

/// A model that has been trained, and some examples that it goes through again and again, one phase at a time.
pub struct Phases {
    model: Model,
    expander: Expander,
    scratches: Scratches,
    examples: Vec<Expanded>,
}

/// What one example after the other is expanded in, as in a learner.
struct Expander {
    base: BaseFeatures,
    enumerator: Enumerator,
    rows: Rows,
}

struct Expanded {
    base: BaseFeatures,
    rows: Rows,
    label: f32,
}

impl Expander {
    fn of(model: &Model) -> Expander {
        let enumerator = Enumerator::to_learn(model.cpu);
        Expander { base: BaseFeatures::default(), enumerator, rows: Rows::default() }
    }

    /// Lists the rows of an example.
    #[inline(always)]
    fn expand(&mut self, model: &Model, example: &BaseFeatures) {
        let Expander { base, enumerator, rows } = self;
        base.slots.clone_from(&example.slots);
        base.values.clone_from(&example.values);
        match &model.growth {
            Some(growth) => growth.rows(base, &model.products, enumerator, rows),
            None => expansion::products(&model.settings, base, model.slot_count(), &model.products, rows),
        }
    }
}

impl Expanded {
    fn active(&self) -> Active<'_> {
        let straight = self.rows.straight();
        Active { base: &self.base, linear: expansion::linear(&self.base), products: &self.rows, straight }
    }
}

impl Phases {
    /// Goes through the first `count` examples of some batches, which are all that the model was trained on.
    pub fn new<'a>(mut model: Model, batches: impl IntoIterator<Item = &'a Batch>, count: usize) -> Phases {
        let mut intake = Intake::new(model.settings.ngram, model.settings.expansion.needs_order());
        let mut examples = Vec::new();
        for batch in batches {
            intake.begin(batch);
            for example in batch.iter().take(count - examples.len()) {
                let base = intake.take(batch, &example, &mut model.features).clone();
                examples.push(Expanded { base, rows: Rows::default(), label: example.label.value.unwrap_or(0.0) });
            }
        }
        model.fit_tables_if_short();
        let mut expander = Expander::of(&model);
        for example in &mut examples {
            expander.expand(&model, &example.base);
            example.base.clone_from(&expander.base);
            example.rows = std::mem::take(&mut expander.rows);
        }
        let scratches = Scratches::on(model.cpu);
        Phases { model, expander, scratches, examples }
    }

    /// How many features are active in all examples together.
    pub fn features(&self) -> usize {
        self.examples.iter().map(|example| example.active().linear.len() + example.rows.active()).sum()
    }

    /// How many weights all examples together have: some products have none, and no loop meets them.
    pub fn weights(&self) -> usize {
        let weights = |row: &Row| if row.place == Place::Listed { row.len() } else { row.active as usize };
        let of_products = |example: &Expanded| example.rows.iter().map(weights).sum::<usize>();
        self.examples.iter().map(|example| example.active().linear.len() + of_products(example)).sum()
    }

    /// Lists the rows of each example. Gives how many there are.
    pub fn expand(&mut self) -> usize {
        self.model.cpu.run(Expand(self))
    }

    /// Scores each example, whose rows are known. Gives the sum.
    pub fn score(&mut self) -> f32 {
        self.model.cpu.run(Score(self))
    }

    /// Scores each example and moves its weights. Labels change sign, so that there is always something to learn.
    pub fn score_and_update(&mut self) {
        self.model.cpu.run(Update(self));
    }

    /// Chooses `count` monomials as a growth would, and leaves it at that. Gives how many there are.
    pub fn select(&mut self, count: usize) -> usize {
        let Model { growth, linear, products, shrinkage, .. } = &mut self.model;
        growth.as_mut().map_or(0, |growth| growth.choose(count, linear, products, shrinkage).len())
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

struct Expand<'a>(&'a mut Phases);

impl Work for Expand<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Loops>(self, _: L) -> usize {
        let Phases { model, expander, examples, .. } = self.0;
        let mut count = 0;
        for example in examples {
            expander.expand(model, &example.base);
            count += expander.rows.len();
        }
        count
    }
}

struct Score<'a>(&'a mut Phases);

impl Work for Score<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Loops>(self, loops: L) -> f32 {
        let Phases { model, scratches, examples, .. } = self.0;
        let mut total = 0.0;
        // A closure would not be compiled for the processor.
        for example in examples {
            total += model.open(loops, example.active(), 0.0, scratches);
        }
        total
    }
}

struct Update<'a>(&'a mut Phases);

impl Work for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Loops>(self, loops: L) {
        let Phases { model, scratches, examples, .. } = self.0;
        for example in examples {
            let prediction = model.open(loops, example.active(), 0.0, scratches);
            if let Some(growth) = &mut model.growth {
                growth.admit(&mut example.base, &example.rows, &mut model.products, &mut scratches.products);
            }
            let surprise = Surprise { prediction, label: example.label, importance: 1.0 };
            Adaptive.step(loops, model.moved(), example.active(), Squared, surprise, scratches);
            example.label = -example.label;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Dictionary, Label};
    use crate::feature::Namespace;
    use crate::learner::Learner;
    use crate::settings::{GuardKind, Settings};

    fn batch() -> Batch {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for round in 0..200_u32 {
            for name in ["a", "b", "c", "d"] {
                let value = (round * 7 + u32::from(name.as_bytes()[0]) * 3) % 11;
                batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, value as f32 - 4.5);
            }
            batch.end_example(Label::new((round % 3) as f32 - 1.0), b"", u64::from(round) + 1);
        }
        batch
    }

    #[test]
    fn phases_do_what_the_learner_does() {
        // Without cooling, for the learner counts the example before it learns from it, and phases do not count.
        let settings = Settings { guard: GuardKind::Off, epochs: 3, cooling: 1.0, ..Settings::default() };
        let mut learner = Learner::new(settings.check().unwrap());
        learner.set_course_length(200);
        let batch = batch();
        learner.learn(&batch).unwrap();
        let mut phases = Phases::new(learner.into_model(), [&batch], 3);
        assert_eq!(phases.expand(), 3 * phases.model().parents().unwrap());
        assert_eq!(phases.select(2), 2);
        let mut resumed = Learner::resume(phases.model().clone());
        resumed.learn_range(&batch, 0..3).unwrap();
        phases.score_and_update();
        let weights = |model: &Model| model.linear.iter().chain(model.products.iter()).collect::<Vec<_>>();
        assert_eq!(weights(resumed.model()), weights(phases.model()));
    }
}
