//! Base features: who they are ([`FeatureId`]), and which weight they own ([`FeatureTable`]).
//!
//! A feature is a name in a namespace. The pair is hashed once, by the reader, to 64 bits; from then on the
//! hash is the feature's identity everywhere, so that two readers, or two machines, agree without a shared
//! dictionary. Names travel beside, only so that a person can read the model.

mod digits;
mod finder;
mod id;
mod index;
mod list;
mod names;
mod table;

pub use id::{FeatureId, Namespace};
pub use list::IdList;
pub use names::Names;
pub use table::{FeatureTable, Indexing};

pub(crate) use digits::Digits;
pub(crate) use finder::Finder;
pub(crate) use id::mix;
pub(crate) use table::CONSTANT;
