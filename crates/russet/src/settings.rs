//! What a learner is asked to do: [`Settings`], checked once into [`Checked`], which alone can learn.

use serde::{Deserialize, Serialize};
use std::ops::Deref;
use thiserror::Error;

use crate::feature::Indexing;
use crate::loss::LossKind;
use crate::select::SelectKind;

/// Which products of base features a model has weights for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpansionKind {
    /// The base features alone.
    Linear,
    /// And all `x_i x_j`, squares included.
    Quadratic,
    /// And all `x_i x_j x_k`.
    Cubic,
    /// And the products that the weights point to, added while training: `apple`.
    #[default]
    Apple,
}

impl ExpansionKind {
    /// Whether products are formed from base features in the order of their slots.
    pub(crate) fn needs_order(self) -> bool {
        matches!(self, ExpansionKind::Quadratic | ExpansionKind::Cubic)
    }

    /// The highest degree of a product that is there from the start.
    pub fn degree(self) -> u32 {
        match self {
            ExpansionKind::Linear | ExpansionKind::Apple => 1,
            ExpansionKind::Quadratic => 2,
            ExpansionKind::Cubic => 3,
        }
    }
}

/// How a weight moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// Adaptive, normalised and importance-aware: see [`crate::step`].
    #[default]
    Adaptive,
    /// Plain gradient steps with the rate `1 / (l2 (t + 1))`.
    Sgd,
}

/// What keeps an adaptive expansion from doing worse than no expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardKind {
    /// A linear learner beside it that predictions lean on as far as it does better.
    #[default]
    Linear,
    /// Nothing.
    Off,
}

/// Everything that decides what is learned from given data.
///
/// ```
/// use russet::settings::Settings;
/// use russet::loss::LossKind;
/// let settings = Settings { loss: LossKind::Logistic, learning_rate: 0.25, ..Settings::default() };
/// assert!(settings.check().is_ok());
/// let error = Settings { bits: 99, ..Settings::default() }.check().unwrap_err();
/// assert_eq!(error.to_string(), "bits is 99; it must be between 4 and 30");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The loss to minimise.
    pub loss: LossKind,
    /// For the quantile loss: which quantile.
    pub quantile: f32,
    /// How weights move.
    pub step: StepKind,
    /// How fast, with [`StepKind::Adaptive`].
    pub learning_rate: f32,
    /// Pull of every weight towards zero by a constant amount.
    pub l1: f32,
    /// Pull of every weight towards zero in proportion to it.
    pub l2: f32,
    /// Which products have weights.
    pub expansion: ExpansionKind,
    /// For apple: at each growth, `floor((s + headroom)^alpha)` monomials become parents, `s` being the base
    /// features an example has on average.
    pub alpha: f32,
    /// See `alpha`: 1 counts the constant as a feature.
    pub headroom: f32,
    /// For apple: how many epochs the course has; the feature set grows between them.
    pub epochs: u32,
    /// For apple: which monomials become parents.
    pub select: SelectKind,
    /// For apple: how much of `G_parent G_feature / G_constant` a new product starts with as its own `G`.
    pub inherit: f32,
    /// For apple: what keeps it from doing worse than no expansion.
    pub guard: GuardKind,
    /// For apple: what is left of the learning rate at the end of a course of known length; it falls over the last
    /// half of the last epoch. 1 for a rate that stays.
    pub cooling: f32,
    /// For apple: how many MiB the weights of products may take.
    pub memory: u32,
    /// Runs of up to this many features in their order are features too; 1 for none.
    pub ngram: u32,
    /// Base features and products each have room for 2^bits weights of their own.
    pub bits: u32,
    /// How base features find their weights.
    pub indexing: Indexing,
    /// Picks the hash functions by which features share weights when there are more than 2^bits.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            loss: LossKind::Squared,
            quantile: 0.5,
            step: StepKind::Adaptive,
            learning_rate: 0.5,
            l1: 0.0,
            l2: 0.0,
            expansion: ExpansionKind::Apple,
            alpha: 1.0,
            headroom: 1.0,
            epochs: 6,
            select: SelectKind::Weight,
            inherit: 0.05,
            guard: GuardKind::Linear,
            cooling: 0.25,
            memory: 16,
            ngram: 1,
            bits: 18,
            indexing: Indexing::Interned,
            seed: 0,
        }
    }
}

/// A setting outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{parameter} is {value}; it must be {expected}")]
pub struct SettingsError {
    /// The parameter's name, as on the command line without its dashes.
    pub parameter: &'static str,
    /// What was given.
    pub value: String,
    /// What would be accepted.
    pub expected: &'static str,
}

impl Settings {
    /// The adaptive expansion as the paper has it: new products start with no history, the constant does not count
    /// as a feature, the learning rate stays, nothing guards it, and there is memory for more products.
    pub fn paper() -> Settings {
        let (expansion, guard) = (ExpansionKind::Apple, GuardKind::Off);
        Settings { expansion, headroom: 0.0, inherit: 0.0, cooling: 1.0, guard, memory: 256, ..Settings::default() }
    }

    /// Checks every value against its range.
    pub fn check(self) -> Result<Checked, SettingsError> {
        let in_range = |ok: bool, parameter, value: &dyn ToString, expected| {
            if ok { Ok(()) } else { Err(SettingsError { parameter, value: value.to_string(), expected }) }
        };
        let weight = |value: f32| value.is_finite() && value >= 0.0;
        let rate = self.learning_rate;
        in_range((4..=30).contains(&self.bits), "bits", &self.bits, "between 4 and 30")?;
        in_range((1..=16).contains(&self.ngram), "ngram", &self.ngram, "between 1 and 16")?;
        in_range(self.alpha > 0.0 && self.alpha <= 4.0, "alpha", &self.alpha, "above 0 and at most 4")?;
        in_range((1..=10_000).contains(&self.epochs), "epochs", &self.epochs, "between 1 and 10000")?;
        in_range(weight(self.headroom) && self.headroom <= 1e6, "headroom", &self.headroom, "0 or more")?;
        in_range(weight(self.inherit), "inherit", &self.inherit, "0 or more")?;
        in_range((0.0..=1.0).contains(&self.cooling), "cooling", &self.cooling, "between 0 and 1")?;
        in_range((1..=32768).contains(&self.memory), "memory", &self.memory, "between 1 and 32768")?;
        in_range(rate.is_finite() && rate > 0.0, "learning-rate", &rate, "above 0")?;
        in_range(self.quantile > 0.0 && self.quantile < 1.0, "quantile", &self.quantile, "between 0 and 1")?;
        in_range(weight(self.l1), "l1", &self.l1, "0 or more")?;
        in_range(weight(self.l2), "l2", &self.l2, "0 or more")?;
        let scheduled = self.step != StepKind::Sgd || self.l2 > 0.0;
        in_range(scheduled, "l2", &self.l2, "above 0 with step sgd, whose rate is 1/(l2 (t+1))")?;
        Ok(Checked(self))
    }
}

/// Settings that have been checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked(Settings);

impl Deref for Checked {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(settings: Settings) -> String {
        settings.check().unwrap_err().to_string()
    }

    #[test]
    fn every_range_is_guarded() {
        let base = Settings::default;
        assert_eq!(refused(Settings { ngram: 0, ..base() }), "ngram is 0; it must be between 1 and 16");
        assert_eq!(refused(Settings { learning_rate: f32::NAN, ..base() }), "learning-rate is NaN; it must be above 0");
        assert_eq!(refused(Settings { quantile: 1.0, ..base() }), "quantile is 1; it must be between 0 and 1");
        assert_eq!(refused(Settings { l1: -1.0, ..base() }), "l1 is -1; it must be 0 or more");
        assert_eq!(
            refused(Settings { step: StepKind::Sgd, ..base() }),
            "l2 is 0; it must be above 0 with step sgd, whose rate is 1/(l2 (t+1))"
        );
    }
}
