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
#[cfg(test)]
mod tests;
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
