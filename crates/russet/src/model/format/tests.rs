use super::products::{PRODUCT_BYTES, contradicting_parents, parent_and_slot};
use super::*;
use crate::Learner;
use crate::batch::{Batch, Dictionary, Label};
use crate::feature::Namespace;
use crate::select::SelectKind;
use crate::settings::ExpansionKind;
use crate::weights::Slot;

fn trained(expansion: ExpansionKind) -> Model {
    trained_with(Settings { expansion, epochs: 3, memory: 1, ..Settings::default() }, ["a", "b", "c"])
}

fn trained_with(settings: Settings, names: [&str; 3]) -> Model {
    let mut learner = Learner::new(settings.check().unwrap());
    learner.set_course_length(30);
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    for round in 0..30u64 {
        for (name, every) in names.iter().zip([2, 3, 1]) {
            let value = if round % every == 0 { 1.5 } else { 0.0 };
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, name, value);
        }
        batch.end_example(Label::new(if round % 6 == 0 { 1.0 } else { -1.0 }), b"", round + 1);
    }
    learner.learn(&batch).unwrap();
    learner.into_model()
}

#[test]
fn what_is_written_is_read_and_written_again_to_the_same_bytes() {
    for expansion in [ExpansionKind::Linear, ExpansionKind::Quadratic, ExpansionKind::Cubic, ExpansionKind::Apple] {
        let bytes = trained(expansion).to_bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes, "{expansion:?}");
    }
}

#[test]
fn every_changed_byte_and_every_cut_is_refused() {
    let bytes = trained(ExpansionKind::Apple).to_bytes();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(Model::from_bytes(&changed).is_err(), "byte {place}");
        assert!(Model::from_bytes(&bytes[..place]).is_err(), "cut at {place}");
    }
}

/// Damage that comes with the right checksum, as only malice makes it: refused or loaded, but no panic.
#[test]
fn crafted_bytes_make_no_panic() {
    for expansion in [ExpansionKind::Quadratic, ExpansionKind::Apple] {
        let bytes = trained(expansion).to_bytes();
        for place in 16..bytes.len() - 8 {
            for change in [1, 0x80, 0xff] {
                let mut changed = bytes[..bytes.len() - 8].to_vec();
                changed[place] ^= change;
                let checksum = xxh3_64(&changed);
                changed.extend_from_slice(&checksum.to_le_bytes());
                let _ = Model::from_bytes(&changed);
            }
        }
    }
}

/// `N = -0` would make `1 / N` infinite, and the sum of what is normalised by it no number.
#[test]
fn fuzz_model_a_negative_zero() {
    for select in [SelectKind::Weight, SelectKind::PickyWeight] {
        let settings =
            Settings { expansion: ExpansionKind::Apple, epochs: 3, memory: 1, select, ..Settings::default() };
        let model = trained_with(settings, ["a", "b", "c"]);
        let tables: [fn(&mut Model) -> &mut WeightTable; 3] =
            [|model| &mut model.linear, |model| &mut model.products, |model| &mut model.guard.as_mut().unwrap().linear];
        for table in tables {
            let mut model = model.clone();
            let weights = table(&mut model);
            let place = (0..weights.len()).find(|place| !weights.get(*place).is_untouched()).unwrap();
            let slot = weights.get(place);
            weights.set(place, Slot { scale: -0.0, ..slot });
            assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap_err(), weights::not_a_number(), "{select:?}");
        }
    }
}

/// The model of a rule that keeps products in families, and the place of its count of products in its bytes.
fn with_families() -> (Vec<u8>, usize) {
    let select = SelectKind::PickyWeight;
    let settings = Settings { expansion: ExpansionKind::Apple, epochs: 3, memory: 1, select, ..Settings::default() };
    let model = trained_with(settings, ["a", "b", "c"]);
    let growth = model.growth.as_ref().unwrap();
    let mut products = Vec::new();
    write_growth(growth, &model.products, false, &mut products);
    let bytes = model.to_bytes();
    let start = bytes.windows(products.len()).position(|window| window == products).unwrap();
    (bytes, start + 8 + 8 * growth.parents.fractional_bits().len())
}

/// Bytes with a part copied to another place, and the right checksum.
fn copied(bytes: &[u8], from: std::ops::Range<usize>, to: usize) -> Vec<u8> {
    let mut changed = bytes[..bytes.len() - 8].to_vec();
    changed.copy_within(from, to);
    let checksum = xxh3_64(&changed);
    changed.extend_from_slice(&checksum.to_le_bytes());
    changed
}

#[test]
fn a_feature_that_occurs_twice_is_refused() {
    for names in [["a", "b", "c"], ["1", "2", "3"], ["a", "1", "c"]] {
        for expansion in [ExpansionKind::Linear, ExpansionKind::Apple] {
            let model = trained_with(Settings { expansion, ..Settings::default() }, names);
            let bytes = model.to_bytes();
            assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes);
            let header = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
            let ids = 16 + header + 8;
            for (from, to) in [(0, 1), (0, 2), (1, 2)] {
                let changed = copied(&bytes, ids + 8 * from..ids + 8 * from + 8, ids + 8 * to);
                let error = Model::from_bytes(&changed).unwrap_err();
                assert_eq!(error, damaged("its features contradict each other"), "{names:?} {from} {to}");
            }
        }
    }
}

#[test]
fn a_product_that_occurs_twice_is_refused() {
    let (bytes, count) = with_families();
    assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    let (first, products) = (count + 8, u64::from_le_bytes(*bytes[count..].first_chunk().unwrap()) as usize);
    assert!(products > 1);
    for place in 1..products {
        let changed = copied(&bytes, first..first + 8, first + place * PRODUCT_BYTES);
        assert_eq!(Model::from_bytes(&changed).unwrap_err(), contradicting_parents(), "{place}");
    }
}

/// They are written by parent, but whoever writes them otherwise means the same.
#[test]
fn products_may_come_in_any_order() {
    let (bytes, count) = with_families();
    let (first, products) = (count + 8, u64::from_le_bytes(*bytes[count..].first_chunk().unwrap()) as usize);
    let mut turned = bytes.clone();
    let range = first..first + products * PRODUCT_BYTES;
    let (records, _) = turned[range].as_chunks_mut::<PRODUCT_BYTES>();
    records.reverse();
    // The parents' products alternate, so that families are met again.
    records.sort_by_key(|product| parent_and_slot(product).1);
    let turned = copied(&turned, 0..0, 0);
    assert_eq!(Model::from_bytes(&turned).unwrap().to_bytes(), bytes);
}
