use super::*;
use crate::weights::{Cpu, Listed};
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #[test]
    fn behaves_as_the_standard_map(
        products in prop::collection::vec((0u32..5, 1u32..90), 0..400), limit in 0usize..600,
    ) {
        let mut table = WeightTable::with_limit(usize::MAX);
        let mut families = Families::new(limit, true, &mut table);
        let mut map = BTreeMap::new();
        for (parent, slot) in products {
            let place = families.insert(parent, slot, &mut table);
            prop_assert!(place.is_none() || !map.contains_key(&(parent, slot)));
            if let Some(place) = place {
                let weight = map.len() as f32;
                table.set(place as usize, Slot { weight, key: slot, ..Slot::default() });
                map.insert((parent, slot), weight);
            }
        }
        prop_assert!(families.places() <= limit);
        let mut found = BTreeMap::new();
        families.visit_in_order(&table, |parent, slot, place| {
            assert_eq!(families.place(parent, slot, &table), Some(place as u32));
            assert_eq!(found.insert((parent, slot), table.get(place).weight), None);
        });
        prop_assert_eq!(found, map);
    }
}

proptest! {
    /// A loaded model must have room for just as much as the one that was saved, whatever the order products came in.
    #[test]
    fn room_made_at_once_is_that_made_one_by_one(
        slots in prop::collection::hash_set(prop_oneof![1u32..40, 1u32..100_000], 1..200), limit in 0usize..600,
    ) {
        let slots: Vec<u32> = slots.into_iter().collect();
        let (mut table, mut other) = (WeightTable::with_limit(usize::MAX), WeightTable::with_limit(usize::MAX));
        let (mut grown, mut made) = (Families::new(limit, true, &mut table), Families::new(limit, true, &mut other));
        let all = slots.iter().all(|slot| grown.insert(1, *slot, &mut table).is_some());
        let weight = |slot: &u32| (Slot { weight: *slot as f32, key: *slot, ..Slot::default() }, slot + 1);
        let restored = made.restore(1, &slots, &mut other, weight);
        prop_assert_eq!(restored.is_some(), all);
        if all {
            prop_assert_eq!(made.places(), grown.places());
            for slot in &slots {
                let place = made.place(1, *slot, &other).unwrap() as usize;
                prop_assert_eq!((other.get(place), other.active(place)), weight(slot));
            }
            let mut visited = 0;
            made.visit(&other, |_, _, _| visited += 1);
            prop_assert_eq!(visited, slots.len());
            // As ready for more as the other.
            for slot in 1..200 {
                let more = [made.insert(1, slot, &mut other).is_some(), grown.insert(1, slot, &mut table).is_some()];
                prop_assert_eq!(more[0], more[1]);
                prop_assert_eq!(made.places(), grown.places());
            }
        }
    }

    #[test]
    fn a_saved_product_that_occurs_twice_is_refused(slots in prop::collection::vec(1u32..60, 1..12)) {
        let mut table = WeightTable::with_limit(usize::MAX);
        let weight = |slot: &u32| (Slot { key: *slot, ..Slot::default() }, 0);
        let restored = Families::new(1 << 10, true, &mut table).restore(0, &slots, &mut table, weight);
        let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
        prop_assert_eq!(restored.is_some(), distinct.len() == slots.len());
    }
}

/// The rows of an example that has `slots`, one for each of five parents: places, slots and values.
fn list(lookup: Lookup<'_>, slots: &[u32], sealed: &[usize]) -> Vec<(u32, u32, f32)> {
    let (mut listed, mut words) = (Listed::default(), Sealed::default());
    let values: Vec<f32> = slots.iter().map(|slot| *slot as f32 + 0.5).collect();
    words.clear(slots.len());
    sealed.iter().for_each(|position| words.add(position % slots.len()));
    let mut ends = vec![0];
    for parent in 0..5 {
        lookup.aim(parent, Features { slots, values: &values }, &words, &mut listed);
        ends.push(listed.len());
    }
    let mut to = 0;
    for (parent, row) in (0..).zip(ends.windows(2)) {
        to += lookup.confirm(parent, row[0]..row[1], to, &mut listed);
    }
    let all = listed.places[..to].iter().zip(&listed.slots).zip(&listed.values);
    all.map(|((place, slot), value)| (*place, *slot, *value)).collect()
}

proptest! {
    /// Whatever looks for products, it lists just those that have a place or may get one, and others' as sealed.
    #[test]
    fn every_processor_lists_what_there_is(
        products in prop::collection::vec((0u32..5, prop_oneof![1u32..60, 1u32..5_000]), 0..500),
        example in prop::collection::hash_set(prop_oneof![1u32..60, 1u32..5_000], 1..400),
        sealed in prop::collection::vec(0usize..400, 0..4),
        limit in 0usize..600,
        admits in any::<bool>(),
    ) {
        let mut table = WeightTable::with_limit(usize::MAX);
        let mut families = Families::new(limit, admits, &mut table);
        let slots: Vec<u32> = example.into_iter().collect();
        let is_sealed = |slot: u32| sealed.iter().any(|position| slots[position % slots.len()] == slot);
        for (parent, slot) in products.into_iter().filter(|(_, slot)| !is_sealed(*slot)) {
            families.insert(parent, slot, &mut table);
        }
        let (mut expected, mut old) = (Vec::new(), Vec::new());
        for (parent, slot) in (0..5).flat_map(|parent| slots.iter().map(move |slot| (parent, *slot))) {
            let place = families.place(parent, slot, &table);
            let in_time = (slot < families.late_from(parent)).then_some(Families::NEW);
            let with_others = if is_sealed(slot) { in_time.map(|_| Families::SEALED) } else { place.or(in_time) };
            let [all, old_ones] = [with_others, place].map(|place| place.map(|place| (place, slot, slot as f32 + 0.5)));
            expected.extend(all);
            old.extend(old_ones);
        }
        for cpu in Cpu::available() {
            let lookup = families.lookup(&table, cpu);
            prop_assert_eq!(&list(lookup, &slots, &sealed), &expected, "{:?}", cpu);
            prop_assert_eq!(&list(lookup.of_old_ones(), &slots, &[]), &old, "{:?}", cpu);
        }
    }

    /// A model that was saved and loaded goes on to the bit, so whether a product may still get a place must not hang on
    /// which was refused before.
    #[test]
    fn who_may_get_a_place_hangs_on_what_is_there_alone(
        products in prop::collection::vec((0u32..5, 1u32..3_000), 0..500), limit in 0usize..600,
    ) {
        let (mut table, mut other) = (WeightTable::with_limit(usize::MAX), WeightTable::with_limit(usize::MAX));
        let (mut grown, mut made) = (Families::new(limit, true, &mut table), Families::new(limit, true, &mut other));
        for (parent, slot) in products {
            grown.insert(parent, slot, &mut table);
        }
        for parent in 0..5 {
            let mut slots = Vec::new();
            grown.visit_in_order(&table, |owner, slot, _| slots.extend((owner == parent).then_some(slot)));
            if !slots.is_empty() {
                let weight = |slot: &u32| (Slot { key: *slot, ..Slot::default() }, 1);
                prop_assert!(made.restore(parent, &slots, &mut other, weight).is_some());
            }
        }
        prop_assert!((0..5).all(|parent| made.late_from(parent) == grown.late_from(parent)));
    }
}

#[test]
fn a_listed_row_gets_its_places_also_when_the_family_moves() {
    let mut table = WeightTable::with_limit(usize::MAX);
    let mut families = Families::new(1 << 10, true, &mut table);
    let slots: Vec<u32> = (1..40).collect();
    let mut listed = Listed::default();
    let lookup = families.lookup(&table, Cpu::fastest());
    let mut sealed = Sealed::default();
    sealed.clear(39);
    sealed.add(3);
    lookup.aim(2, Features { slots: &slots, values: &[1.0; 39] }, &sealed, &mut listed);
    let row = 0..lookup.confirm(2, 0..39, 0, &mut listed);
    assert_eq!(row, 0..39);
    let expected = (0..39).map(|position| if position == 3 { Families::SEALED } else { Families::NEW });
    assert!(listed.places[row.clone()].iter().copied().eq(expected));
    families.admit(2, row.clone(), &mut listed, &mut table, |_, _| ());
    let expected =
        listed.slots[row.clone()].iter().map(|slot| families.place(2, *slot, &table).unwrap_or(Families::SEALED));
    assert!(listed.places[row].iter().copied().eq(expected));
}
