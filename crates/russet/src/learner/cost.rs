//! What an example costs, counted: in proportion to the parents present times the base features, whatever the size of
//! the feature set.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use super::*;
use crate::Layout;
use crate::batch::{Dictionary, Label};
use crate::expansion::{adaptive::Parents, few, steps};
use crate::feature::Namespace;
use crate::monomial::Monomial;
use crate::settings::{ExpansionKind, Settings};
use crate::weights::TILE;

/// How many operations an example may cost for each of (parents present + 1) times base features. A weight counts 1, up to
/// 2 where tiles go over absent features, and rows are filled up to whole tiles; sealed products and offspring are
/// less than 1 together. In families the places are looked for one by one, twice if some are new, past others that are in
/// the way.
fn bound(layout: Layout) -> usize {
    if layout == Layout::Families { 6 } else { 3 }
}

/// Made-up data: every example has `always` features that all have, and `rare` of `many` others.
#[derive(Clone, Copy)]
struct Shape {
    layout: Layout,
    always: u32,
    rare: u32,
    many: u32,
    /// Before this example there are none of those.
    rare_from: usize,
    /// In MiB.
    memory: u32,
}

/// Features 0 to 7 are in half of the training examples and in none of those measured.
const HIDDEN: u32 = 8;
const TRAINING: usize = 3_000;
const MEASURED: usize = 50;

const SHAPES: [Shape; 6] = [
    Shape { layout: Layout::Tiles, always: 16, rare: 0, many: 0, rare_from: 0, memory: 256 },
    Shape { layout: Layout::Tiles, always: 40, rare: 10, many: 30, rare_from: 0, memory: 256 },
    Shape { layout: Layout::Rows, always: 6, rare: 10, many: 400, rare_from: 0, memory: 256 },
    Shape { layout: Layout::Rows, always: 20, rare: 40, many: 900, rare_from: 0, memory: 256 },
    Shape { layout: Layout::Families, always: 8, rare: 16, many: 40_000, rare_from: 0, memory: 6 },
    // Dense until after the last growth.
    Shape { layout: Layout::Rows, always: 16, rare: 8, many: 300, rare_from: 2_700, memory: 256 },
];

/// What one example costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    /// The weights that the loops go over, with what fills up tiles.
    weights: usize,
    /// Steps of finding parents and places.
    steps: usize,
    parents: usize,
    features: usize,
}

impl Cost {
    fn operations(self) -> usize {
        self.weights + self.steps
    }

    fn unit(self) -> usize {
        (self.parents + 1) * self.features
    }
}

/// Whole numbers below `bound`, always the same.
fn draw(state: &mut u64, bound: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(bound)) as u32
}

/// `TRAINING` examples, then `MEASURED`.
fn data(shape: Shape) -> Batch {
    let (mut dictionary, mut batch, mut state) = (Dictionary::default(), Batch::default(), 1);
    batch.start(&mut dictionary);
    for place in 0..TRAINING + MEASURED {
        let mut sum = 0.0;
        let mut push = |feature: u32, state: &mut u64| {
            let value = 0.1 + draw(state, 1000) as f32 / 1000.0;
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{feature}"), value);
            sum += if feature.is_multiple_of(3) { value } else { -value * value };
        };
        let shown = (0..HIDDEN).filter(|_| place < TRAINING && place % 2 == 0);
        shown.chain(HIDDEN..HIDDEN + shape.always).for_each(|feature| push(feature, &mut state));
        let width = shape.many / shape.rare.max(1);
        let early = place < shape.rare_from;
        for part in (0..shape.rare).filter(|_| !early) {
            // The lower ones are more frequent.
            let among = 1 + draw(&mut state, width);
            push(HIDDEN + shape.always + part * width + draw(&mut state, among), &mut state);
        }
        batch.end_example(Label::new(sum), b"", place as u64 + 1);
    }
    batch
}

fn trained(shape: Shape, alpha: f32, batch: &Batch) -> Learner {
    let settings = Settings { expansion: ExpansionKind::Apple, alpha, memory: shape.memory, ..Settings::default() };
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length((TRAINING + MEASURED) as u64);
    learner.learn_range(batch, 0..TRAINING).unwrap();
    assert_eq!(learner.model.storage().unwrap().layout, shape.layout);
    learner
}

/// Learns from the examples that are measured.
fn costs(learner: &mut Learner, batch: &Batch) -> Vec<Cost> {
    let places = TRAINING..TRAINING + MEASURED;
    places
        .map(|place| {
            let steps = steps::taken(|| learner.learn_range(batch, place..place + 1).unwrap());
            let base = learner.intake.base();
            let features = base.slots.len() - 1;
            let parents = learner.model.growth.as_ref().unwrap().parents.iter();
            let present = parents.filter(|parent| parent.monomial.slots().iter().all(|slot| base.slots.contains(slot)));
            let (parents, rows) = (present.count(), &learner.rows);
            assert_eq!(rows.len(), parents);
            let weights = rows.iter().map(|row| row.len().next_multiple_of(TILE)).sum::<usize>() + features;
            Cost { weights, steps, parents, features }
        })
        .collect()
}

/// The same after `crowd` has added parents to the feature set.
fn crowded_costs(model: &Model, batch: &Batch, crowd: impl FnOnce(&mut Parents, &dyn Fn(u32) -> u32)) -> Vec<Cost> {
    let mut model = model.clone();
    let name = |feature: u32| format!("f{feature}").into_bytes();
    let slot_of = |feature| (1..).find(|slot| model.features.name_bytes(*slot) == name(feature)).unwrap();
    let growth = model.growth.as_mut().unwrap();
    let before = growth.parents.len();
    crowd(&mut growth.parents, &slot_of);
    assert!(growth.parents.len() > before + 1000);
    model.fit_tables();
    costs(&mut Learner::resume(model), batch)
}

/// Makes all products of up to `degree` hidden features parents, those that `origin` begins.
fn add_products(parents: &mut Parents, origin: Option<u32>, slots: &[u32], degree: u32) {
    for (place, slot) in slots.iter().enumerate().filter(|_| degree > 0) {
        let monomial = origin.map_or(Monomial::base(*slot), |origin| parents.get(origin).monomial.times(*slot));
        let known = parents.iter().position(|parent| parent.monomial == monomial);
        let number = known.unwrap_or(parents.len());
        if known.is_none() {
            parents.add(origin, *slot, 1, 0.0);
        }
        add_products(parents, Some(number as u32), &slots[place..], degree - 1);
    }
}

#[test]
fn an_example_costs_its_parents_times_its_features() {
    for shape in SHAPES {
        let batch = data(shape);
        let mut seen = Vec::new();
        for alpha in [0.5, 1.0, 1.4] {
            seen.extend(costs(&mut trained(shape, alpha, &batch), &batch));
        }
        let worst = seen.iter().max_by_key(|cost| 1000 * cost.operations() / cost.unit()).unwrap();
        assert!(worst.operations() <= bound(shape.layout) * worst.unit(), "{:?}: {worst:?}", shape.layout);
        // It was not all about the same few parents.
        let parents = seen.iter().map(|cost| cost.parents);
        let (least, most) = (parents.clone().min().unwrap(), parents.max().unwrap());
        assert!(most >= 20 && most > 3 * least, "{least} to {most} parents");
    }
}

#[test]
fn parents_that_are_absent_cost_nothing() {
    for shape in SHAPES {
        let batch = data(shape);
        let model = trained(shape, 1.0, &batch).into_model();
        let crowded = crowded_costs(&model, &batch, |parents, slot_of| {
            let slots: Vec<u32> = (0..HIDDEN).map(slot_of).collect();
            add_products(parents, None, &slots, 5);
        });
        let swept = few::is_narrow(model.features.slot_count() as u32);
        for (alone, crowded) in costs(&mut Learner::resume(model), &batch).into_iter().zip(crowded) {
            // A sweep over all parents gives way to a search as soon as there are many.
            let alone = if swept { Cost { steps: crowded.steps, ..alone } } else { alone };
            assert_eq!(crowded, alone, "{:?}", shape.layout);
            assert!(crowded.operations() <= bound(shape.layout) * crowded.unit(), "{:?}: {crowded:?}", shape.layout);
        }
    }
}

#[test]
fn a_great_many_offspring_that_are_absent_cost_a_search_for_each_feature() {
    let shape = SHAPES[4];
    let batch = data(shape);
    let model = trained(shape, 1.0, &batch).into_model();
    let slot_count = model.features.slot_count() as u32;
    let mut learner = Learner::resume(model.clone());
    let alone = costs(&mut learner, &batch);
    // Again, for the slots that the measured examples have.
    let mut met = BTreeSet::new();
    for place in TRAINING..TRAINING + MEASURED {
        learner.learn_range(&batch, place..place + 1).unwrap();
        met.extend(learner.intake.base().slots.iter().copied());
    }
    let root = learner.rows.iter().map(|row| row.parent).next().unwrap();
    let crowded = crowded_costs(&model, &batch, |parents, _| {
        for slot in (0..slot_count).filter(|slot| !met.contains(slot)).take(4_000) {
            if parents.owns(root, slot) && !parents.is_offspring(root, slot) {
                parents.add(Some(root), slot, 1, 0.0);
            }
        }
    });
    for (alone, crowded) in alone.iter().zip(&crowded) {
        let search = (4_000.0f64).log2().ceil() as usize + 2;
        assert!(crowded.operations() <= alone.operations() + search * alone.features, "{alone:?} {crowded:?}");
    }
}
