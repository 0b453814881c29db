//! How good predictions are: progressively while learning, and in full on test data.

mod auc;
mod evaluation;
mod labels;
mod progressive;

pub use auc::Auc;
pub use evaluation::{Evaluation, Scores};
pub use labels::{LabelsSeen, Task};
pub use progressive::{Progressive, Tally};
