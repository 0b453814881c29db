//! The paper's study: its methods, and other programs, on a folder of data sets.
//!
//! Every data set becomes two files of VW text, 80% to learn from and 20% to test with ([`Settings`] say how). Runs are
//! those of the program russet itself, and of its peers, as a user would start them: so their time and memory are what a
//! user would see. [`run`] does, in turn: short runs to estimate what whole ones take; for each method a run at every
//! learning rate, several at a time; the chosen ones again, one at a time, for their time and memory. Each finished run is
//! kept by its content, so a study that was stopped goes on where it was.

mod bench;
mod candidate;
mod child;
mod choose;
mod course;
mod error;
mod estimate;
mod events;
mod files;
mod interactions;
mod job;
mod metadata;
mod parallel;
mod peers;
mod queue;
mod reading;
mod results;
mod sets;
mod settings;
mod split;
mod store;
mod timing;

/// Something of a data set, with the set's place among all.
type Placed<T> = (usize, T);

pub use course::{Study, run};
pub use error::StudyError;
pub use events::{Event, Observer, Stage};
pub use files::write;
pub use parallel::{ParallelRow, ParallelSettings, ParallelTable, table as parallel_table};
pub use results::{Interaction, Method, Program, Results, Run, SetResults, Skipped, Task};
pub use settings::Settings;
