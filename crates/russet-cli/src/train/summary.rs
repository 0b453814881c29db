//! What a training came to.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use russet::classes::Models;
use russet::metrics::{Scores, Task};
use russet::settings::{ExpansionKind, StepKind};
use russet::{Layout, Model, StorageReport};
use serde::Serialize;

use crate::commands::inspect::terms_table;
use crate::output::{duration, figure, peak_memory, size, thousands};

pub(super) struct Summary<'a> {
    pub(super) model: &'a Models,
    pub(super) scores: Option<Scores>,
    pub(super) train_seconds: f64,
    pub(super) total_seconds: f64,
    pub(super) ranks: Ranks,
}

/// Who learned, and what it took them to come to one model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks {
    pub(super) count: usize,
    /// The time that a rank spent on the others, waiting included: the mean over all.
    pub(super) seconds: f64,
    /// By all ranks together.
    pub(super) bytes_sent: u64,
}

impl Default for Ranks {
    /// One that learns alone.
    fn default() -> Ranks {
        Ranks { count: 1, seconds: 0.0, bytes_sent: 0 }
    }
}

/// The object that `--json` prints; its fields are fixed.
#[derive(Serialize)]
struct Json {
    examples: u64,
    task: Task,
    progressive_error: Option<f64>,
    progressive_loss: Option<f64>,
    test_error: Option<f64>,
    test_loss: Option<f64>,
    auc: Option<f64>,
    features_per_example: Option<f64>,
    base_features_per_example: Option<f64>,
    parents: Option<u64>,
    max_degree: u32,
    monomials: u64,
    learning_rate: Option<f32>,
    train_seconds: f64,
    total_seconds: f64,
    peak_memory_bytes: Option<u64>,
    ranks: u64,
    seconds_communicating: f64,
    bytes_sent: u64,
}

impl Summary<'_> {
    pub(super) fn json(&self) -> Result<String> {
        let tally = &self.model.tally();
        let settings = self.model.settings();
        let scores = self.scores.as_ref();
        Ok(serde_json::to_string(&Json {
            examples: tally.examples,
            task: self.model.task(),
            progressive_error: self.model.progressive_error(),
            progressive_loss: tally.mean_loss(),
            test_error: scores.and_then(|scores| scores.error),
            test_loss: scores.and_then(|scores| scores.loss),
            auc: scores.and_then(|scores| scores.auc),
            features_per_example: tally.features_per_example(),
            base_features_per_example: tally.base_features_per_example(),
            parents: self.parents().map(|parents| parents as u64),
            max_degree: self.model.iter().map(Model::max_degree).max().unwrap_or(1) as u32,
            monomials: self.model.weight_counts().1 as u64,
            learning_rate: (settings.step == StepKind::Adaptive).then_some(settings.learning_rate),
            train_seconds: self.train_seconds,
            total_seconds: self.total_seconds,
            peak_memory_bytes: peak_memory(),
            ranks: self.ranks.count as u64,
            seconds_communicating: self.ranks.seconds,
            bytes_sent: self.ranks.bytes_sent,
        })?)
    }

    pub(super) fn text(&self, saved: Option<&Path>, top: usize) -> String {
        let model = self.model;
        // Listed first, so that the memory for it is part of what is reported.
        let terms = terms_table(model, top);
        let tally = &model.tally();
        let kind = match model.task() {
            Task::Classification => "share of mistakes",
            Task::Regression => "mean squared error",
        };
        let mut lines = vec![
            ("examples", thousands(tally.examples)),
            ("progressive error", format!("{} ({kind})", figure(model.progressive_error()))),
            ("progressive loss", format!("{} ({})", figure(tally.mean_loss()), model.settings().loss.name())),
        ];
        if let Some(scores) = &self.scores {
            let examples = thousands(scores.examples);
            lines.push(("test error", format!("{} on {examples} examples", figure(scores.error))));
            lines.push(("test loss", figure(scores.loss)));
            if scores.auc.is_some() {
                lines.push(("test AUC", figure(scores.auc)));
            }
        }
        lines.push(("features", self.features()));
        lines.push((
            "time",
            format!("{} learning, {} in all", duration(self.train_seconds), duration(self.total_seconds)),
        ));
        if self.ranks.count > 1 {
            let Ranks { count, seconds, bytes_sent } = self.ranks;
            let (seconds, sent) = (duration(seconds), size(bytes_sent));
            lines.push(("ranks", format!("{count}; each {seconds} in communication, {sent} sent by all")));
        }
        if let Some(bytes) = peak_memory() {
            lines.push(("peak memory", size(bytes)));
        }
        if let Some(path) = saved {
            lines.push(("model", path.display().to_string()));
        }
        let mut text = String::new();
        for (name, value) in lines {
            let _ = writeln!(text, "{name:<18} {value}");
        }
        if let Some(hint) = self.hint() {
            let _ = writeln!(text, "{:<18} {hint}", "hint");
        }
        if top > 0 {
            let _ = write!(text, "\nstrongest terms\n{terms}");
        }
        text
    }

    /// What to try when a regression has not got off the ground: steps do not grow with the labels.
    fn hint(&self) -> Option<String> {
        let progress = self.model.only()?.progress();
        let variance = progress.tally.label_variance()?;
        if self.model.task() != Task::Regression || self.model.progressive_error()? <= variance {
            return None;
        }
        let span = progress.labels.largest - progress.labels.smallest;
        Some(format!(
            "this is worse than always predicting the mean label; labels span {span}, so try --learning-rate {}",
            0.5 * span
        ))
    }

    /// How many monomials are parents, over all classes, if the feature set grows.
    fn parents(&self) -> Option<usize> {
        self.model.iter().map(Model::parents).sum()
    }

    /// How many features there are, and whether they share weights.
    fn features(&self) -> String {
        let (base, products) = self.model.weight_counts();
        let per_example = figure(self.model.tally().features_per_example());
        let mut text = format!("{per_example} an example; weights for {} features", thousands(base as u64));
        let model = self.model.first();
        if model.settings().expansion != ExpansionKind::Linear {
            let _ = write!(text, " and {} products", thousands(products as u64));
        }
        if let Some(parents) = self.parents() {
            let _ = write!(text, " of {parents} parents");
        }
        match self.model.only() {
            Some(model) => {
                if let Some(storage) = model.storage() {
                    let _ = write!(text, "; {}", stored(&storage, products));
                }
            }
            None => {
                let _ = write!(text, "; {} classes, each with its own", self.model.names().len());
            }
        }
        if model.features().is_full() {
            text.push_str("; features share weights, more --bits would help");
        } else if model.products_share_weights() {
            text.push_str("; products share weights, more --bits would help");
        }
        text
    }
}

/// How products are stored: `in rows, 41% of 65,536 places used, none shared`.
fn stored(storage: &StorageReport, products: usize) -> String {
    let layout = match storage.layout {
        Layout::Rows => "rows",
        Layout::Tiles => "tiles",
        Layout::Families => "hash tables with exact keys",
    };
    let share = if storage.places > 0 { 100.0 * products as f64 / storage.places as f64 } else { 0.0 };
    let places = thousands(storage.places as u64);
    let mut text = format!("in {layout}, {share:.0}% of {places} places used, no weight shared");
    if storage.left_out > 0 {
        let times = thousands(storage.left_out);
        let _ = write!(text, "; {times} times a product found no room, more --memory would help");
    }
    text
}
