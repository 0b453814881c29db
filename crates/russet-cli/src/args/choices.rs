//! Words on the command line for the libraries' enumerations.

use clap::ValueEnum;
use russet::feature::Indexing;
use russet::loss::LossKind;
use russet::parallel::Average;
use russet::select::SelectKind;
use russet::settings::{ExpansionKind, GuardKind, StepKind};
use russet_data::{Format, OnError};

/// Declares the words for an enumeration, with the help of each.
macro_rules! choices {
    ($name:ident for $target:ty { $($(#[doc = $help:literal])+ $choice:ident,)+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name {
            $($(#[doc = $help])+ $choice,)+
        }

        impl From<$name> for $target {
            fn from(choice: $name) -> $target {
                match choice {
                    $($name::$choice => <$target>::$choice,)+
                }
            }
        }
    };
}

choices!(LossChoice for LossKind {
    /// (p - y)^2
    Squared,
    /// ln(1 + exp(-y p)), for two classes
    Logistic,
    /// max(0, 1 - y p), for two classes
    Hinge,
    /// Absolute error, weighted by --quantile
    Quantile,
});

choices!(AverageChoice for Average {
    /// Each rank counts by how much it has seen of a feature
    Adaptive,
    /// All ranks count the same
    Plain,
});

choices!(ExpansionChoice for ExpansionKind {
    /// The features alone
    Linear,
    /// And all products of two
    Quadratic,
    /// And all products of three
    Cubic,
    /// And the products that the weights point to, added while training
    Apple,
});

/// Settings that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetChoice {
    /// The adaptive expansion as in the paper of 2014
    Paper,
}

choices!(SelectChoice for SelectKind {
    /// The largest weights
    Weight,
    /// Where the model is most wrong: E[r^2 m^2] / E[m^2]
    Ssm,
    /// One of the smallest degree, the others by weight
    Fallback,
    /// As weight, and each product has to pass the test itself (slow)
    PickyWeight,
    /// As ssm, and each product has to pass the test itself (slow)
    PickySsm,
});

choices!(GuardChoice for GuardKind {
    /// A linear learner beside it that predictions lean on as far as it does better
    Linear,
    /// Nothing
    Off,
});

choices!(StepChoice for StepKind {
    /// Adaptive, normalised, importance-aware
    Adaptive,
    /// Plain gradient steps at the rate 1/(l2 (t+1))
    Sgd,
});

choices!(IndexingChoice for Indexing {
    /// Each feature has its own weight until there are 2^bits
    Interned,
    /// Features find their weights by hash and may share them
    Hashed,
});

choices!(FormatChoice for Format {
    /// label | name:value ...
    Vw,
    /// label number:value ...
    Svmlight,
    /// A table with a header; also tabs and semicolons
    Csv,
    /// Written by russet convert
    Cache,
});

choices!(OnErrorChoice for OnError {
    /// Stop with an error
    Stop,
    /// Pass over the line and count it
    Skip,
});
