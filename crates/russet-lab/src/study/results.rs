//! What a study found: the one thing that its runs fill and its report reads. Written as `results.json`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A whole study: what was asked, on which machine, and what came of each data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of this format: 1.
    pub version: u32,
    /// The program that made it, such as `russet 0.1.0`.
    pub program: String,
    /// The machine: its processor and number of cores.
    pub machine: String,
    /// How each data set was split, such as `80/20 in file order` or `80/20 after a shuffle with seed 1`.
    pub split: String,
    /// The learning rates that were tried.
    pub rates: Vec<f64>,
    /// Seconds that one run was allowed to take, by its estimate.
    pub budget_seconds: Option<f64>,
    /// One for each data set, by name.
    pub sets: Vec<SetResults>,
}

/// What came of one data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetResults {
    /// Its name: that of its file, without endings.
    pub name: String,
    /// Where it comes from, if its `NAME.json` says so.
    pub source: Option<String>,
    /// What is predicted, and so what its errors are.
    pub task: Task,
    /// Number of examples to learn from.
    pub train_examples: u64,
    /// Number of examples to test with.
    pub test_examples: u64,
    /// `s`: average number of base features of an example, the constant left out.
    pub features_per_example: f64,
    /// `d`: number of distinct base features.
    pub distinct_features: u64,
    /// Why nothing, or not everything, could be run on it; it then counts in no figure.
    pub problem: Option<String>,
    /// The best run of each method, alpha and program.
    pub runs: Vec<Run>,
    /// What was not run, and why.
    pub skipped: Vec<Skipped>,
    /// The strongest interactions of apple with alpha 1, strongest first.
    pub interactions: Vec<Interaction>,
}

/// What a data set asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Two classes: errors are shares of mistakes.
    Classification,
    /// A number: errors are mean squared errors.
    Regression,
}

/// A way to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Linear: base features only.
    Lin,
    /// All products of two base features.
    Quad,
    /// All products of up to three base features.
    Cubic,
    /// The adaptive expansion, ranked by weight.
    Apple,
    /// The adaptive expansion, ranked by `ssm`.
    Ssm,
    /// The adaptive expansion, in the order that reaches every monomial.
    Fallback,
    /// The adaptive expansion by weight, with products on trial.
    PickyWeight,
    /// The adaptive expansion by `ssm`, with products on trial.
    PickySsm,
    /// What a peer does by default: LightGBM's trees, scikit-learn's linear SGD.
    Default,
}

/// The program that ran a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// This one.
    Russet,
    /// Vowpal Wabbit.
    Vw,
    /// LightGBM.
    Lightgbm,
    /// scikit-learn's `SGDClassifier` or `SGDRegressor`.
    Sklearn,
}

/// One method at its best learning rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What ran.
    pub program: Program,
    /// How it learned.
    pub method: Method,
    /// The exponent of the growth, where the method has one.
    pub alpha: Option<f64>,
    /// The learning rate with the lowest progressive error, where the method has one.
    pub learning_rate: Option<f64>,
    /// Progressive validation error at that rate, where the method has one.
    pub progressive_error: Option<f64>,
    /// Error on the test part.
    pub test_error: f64,
    /// Area under the ROC curve on the test part, of two classes.
    pub auc: Option<f64>,
    /// Wall seconds to train at that rate, reading included, alone on the machine.
    pub train_seconds: f64,
    /// Processor seconds of the same.
    pub cpu_seconds: f64,
    /// Average number of active features of a training example, constant included.
    pub features_per_example: Option<f64>,
    /// Peak memory of the training process in bytes.
    pub peak_memory_bytes: Option<u64>,
}

/// A run that was left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// What would have run.
    pub program: Program,
    /// How it would have learned.
    pub method: Method,
    /// With which exponent.
    pub alpha: Option<f64>,
    /// Seconds that one run was estimated to take, if the estimate is why.
    pub estimated_seconds: Option<f64>,
    /// Why, for a person.
    pub reason: String,
}

/// A product of features that apple found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// The factors, such as `sex=female * class=3rd`.
    pub name: String,
    /// Its weight on the scale of its own values.
    pub weight: f64,
    /// How many factors.
    pub degree: u32,
    /// The epoch in which it was first active.
    pub epoch: u32,
    /// Share of the examples in which it is active.
    pub active: f64,
}

/// The method's word in figures and tables, such as `picky-weight`.
impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Method::Lin => "lin",
            Method::Quad => "quad",
            Method::Cubic => "cubic",
            Method::Apple => "apple",
            Method::Ssm => "ssm",
            Method::Fallback => "fallback",
            Method::PickyWeight => "picky-weight",
            Method::PickySsm => "picky-ssm",
            Method::Default => "default",
        })
    }
}

/// The program's name as its users write it.
impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Program::Russet => "russet",
            Program::Vw => "VW",
            Program::Lightgbm => "LightGBM",
            Program::Sklearn => "scikit-learn",
        })
    }
}
