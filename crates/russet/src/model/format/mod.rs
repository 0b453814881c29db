//! The model file: magic, version, header, sections, checksum.
//!
//! ```text
//! offset  bytes
//! 0       8      "russet\x1a\n"
//! 8       4      format version
//! 12      4      length of the header
//! 16      ...    header: JSON with the settings, the learning state, and attachments
//!         ...    features: count; ids; slots (hashed only); lengths of names; names
//!         ...    base weights: count, stored, kind; w, G, N and activity of each stored slot
//!                (and its moments, if the rule of selection asks for them)
//!         ...    products: as base weights; for an adaptive expansion, which features have fractional values,
//!                then the count of products, then parent, base slot, and the same of each
//!         ...    the guard's base weights, if there is one: as base weights
//! end-8   8      XXH3 of all before
//! ```
//! Whole numbers are little-endian; counts are 8 bytes long.

mod features;
mod input;
mod load;
mod products;
mod runs;
mod weights;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::{Model, State};
use crate::beside::beside;
use crate::classes::CLASSES_FORMAT_VERSION;
use crate::expansion;
use crate::feature::{FeatureId, Finder, Indexing};
use crate::growth::GrowthHeader;
use crate::guard::{Guard, GuardState};
use crate::settings::Settings;
use crate::weights::WeightTable;
use features::{contradicting_features, read_ids, read_names, read_numbers, write_features};
pub(crate) use input::Input;
pub use load::LoadError;
pub(crate) use load::load;
use products::{read_growth, write_growth};
use weights::{SLOT_BYTES, read_weights, write_weights};

/// The format version of one model, which this build reads and writes. Files with a model for each of several classes have
/// [their own](crate::classes::CLASSES_FORMAT_VERSION).
pub const FORMAT_VERSION: u32 = 1;

pub(crate) const MAGIC: &[u8; 8] = b"russet\x1a\n";

/// Why bytes are not a model that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It does not begin as a model does.
    #[error("this is not a russet model")]
    Foreign,
    /// It was written by a later version of russet.
    #[error("this model has format {found}, from a newer russet; this one reads up to format {CLASSES_FORMAT_VERSION}")]
    Newer {
        /// The format it has.
        found: u32,
    },
    /// It holds a model for each of several classes: see [`crate::classes::Models`].
    #[error("this file holds a model for each of several classes; expected one model")]
    Classes,
    /// It ends too early, or bytes in it have changed.
    #[error("this model is damaged: {0}")]
    Damaged(&'static str),
    /// Its tables are larger than the memory that there is.
    #[error("this model has tables of {slots} weights, for which there is not enough memory")]
    TooLarge {
        /// How many weights they have.
        slots: usize,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    settings: Settings,
    state: State,
    growth: Option<GrowthHeader>,
    guard: Option<GuardState>,
    /// True if the products of a fixed expansion are kept in tiles: then sums are made in another order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tiled: bool,
    attachments: BTreeMap<String, String>,
}

impl Model {
    /// The model as the bytes of its file. Equal models give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            settings: (*self.settings).clone(),
            state: self.state(),
            growth: self.growth.as_ref().map(|growth| growth.header(&self.products)),
            guard: self.guard.as_ref().map(|guard| guard.state),
            tiled: self.growth.is_none() && self.products.is_tiled(),
            attachments: self.attachments.clone(),
        };
        let header = serde_json::to_vec(&header).expect("the header has only plain fields");
        let mut bytes =
            Vec::with_capacity(header.len() + 64 + self.features.len() * 32 + self.linear.len() * SLOT_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        write_features(&self.features, self.settings.indexing, &mut bytes);
        let observed = self.settings.select.rule().observes();
        write_weights(&self.linear, observed, &mut bytes);
        match &self.growth {
            Some(growth) => write_growth(growth, &self.products, observed, &mut bytes),
            None => write_weights(&self.products, observed, &mut bytes),
        }
        if let Some(guard) = &self.guard {
            write_weights(&guard.linear, false, &mut bytes);
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, ModelError> {
        Model::read(&mut &bytes[..], bytes.len())
    }

    /// Reads a model from its file, which never is in memory as a whole.
    pub fn load(path: &Path) -> Result<Model, LoadError> {
        load(path, Model::read)
    }

    /// Reads a model from a source of `length` bytes.
    pub(crate) fn read(source: &mut dyn Read, length: usize) -> Result<Model, ModelError> {
        Model::go_on(Input::open(source, length)?, length)
    }

    /// The same where the version was read already.
    pub(crate) fn go_on(mut input: Input<'_>, length: usize) -> Result<Model, ModelError> {
        match input.version() {
            CLASSES_FORMAT_VERSION => return Err(ModelError::Classes),
            found if found > FORMAT_VERSION => return Err(ModelError::Newer { found }),
            _ => input.go_on(length)?,
        }
        let model = read_model(&mut input);
        input.judge(model)
    }
}

/// From how many features, or products, on it is worth a thread to put them where they are found.
const WORTH_A_THREAD: usize = 1 << 14;

fn read_model(input: &mut Input<'_>) -> Result<Model, ModelError> {
    let (mut model, header) = read_header(input)?;
    let ids = read_ids(&model.features, input)?;
    match model.settings.indexing {
        Indexing::Interned => read_interned(&mut model, &header, ids, input)?,
        Indexing::Hashed => {
            let slots = read_numbers(ids.len(), input)?;
            let names = read_names(ids.len(), input)?;
            model.features.restore_hashed(&ids, &slots, &names).ok_or_else(contradicting_features)?;
            read_tables(&mut model, &header, input)?;
        }
    }
    if input.left() > 0 {
        return Err(damaged("it goes on after its end"));
    }
    Ok(model)
}

/// Reads what comes after the ids of interned features. What finds them is made meanwhile.
fn read_interned(
    model: &mut Model,
    header: &Header,
    ids: Vec<FeatureId>,
    input: &mut Input<'_>,
) -> Result<(), ModelError> {
    model.slots_apart = Some(1 + ids.len());
    let mut read_others = || {
        let names = read_names(ids.len(), input)?;
        read_tables(model, header, input).map(|()| names)
    };
    let (finder, names) = if ids.len() < WORTH_A_THREAD {
        (Finder::of(&ids), read_others())
    } else {
        beside(|| Finder::of(&ids), read_others)
    };
    let finder = finder.ok_or_else(contradicting_features)?;
    model.slots_apart = None;
    model.features.restore(ids, names?, finder).ok_or_else(contradicting_features)
}

/// Reads the header, and makes a model of what it says: features and weights are missing.
fn read_header(input: &mut Input<'_>) -> Result<(Model, Header), ModelError> {
    let length = input.u32()? as usize;
    let header: Header =
        serde_json::from_slice(input.slice(length)?).map_err(|_| damaged("its header cannot be read"))?;
    let settings = header.settings.clone().check().map_err(|_| damaged("its settings are out of range"))?;
    let mut model = Model::new(settings);
    let guard = header.guard.filter(|_| model.growth.is_some());
    if !header.state.is_sound() || !guard.is_none_or(|state| state.is_sound()) {
        return Err(damaged("its learning state is out of range"));
    }
    let State { scale, shrinkage, rounds, progress } = header.state;
    (model.scale, model.shrinkage, model.rounds, model.progress) = (scale, shrinkage, rounds, progress);
    model.attachments.clone_from(&header.attachments);
    Ok((model, header))
}

/// Reads all tables of weights.
fn read_tables(model: &mut Model, header: &Header, input: &mut Input<'_>) -> Result<(), ModelError> {
    check_room(model, header.tiled)?;
    model.fit_tables();
    let observed = model.settings.select.rule().observes();
    read_weights(&mut model.linear, observed, input)?;
    if model.growth.is_some() {
        let header = header.growth.as_ref().ok_or(damaged("its parents are missing"))?;
        read_growth(header, model, input)?;
    } else {
        read_weights(&mut model.products, observed, input)?;
        let (kind, limit) = (model.settings.expansion, model.products.limit());
        if header.tiled && !expansion::dense::is_possible(kind, model.slot_count(), limit) {
            return Err(damaged("its products cannot be in tiles"));
        }
        model.products.set_tiled(header.tiled);
    }
    if let Some(state) = header.guard.filter(|_| model.growth.is_some()) {
        let mut linear = WeightTable::new(model.settings.bits);
        linear.grow_to(model.slot_count());
        read_weights(&mut linear, false, input)?;
        model.guard = Some(Guard::new(linear, state));
    }
    Ok(())
}

/// Memory that cannot be had is an error rather than the end of the process.
fn check_room(model: &Model, tiled: bool) -> Result<(), ModelError> {
    let slots = model.slot_count();
    let products = expansion::slots_needed(model.settings.expansion, slots).min(model.products.limit() as u64) as usize;
    // The guard has base weights too, and indices by slot are no larger; tiles are made beside what they are made of.
    let slots = 3 * slots + if tiled { 2 * products } else { products };
    if WeightTable::can_have(slots) { Ok(()) } else { Err(ModelError::TooLarge { slots }) }
}

pub(crate) fn damaged(what: &'static str) -> ModelError {
    ModelError::Damaged(what)
}

#[cfg(test)]
mod tests {
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
            let tables: [fn(&mut Model) -> &mut WeightTable; 3] = [
                |model| &mut model.linear,
                |model| &mut model.products,
                |model| &mut model.guard.as_mut().unwrap().linear,
            ];
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
        let settings =
            Settings { expansion: ExpansionKind::Apple, epochs: 3, memory: 1, select, ..Settings::default() };
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
}
