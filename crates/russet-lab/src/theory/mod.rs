//! What the paper proves or argues of apple, held against the learner.
//!
//! Three claims: the regret bound for a feature set that grows ([`TheoremReport`]), the example of a target that is a single
//! monomial ([`MonomialReport`]), and that with fallback every monomial comes in at last ([`FallbackReport`]). Each report
//! states its criterion and whether it was met.

mod course;
mod fallback;
mod growing;
mod monomial;
mod newton;
mod objective;
mod reading;
mod theorem;

use russet::LearnError;
use russet::settings::SettingsError;
use serde::Serialize;
use thiserror::Error;

pub use fallback::{FallbackFit, FallbackReport, FallbackRow};
pub use monomial::{MonomialReport, MonomialRow};
pub use theorem::{TheoremReport, TheoremRow};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Seconds.
    Quick,
    /// As in the documentation: up to two minutes.
    Full,
}

/// Called with the experiment's name, how many of its runs are done, and how many there are.
pub type Progress<'a> = dyn FnMut(&'static str, u64, u64) + 'a;

/// An experiment that could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TheoryError {
    /// The learner does not accept the settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The learner does not accept an example.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The model has a term that is no monomial over the experiment's features.
    #[error("the model has a term '{0}', which is no product of the experiment's features")]
    UnknownTerm(String),
    /// The model has a weight for a monomial that is not in its feature set.
    #[error("the model has a weight for the product of features {0:?}, which is not in its feature set")]
    OutsideTheSet(Vec<u32>),
}

/// All three reports.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How much was run.
    pub size: Size,
    /// What the random numbers began with.
    pub seed: u64,
    /// Whether all three criteria were met.
    pub passed: bool,
    /// (a)
    pub theorem: TheoremReport,
    /// (b)
    pub monomial: MonomialReport,
    /// (c)
    pub fallback: FallbackReport,
}

/// Runs all experiments.
///
/// ```no_run
/// use russet_lab::theory::{Size, run};
/// let report = run(Size::Quick, 0, &mut |experiment, done, all| eprintln!("{experiment}: {done} of {all}")).unwrap();
/// assert!(report.passed);
/// ```
pub fn run(size: Size, seed: u64, progress: &mut Progress<'_>) -> Result<Report, TheoryError> {
    let theorem = theorem::run(size, seed, progress)?;
    let monomial = monomial::run(size, seed, progress)?;
    let fallback = fallback::run(size, seed, progress)?;
    let passed = theorem.passed && monomial.passed && fallback.passed;
    Ok(Report { size, seed, passed, theorem, monomial, fallback })
}
