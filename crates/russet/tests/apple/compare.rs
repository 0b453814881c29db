//! The learner and the oracle, side by side.

use crate::oracle::*;
use crate::*;

/// How much was compared, so that a test can tell that it did not pass over everything.
#[derive(Default)]
struct Compared {
    examples: Cell<usize>,
    growths: Cell<usize>,
    degree: Cell<usize>,
    rows: Cell<usize>,
    tiles: Cell<usize>,
}

/// Both learn the same examples, and agree on each prediction, the number of active features, and the set of weights.
fn compare(settings: &Settings, examples: &[Drawn], compared: &Compared) -> Result<(), TestCaseError> {
    let length = examples.len();
    let (mut oracle, mut learner, batch) = (Oracle::default(), learner(settings, length), batch_of(examples));
    for (place, example) in examples.iter().enumerate() {
        let before = (oracle.smallest, oracle.largest);
        let answer = oracle.learn(settings, example);
        let found = f64::from(predictions(learner.model(), &batch, place..place + 1)[0]);
        learner.learn_range(&batch, place..place + 1).unwrap();
        let expected = answer.prediction;
        // The predictor does not know the label that the learner's range is widened by first.
        if before.0 < expected && expected < before.1 {
            let close = (found - expected).abs() < 5e-3 * (1.0 + expected.abs());
            prop_assert!(close, "example {place}: {found} instead of {expected}, {settings:?}");
        }
        if answer.knife_edge {
            return Ok(());
        }
        let tally = learner.model().progress().tally;
        prop_assert_eq!(tally.features, oracle.features, "active features up to example {}", place);
        prop_assert_eq!(tally.base_features, oracle.base_features);
        same_weights(learner.model(), &oracle)?;
        if oracle.is_due(settings, length as u64) {
            if !oracle.grow(settings) {
                return Ok(());
            }
            prop_assert_eq!(learner.model().parents(), Some(oracle.parents.len()), "after example {}", place);
            compared.growths.set(compared.growths.get() + 1);
            let layout = if layout(learner.model()) == Layout::Tiles { &compared.tiles } else { &compared.rows };
            layout.set(layout.get() + 1);
        }
        compared.examples.set(compared.examples.get() + 1);
        let degree = oracle.weights.keys().map(Vec::len).max().unwrap_or(0);
        compared.degree.set(compared.degree.get().max(degree));
    }
    Ok(())
}

/// The model has a weight for each product that the oracle has, once, and for no other.
fn same_weights(model: &Model, oracle: &Oracle) -> Result<(), TestCaseError> {
    let (base, products) = model.weight_counts();
    prop_assert_eq!(base + products, oracle.weights.len());
    let mut seen = BTreeSet::new();
    for term in model.terms(usize::MAX) {
        let product = product_of(&term.name);
        prop_assert_eq!(term.degree, Some(product.len()));
        let weight = oracle.weights.get(&product);
        prop_assert!(weight.is_some(), "{} is not in the feature set; parents {:?}", term.name, oracle.parents);
        prop_assert!(seen.insert(product), "{} has two weights", term.name);
    }
    // A weight of 0 is no term.
    for (product, _) in oracle.weights.iter().filter(|(_, weight)| weight.weight.abs() > 1e-6) {
        prop_assert!(seen.contains(product), "{product:?} has no weight; parents {:?}", oracle.parents);
    }
    Ok(())
}

/// Features all of 0/1, all fractional, or mixed; some repeated. The first two labels span the range of all.
pub(crate) fn examples(length: Range<usize>) -> impl Strategy<Value = Vec<Drawn>> {
    let kinds = prop_oneof![Just(0b0000_0000u32), Just(0b1111_1111), any::<u8>().prop_map(u32::from)];
    let feature = (0u32..7, -6i32..9);
    // Sometimes most features are there, sometimes few.
    let drawn = (
        prop_oneof![prop::collection::vec(feature.clone(), 0..7), prop::collection::vec(feature, 7..14)],
        -4i32..5,
        0u32..8,
    );
    (kinds, prop::collection::vec(drawn, length)).prop_map(|(fractional, examples)| {
        let value = |name: u32, value: i32| match fractional >> name & 1 {
            0 => 1.0,
            _ => value as f32 / 4.0,
        };
        let one = |place: usize, (features, label, importance): (Vec<(u32, i32)>, i32, u32)| {
            let mut features: Vec<(u32, f32)> =
                features.into_iter().map(|(name, drawn)| (name, value(name, drawn))).collect();
            if fractional == 0 {
                // A repeated feature of 0/1 would be 2.
                let mut seen = BTreeSet::new();
                features.retain(|(name, _)| seen.insert(*name));
            }
            let label = [-4, 4].get(place).copied().unwrap_or(label) as f32 / 2.0;
            Drawn { features, label, importance: [2.5, 0.0, 1.0][importance.min(2) as usize] }
        };
        examples.into_iter().enumerate().map(|(place, drawn)| one(place, drawn)).collect()
    })
}

pub(crate) fn for_every<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

/// Labels as the loss wants them.
fn for_loss(loss: LossKind, examples: &[Drawn]) -> Vec<Drawn> {
    let class = |label: f32| if label > 0.0 { 1.0 } else { -1.0 };
    let mut examples = examples.to_vec();
    if loss == LossKind::Logistic {
        examples.iter_mut().for_each(|example| example.label = class(example.label));
    }
    examples
}

#[test]
fn learns_as_the_oracle_does() {
    let compared = Compared::default();
    let settings = (0.1f32..1.5, prop_oneof![Just(0.5f32), Just(1.0), Just(1.4)], 2u32..7, any::<[bool; 4]>());
    for_every(
        96,
        (examples(8..60), settings),
        |(drawn, (learning_rate, alpha, epochs, [l2, inherit, fallback, headroom]))| {
            for loss in [LossKind::Squared, LossKind::Logistic] {
                let settings = Settings {
                    loss,
                    learning_rate,
                    alpha,
                    epochs,
                    headroom: if headroom { 1.0 } else { 0.0 },
                    l2: if l2 { 0.01 } else { 0.0 },
                    inherit: if inherit { 0.05 } else { 0.0 },
                    select: if fallback { SelectKind::Fallback } else { SelectKind::Weight },
                    ..unguarded()
                };
                compare(&settings, &for_loss(loss, &drawn), &compared)?;
            }
            Ok(())
        },
    );
    let Compared { examples, growths, degree, rows, tiles } = compared;
    let found = (examples.get(), growths.get(), degree.get(), rows.get(), tiles.get());
    // Half of what is usual: the examples are drawn anew each time.
    let enough = found.0 > 2500 && found.1 > 180 && found.2 >= 3 && found.3 > 30 && found.4 > 100;
    assert!(enough, "too little was compared: {found:?}");
}
