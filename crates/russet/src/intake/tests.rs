use super::*;
use crate::batch::{Dictionary, Label};
use crate::feature::{Indexing, Namespace};

fn base_of(features: &[(&str, f32)], ngram: u32, sorted: bool, table: &mut FeatureTable) -> Vec<(String, f32)> {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for (name, value) in features {
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, *value);
    }
    batch.end_example(Label::new(1.0), b"", 1);
    let mut intake = Intake::new(ngram, sorted);
    intake.begin(&batch);
    let base = intake.take(&batch, &batch.example(0), &mut *table).clone();
    base.slots.iter().zip(base.values).map(|(slot, value)| (table.name(*slot).into_owned(), value)).collect()
}

fn named(features: &[(&str, f32)]) -> Vec<(String, f32)> {
    features.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[test]
fn repeated_features_are_summed_and_zeros_dropped() {
    let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
    let found = base_of(&[("a", 1.0), ("b", 2.0), ("a", 0.5), ("c", 3.0), ("c", -3.0)], 1, false, &mut table);
    assert_eq!(found, named(&[("constant", 1.0), ("a", 1.5), ("b", 2.0)]));
}

#[test]
fn sorted_by_first_appearance_if_asked() {
    let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
    base_of(&[("a", 1.0), ("b", 1.0)], 1, true, &mut table);
    let found = base_of(&[("b", 2.0), ("a", 1.0)], 1, true, &mut table);
    assert_eq!(found, named(&[("constant", 1.0), ("a", 1.0), ("b", 2.0)]));
}

#[test]
fn ngrams_have_products_as_values_and_names_in_order() {
    let mut table = FeatureTable::new(Indexing::Interned, 8, 0);
    let found = base_of(&[("new", 2.0), ("york", 3.0), ("city", 1.0)], 3, false, &mut table);
    let expected = [
        ("constant", 1.0),
        ("new", 2.0),
        ("york", 3.0),
        ("city", 1.0),
        ("new>york", 6.0),
        ("new>york>city", 6.0),
        ("york>city", 3.0),
    ];
    assert_eq!(found, named(&expected));
}
