//! How often a term was active, on data where that can be counted by hand.
#![allow(clippy::unwrap_used)]

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::loss::LossKind;
use russet::select::SelectKind;
use russet::settings::{ExpansionKind, GuardKind, Settings};
use russet::{Layout, Learner, Model};

const EXAMPLES: usize = 600;

/// Features of an example by name: some that come at regular distances, and one of `rare` that take turns.
fn features(number: usize, rare: usize) -> Vec<(String, f32)> {
    let regular = [("a", 2, 1.0), ("b", 3, 1.0), ("c", 1, 1.5), ("d", 5, 0.5)];
    let present = regular.iter().filter(|(_, every, _)| number.is_multiple_of(*every));
    let mut features: Vec<_> = present.map(|(name, _, value)| ((*name).to_owned(), *value)).collect();
    if rare > 0 {
        features.push((format!("r{}", number % rare), 1.0));
    }
    features
}

fn batch(rare: usize) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for number in 0..EXAMPLES {
        for (name, value) in features(number, rare) {
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name, value);
        }
        let label = if number % 6 == 0 || number % 7 == 1 { 1.0 } else { -1.0 };
        batch.end_example(Label::new(label), b"", number as u64 + 1);
    }
    batch
}

/// With logistic loss every example moves weights, so every one is counted.
fn settings(expansion: ExpansionKind) -> Settings {
    Settings { expansion, loss: LossKind::Logistic, epochs: 3, ..Settings::default() }
}

/// A model, and after how many examples each of its epochs began.
fn train(settings: &Settings, rare: usize) -> (Model, Vec<usize>) {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    learner.set_course_length(EXAMPLES as u64);
    let (batch, mut starts) = (batch(rare), vec![0]);
    for number in 0..EXAMPLES {
        let before = learner.model().parents();
        learner.learn_range(&batch, number..number + 1).unwrap();
        if learner.model().parents() != before {
            starts.push(number + 1);
        }
    }
    (learner.into_model(), starts)
}

/// In which share of the examples from `start` on all factors of a term are there.
fn share(name: &str, start: usize, rare: usize) -> f64 {
    let is_active = |number: &usize| {
        let present = features(*number, rare);
        name == "constant" || name.split(" * ").all(|factor| present.iter().any(|(name, _)| name == factor))
    };
    (start..EXAMPLES).filter(is_active).count() as f64 / (EXAMPLES - start) as f64
}

#[track_caller]
fn check(model: &Model, starts: &[usize], rare: usize) {
    let terms = model.terms(usize::MAX);
    for term in &terms {
        let start = starts[term.epoch.unwrap_or(1) as usize - 1];
        assert_eq!(term.active, Some(share(&term.name, start, rare)), "{term:?}");
    }
    for branch in model.tree() {
        let own = terms.iter().find(|term| term.name == branch.name).unwrap();
        assert_eq!((branch.active, branch.effect), (own.active, own.effect), "{branch:?}");
    }
}

#[test]
fn shares_are_those_counted_by_hand_in_every_layout() {
    let apple = settings(ExpansionKind::Apple);
    let wide = Settings { alpha: 3.0, memory: 1, ..apple.clone() };
    for (settings, rare, layout) in
        [(&apple, 0, Layout::Tiles), (&apple, 9, Layout::Rows), (&wide, 500, Layout::Families)]
    {
        let (model, starts) = train(settings, rare);
        assert_eq!(starts.len(), 3);
        let storage = model.storage().unwrap();
        assert_eq!((storage.layout, storage.left_out), (layout, 0));
        let terms = model.terms(usize::MAX);
        assert!((1..=3).all(|epoch| terms.iter().any(|term| term.epoch == Some(epoch))), "{layout:?}");
        check(&model, &starts, rare);
        let loaded = Model::from_bytes(&model.to_bytes()).unwrap();
        check(&loaded, &starts, rare);
    }
}

#[test]
fn shares_of_fixed_expansions_are_those_of_all_examples() {
    for expansion in [ExpansionKind::Linear, ExpansionKind::Quadratic, ExpansionKind::Cubic] {
        let (model, starts) = train(&settings(expansion), 9);
        check(&model, &starts, 9);
        assert!(model.terms(usize::MAX).iter().any(|term| term.active == Some(1.0)));
        check(&Model::from_bytes(&model.to_bytes()).unwrap(), &starts, 9);
    }
}

#[test]
fn a_weight_that_products_share_has_no_share_of_its_own() {
    let (model, _) = train(&Settings { bits: 8, ..settings(ExpansionKind::Quadratic) }, 100);
    assert!(model.products_share_weights());
    for term in model.terms(usize::MAX) {
        assert_eq!(term.active.is_some(), term.degree.is_some_and(|degree| degree < 2), "{term:?}");
    }
}

#[test]
fn a_model_that_has_learned_nothing_has_no_terms() {
    assert!(Model::new(settings(ExpansionKind::Apple).check().unwrap()).terms(10).is_empty());
}

/// Products on trial are not in the feature set: those that pass come in an epoch later.
#[test]
fn a_product_that_was_on_trial_is_counted_from_its_entry_on() {
    let settings = Settings {
        select: SelectKind::PickyWeight,
        epochs: 4,
        guard: GuardKind::Off,
        ..settings(ExpansionKind::Apple)
    };
    let (model, _) = train(&settings, 0);
    let epochs: Vec<_> = model.terms(usize::MAX).iter().map(|term| term.epoch.unwrap()).collect();
    assert!(epochs.contains(&3) && !epochs.contains(&2), "{epochs:?}");
    check(&model, &[0, 150, 300, 450], 0);
}
