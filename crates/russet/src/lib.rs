//! russet: an online learner for large sparse and tabular data.
//!
//! It learns from one example at a time, at the cost of the features the example has, and keeps nothing of it.
//! This crate is the learner alone: it reads no data, prints nothing and starts no thread, except to load a model from its
//! file. Readers are in `russet-data`, the program in `russet-cli`.
//!
//! An example travels: [`batch`] (examples as a reader hands them over) -> [`feature`] (names to slots) -> the
//! expansion (products as rows of weights) -> [`weights`] (score) -> [`loss`] -> [`step`] (update) -> [`metrics`].
//!
//! [`Learner`] learns a [`Model`]; a [`model::Predictor`] predicts with it. [`classes`] has one of each for every class where
//! there are more than two.

pub mod batch;
mod beside;
pub mod classes;
mod expansion;
pub mod feature;
mod growth;
mod guard;
mod intake;
mod learner;
pub mod loss;
pub mod metrics;
pub mod model;
mod monomial;
pub mod parallel;
#[doc(hidden)]
pub mod phases;
mod schedule;
pub mod select;
pub mod settings;
pub mod step;
mod trial;
pub mod weights;

pub use growth::{Layout, StorageReport};
pub use learner::{Companion, LabelProblem, LearnError, Learner, Notes, Scout, Taken};
pub use model::Model;
