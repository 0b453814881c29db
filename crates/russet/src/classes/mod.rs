//! More than two classes: one learner for each, which tells it from the rest.
//!
//! Each class has a model of its own, with its own features, its own expansion and its own guard; labels are the numbers
//! of classes, from 0, and each learner sees 1 for its class and -1 for all others. The class whose model gives the
//! largest prediction is predicted. Progressive validation is that of this choice.
//!
//! [`Models`] and [`Learners`] also hold the one model of two classes or of a regression, so that whoever reads data
//! need not know how many there are; that one is learned as if it were alone.

mod evaluation;
mod format;
mod learners;
mod models;
mod predictor;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use evaluation::ClassEvaluation;
pub use format::CLASSES_FORMAT_VERSION;
pub use learners::Learners;
pub use models::Models;
pub use predictor::{ClassPredicted, ClassPredictor};

use crate::model::Model;

/// Why classes cannot be learned as asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClassesError {
    /// The model has other classes.
    #[error("the data has the classes {wanted}, but the model has {found}")]
    Others {
        /// The classes of the data, for a message.
        wanted: String,
        /// The classes of the model, for a message.
        found: String,
    },
    /// What was learned before knew nothing of classes.
    #[error("the model has learned from examples already, without classes {wanted}")]
    TooLate {
        /// The classes of the data, for a message.
        wanted: String,
    },
    /// The loss does not tell classes apart.
    #[error("{loss} loss does not tell more than two classes apart; take squared, logistic or hinge")]
    Loss {
        /// The loss's name.
        loss: &'static str,
    },
}

/// Progressive validation of the choice among classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choices {
    importance: f64,
    mistakes: f64,
}

impl Choices {
    fn error(&self) -> Option<f64> {
        (self.importance > 0.0).then(|| self.mistakes / self.importance)
    }

    fn is_sound(&self) -> bool {
        self.importance >= 0.0 && self.mistakes >= 0.0
    }
}

/// The number of the largest prediction; the first of several.
fn largest(predictions: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (number, prediction) in predictions.enumerate() {
        if prediction > best.1 {
            best = (number, prediction);
        }
    }
    best.0
}

/// What all models together have done: examples are counted once; losses and features are sums over the models.
fn combined<'m>(mut models: impl Iterator<Item = &'m Model>) -> crate::metrics::Tally {
    let mut tally = models.next().map(|model| model.progress().tally).unwrap_or_default();
    for model in models {
        let other = &model.progress().tally;
        tally.loss += other.loss;
        tally.squared_error += other.squared_error;
        tally.features += other.features;
    }
    tally
}

/// Names for a message.
fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(", ...");
    }
    if names.is_empty() { "none".to_owned() } else { text }
}
