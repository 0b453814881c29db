//! Where in its course a training is: saved with a checkpoint, and found again on resuming.

use std::path::Path;

use anyhow::{Context, Result, bail};
use russet::classes::{Learners, Models};
use russet::parallel::Counted;
use russet_data::cache::CACHE_VERSION;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::course::CourseSettings;
use crate::model_file;

/// The attachment that makes a model a checkpoint.
const PLACE: &str = "place";

/// A place in the course of a training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// What the whole course is.
    pub(crate) course: CourseSettings,
    /// The pass, from 0.
    pub(crate) pass: u32,
    /// Whether this pass reads a cache rather than the data itself.
    pub(crate) from_cache: bool,
    /// The version of that cache; up to version 2 it was not noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cache_version: Option<u32>,
    /// How many blocks of the pass have been begun.
    pub(crate) blocks: u64,
    /// How many examples of the last of them have been dealt with.
    pub(crate) examples: u64,
    /// How many examples of the pass have been taken, those that were refused included.
    pub(crate) taken: u64,
    /// A hash of all blocks begun: how other data is recognised.
    pub(crate) chain: u64,
    /// What each of several ranks has counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<Counted>,
}

impl Place {
    /// Takes the place out of a checkpoint; a finished model has none.
    pub(crate) fn take_from(model: &mut Models) -> Result<Option<Place>> {
        let Some(text) = model.attachments().get(PLACE) else { return Ok(None) };
        let place = serde_json::from_str(text).context("the checkpoint's place cannot be read")?;
        model.attach(PLACE, None);
        Ok(Some(place))
    }

    /// Makes a model a checkpoint, by way of `attach`.
    pub(crate) fn attach_to(&self, attach: impl FnOnce(&str, Option<String>)) -> Result<()> {
        attach(PLACE, Some(serde_json::to_string(self)?));
        Ok(())
    }

    /// Saves a model as a checkpoint.
    pub(crate) fn save(&self, learner: &mut Learners, path: &Path) -> Result<()> {
        self.attach_to(|name, text| learner.attach(name, text))?;
        let saved = model_file::save(&learner.models(), path);
        Place::detach_from(learner);
        saved
    }

    /// Makes a model a finished one again.
    pub(crate) fn detach_from(learner: &mut Learners) {
        learner.attach(PLACE, None);
    }

    /// True if the place is in the first pass, and that read the data itself.
    pub(crate) fn in_first_text_pass(&self) -> bool {
        self.pass == 0 && !self.from_cache
    }

    /// Begins a pass.
    pub(crate) fn begin_pass(&mut self, pass: u32, from_cache: bool) {
        (self.pass, self.from_cache) = (pass, from_cache);
        self.cache_version = from_cache.then_some(CACHE_VERSION);
        (self.blocks, self.examples, self.taken, self.chain) = (0, 0, 0, 0);
        self.ranks = None;
    }

    /// Begins a block with this hash.
    pub(crate) fn begin_block(&mut self, hash: u64) {
        self.blocks += 1;
        self.examples = 0;
        // Any mixing in which the order counts will do.
        self.chain = (self.chain.rotate_left(23) ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Having come to the block that a checkpoint was in: is it the same data? Blocks of a cache of another version hold the same examples in
    /// other bytes, which tell nothing.
    pub(crate) fn check_against(&self, checkpoint: &Place) -> Result<()> {
        if self.cache_version == checkpoint.cache_version && self.chain != checkpoint.chain {
            bail!("this is not the data that the checkpoint began with: its first {} blocks differ", checkpoint.blocks);
        }
        Ok(())
    }
}

/// The first field in which two objects differ, for a message.
pub(crate) fn difference(wanted: &Value, found: &Value) -> String {
    let fields = wanted.as_object().into_iter().flatten();
    let differing = fields.filter(|(name, value)| found.get(name.as_str()) != Some(value));
    let texts = differing.map(|(name, value)| {
        let found = found.get(name).unwrap_or(&Value::Null);
        format!("--{} {} is asked for, but it has {}", name.replace('_', "-"), shown(value), shown(found))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// A setting as the user would write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        // Settings are single precision; as doubles they would show digits that nobody gave.
        Value::Number(number) if number.is_f64() => (number.as_f64().unwrap_or_default() as f32).to_string(),
        other => other.to_string(),
    }
}
