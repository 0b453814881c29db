//! The paper's study: its methods on a folder of data sets.

mod results;

pub use results::{Interaction, Method, Program, Results, Run, SetResults, Skipped, Task};
