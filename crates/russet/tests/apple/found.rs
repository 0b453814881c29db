//! What the rules find.

use crate::made_up::*;
use crate::*;

/// The features that are parents: only those have their own squares in the feature set, if all are fractional.
fn squares(model: &Model) -> usize {
    let square = |product: &Product| product.len() == 2 && product[0] == product[1];
    model.terms(usize::MAX).iter().filter(|term| square(&product_of(&term.name))).count()
}

#[test]
fn with_fallback_every_feature_becomes_a_parent() {
    let d = 12;
    let examples = dense(32 * 40, d, 7);
    let batch = batch_of(&examples);
    // 13^0.1 is 1: nothing but the fallback. 13^0.5 is 3: two by weight and the fallback.
    for alpha in [0.1, 0.5] {
        let settings = Settings { alpha, epochs: 32, select: SelectKind::Fallback, ..unguarded() };
        let mut learner = learner(&settings, examples.len());
        learner.learn_range(&batch, 0..d as usize * 40).unwrap();
        let parents = d as usize * if alpha < 0.3 { 1 } else { 3 };
        assert_eq!(learner.model().parents(), Some(parents));
        learner.learn_range(&batch, d as usize * 40..d as usize * 40 + 1).unwrap();
        assert_eq!(squares(learner.model()), d as usize, "alpha {alpha}");
    }
    // Without it, the weights decide, and they may keep a feature out for ever.
    let mut learner = learner(&Settings { alpha: 0.5, epochs: 32, ..unguarded() }, examples.len());
    learner.learn_range(&batch, 0..d as usize * 40 + 1).unwrap();
    assert!(squares(learner.model()) < d as usize);
}

#[test]
fn a_single_product_of_three_is_found() {
    let (d, count) = (12, 12_000);
    let mut dice = Dice(8);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..d).filter(|_| dice.roll(2) == 0).map(|name| (name, 1.0)).collect();
        let all = [2, 5, 9].iter().all(|name| features.contains(&(*name, 1.0)));
        Drawn { features, label: if all { 1.0 } else { 0.0 }, importance: 1.0 }
    };
    // Labels beyond those of the target, of no importance: where predictions are clipped to 0 and 1, a sum of the three
    // features less 2 does as well as their product.
    let wide = [-2.0, 2.0].map(|label| Drawn { features: vec![], label, importance: 0.0 });
    let examples: Vec<Drawn> = wide.into_iter().chain((0..count).map(|_| one())).collect();
    // 7^0.5 is 2: ten parents in all.
    let mut learner = learner(&Settings { alpha: 0.5, ..unguarded() }, count + 2);
    learner.learn(&batch_of(&examples)).unwrap();
    let model = learner.model();
    let terms = model.terms(usize::MAX);
    let names: Vec<(&str, f32)> = terms.iter().take(8).map(|term| (term.name.as_str(), term.effect)).collect();
    assert_eq!(product_of(&terms[0].name), [2, 5, 9], "{names:?}");
    assert!(terms[0].effect > 3.0 * terms[1].effect.abs(), "{names:?}");
    let (base, products) = model.weight_counts();
    assert!(base + products < 12 * (10 + 2), "{base} + {products}");
    assert_eq!(model.parents(), Some(10));
}

/// The target is a product; picky rules find it with a few products in the feature set, the others with many.
#[test]
fn every_rule_finds_a_product_of_two() {
    let mut dice = Dice(21);
    let mut one = || {
        let features: Vec<(u32, f32)> = (0..10).filter(|_| dice.roll(2) == 0).map(|name| (name, 1.0)).collect();
        let both = [3, 6].iter().all(|name| features.contains(&(*name, 1.0)));
        Drawn { features, label: if both { 1.0 } else { 0.0 }, importance: 1.0 }
    };
    let wide = [-2.0, 2.0].map(|label| Drawn { features: vec![], label, importance: 0.0 });
    let examples: Vec<Drawn> = wide.into_iter().chain((0..9000).map(|_| one())).collect();
    let batch = batch_of(&examples);
    let products = |select| {
        let mut learner = learner(&Settings { select, ..unguarded() }, examples.len());
        learner.learn(&batch).unwrap();
        let terms = learner.model().terms(usize::MAX);
        // The test of picky-ssm may prefer a product of these two and another, where the model is as wrong.
        let has_both = |product: &Product| product.contains(&3) && product.contains(&6);
        let found = product_of(&terms[0].name);
        assert!(found == [3, 6] || select == SelectKind::PickySsm && has_both(&found), "{select:?}: {found:?}");
        learner.model().weight_counts().1
    };
    let [weight, ssm, fallback, picky_weight, picky_ssm] =
        [SelectKind::Weight, SelectKind::Ssm, SelectKind::Fallback, SelectKind::PickyWeight, SelectKind::PickySsm]
            .map(products);
    // Six places at each of five growths; at the first nothing has been on trial.
    assert!(picky_weight <= 24 && picky_ssm <= 24, "{picky_weight} {picky_ssm}");
    assert!(weight > 45 && ssm > 45 && fallback > 45, "{weight} {ssm} {fallback}");
}

#[test]
fn plain_gradient_steps_grow_too() {
    let examples = sparse(600, 60, 9);
    let mut learner = learner(&Settings { step: StepKind::Sgd, l2: 0.01, ..unguarded() }, 600);
    learner.learn(&batch_of(&examples)).unwrap();
    assert!(learner.model().parents().unwrap() > 0);
}
