use std::collections::BTreeSet;

use super::{Enumerator, Parents};
use crate::weights::BaseFeatures;

/// The last factor and the value of each parent present, where base feature 7 has offspring with `slots`.
fn present(slots: impl Iterator<Item = u32>) -> Vec<(u32, f32)> {
    let (mut parents, mut enumerator) = (Parents::default(), Enumerator::default());
    parents.add(None, 7, 1, 0.0);
    slots.for_each(|slot| parents.add(Some(0), slot, 1, 0.0));
    let (slots, values) = (vec![0, 250, 7, 30, 199, 2000], vec![1.0, 0.5, 3.0, -0.25, 5.0, 9.0]);
    let mut base = BaseFeatures { slots, values, ..BaseFeatures::default() };
    enumerator.find(&parents, &mut base, 0);
    enumerator.present.iter().map(|(parent, value)| (parents.get(*parent).origin.1, *value)).collect()
}

/// Looking at every earlier parent took 40 s for 9,000 columns; this finds the same without.
#[test]
fn a_new_parent_is_barred_from_what_earlier_ones_reach() {
    let mut parents = Parents::default();
    let (mut dice, mut added) = (1u64, 0);
    while added < 300 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let slot = 1 + (dice >> 33) as u32 % 12;
        let origin = (dice >> 40 & 3 > 0 && added > 0).then(|| (dice >> 45) as u32 % added);
        let taken = origin.map_or(parents.is_root(slot), |parent| {
            parents.is_offspring(parent, slot) || parents.get(parent).monomial.degree() > 3
        });
        if !taken {
            parents.add(origin, slot, 1, 0.0);
            added += 1;
        }
    }
    for (number, parent) in parents.all.iter().enumerate() {
        let earlier = parents.all[..number].iter();
        let barred: BTreeSet<u32> =
            earlier.filter_map(|earlier| parent.monomial.one_step_to(&earlier.monomial)).collect();
        let own: BTreeSet<u32> = parent.monomial.slots().iter().copied().collect();
        let sealed: BTreeSet<u32> = parents.sealed(number as u32).collect();
        assert_eq!(sealed, &barred | &own, "{:?}", parent.monomial);
        assert!(parent.barred.iter().eq(barred.intersection(&own)), "{:?}", parent.monomial);
    }
    assert!(parents.all.iter().any(|parent| parent.monomial.degree() == 4 && !parent.barred.is_empty()));
}

#[test]
fn few_and_many_offspring_are_found_in_the_same_order() {
    let expected = [(7, 3.0), (7, 9.0), (30, -0.75), (199, 15.0), (250, 1.5)];
    assert_eq!(present([7, 30, 199, 250].into_iter()), expected);
    assert_eq!(present(1..=1000), expected);
    assert_eq!(present((1..=1000).rev()), expected);
}
