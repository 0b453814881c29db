//! What each phase of russet takes. `benches/phases.rs` times phases alone; `bin/limits.rs` beside what the machine could do at most.
//!
//! [`data`] makes texts, always the same; [`work`] holds what the phases need: files, batches, trained models. [`limits`] are
//! loops that do nothing but what a phase cannot do without.
#![allow(clippy::unwrap_used)] // Whoever measures wants to see at once that something is wrong.

pub mod data;
pub mod limits;
pub mod work;
