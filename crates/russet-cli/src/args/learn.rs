use clap::Args;
use russet::loss::LossKind;
use russet::settings::{ExpansionKind, Settings, SettingsError, StepKind};

use super::choices::{
    ExpansionChoice, GuardChoice, IndexingChoice, LossChoice, PresetChoice, SelectChoice, StepChoice,
};

/// What to learn and how. A flag that is not given takes its default, or the resumed model's setting.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearnArgs {
    /// Which products of features to learn [default: apple]
    #[arg(long)]
    expansion: Option<ExpansionChoice>,

    /// Start from these settings; other flags change them
    #[arg(long)]
    preset: Option<PresetChoice>,

    /// Apple: each growth makes s^ALPHA parents, s being the features an example, the constant included [default: 1]
    #[arg(long, allow_negative_numbers = true)]
    alpha: Option<f32>,

    /// Apple: epochs over the whole course, with a growth after each but the last [default: 6]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    epochs: Option<u32>,

    /// Apple: which monomials become parents [default: weight]
    #[arg(long)]
    select: Option<SelectChoice>,

    /// Apple: how much of its parents' adaptive state a new product starts with [default: 0.05]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    inherit: Option<f32>,

    /// Apple: what keeps it from doing worse than no expansion [default: linear]
    #[arg(long)]
    guard: Option<GuardChoice>,

    /// Apple: what is left of the learning rate at the end; 1 for a rate that stays [default: 0.25]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    cooling: Option<f32>,

    /// Apple: memory for the weights of products [default: 16, paper: 256]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true)]
    memory: Option<u32>,

    /// Runs of up to N neighbouring features are features too [default: 1]
    #[arg(long, value_name = "N")]
    ngram: Option<u32>,

    /// The loss to minimise [default: squared]
    #[arg(long)]
    loss: Option<LossChoice>,

    /// For quantile loss: which quantile to predict [default: 0.5]
    #[arg(long, value_name = "TAU", allow_negative_numbers = true)]
    quantile: Option<f32>,

    /// How weights move [default: adaptive]
    #[arg(long)]
    step: Option<StepChoice>,

    /// How fast [default: 0.5]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f32>,

    /// Pull of weights towards zero, by a constant [default: 0]
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    l1: Option<f32>,

    /// Pull of weights towards zero, in proportion [default: 0]
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    l2: Option<f32>,

    /// Room for 2^BITS features and as many products; beyond, weights are shared [default: 18]
    #[arg(long)]
    bits: Option<u32>,

    /// How features find their weights [default: interned]
    #[arg(long)]
    indexing: Option<IndexingChoice>,

    /// Picks the hash by which weights are shared [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl LearnArgs {
    /// `base`, or the preset that was asked for, with the flags that were given.
    pub(crate) fn applied_to(&self, base: &Settings) -> Settings {
        let base = match self.preset {
            None => base,
            Some(PresetChoice::Paper) => &Settings::paper(),
        };
        Settings {
            expansion: self.expansion.map_or(base.expansion, Into::into),
            alpha: self.alpha.unwrap_or(base.alpha),
            headroom: base.headroom,
            epochs: self.epochs.unwrap_or(base.epochs),
            select: self.select.map_or(base.select, Into::into),
            inherit: self.inherit.unwrap_or(base.inherit),
            guard: self.guard.map_or(base.guard, Into::into),
            cooling: self.cooling.unwrap_or(base.cooling),
            memory: self.memory.unwrap_or(base.memory),
            ngram: self.ngram.unwrap_or(base.ngram),
            loss: self.loss.map_or(base.loss, Into::into),
            quantile: self.quantile.unwrap_or(base.quantile),
            step: self.step.map_or(base.step, Into::into),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            l1: self.l1.unwrap_or(base.l1),
            l2: self.l2.unwrap_or(base.l2),
            bits: self.bits.unwrap_or(base.bits),
            indexing: self.indexing.map_or(base.indexing, Into::into),
            seed: self.seed.unwrap_or(base.seed),
        }
    }

    /// Flags that would have no effect beside the others are refused.
    pub(crate) fn without_effect(&self, settings: &Settings) -> Result<(), SettingsError> {
        let refuse =
            |parameter, value: &str, expected| Err(SettingsError { parameter, value: value.to_owned(), expected });
        let apple_only = [
            ("alpha", self.alpha.map(|value| value.to_string())),
            ("epochs", self.epochs.map(|value| value.to_string())),
            ("select", self.select.map(|value| format!("{value:?}").to_lowercase())),
            ("inherit", self.inherit.map(|value| value.to_string())),
            ("guard", self.guard.map(|value| format!("{value:?}").to_lowercase())),
            ("cooling", self.cooling.map(|value| value.to_string())),
            ("memory", self.memory.map(|value| value.to_string())),
        ];
        let given = apple_only.into_iter().find_map(|(parameter, value)| value.map(|value| (parameter, value)));
        if let Some((parameter, value)) = given.filter(|_| settings.expansion != ExpansionKind::Apple) {
            return refuse(parameter, &value, "left out unless the expansion is apple");
        }
        match (self.learning_rate, self.quantile) {
            (Some(rate), _) if settings.step == StepKind::Sgd => {
                refuse("learning-rate", &rate.to_string(), "left out with step sgd, whose rate is 1/(l2 (t+1))")
            }
            (_, Some(tau)) if settings.loss != LossKind::Quantile => {
                refuse("quantile", &tau.to_string(), "left out unless the loss is quantile")
            }
            _ => Ok(()),
        }
    }
}
