//! A course of learning from examples that are drawn one by one.

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::settings::Settings;
use russet::{Learner, Model};

use super::TheoryError;
use super::reading;

/// A learner and what is needed to hand it examples of 0/1 features.
pub(super) struct Course {
    learner: Learner,
    dictionary: Dictionary,
    batch: Batch,
    names: Vec<String>,
}

impl Course {
    /// A course over `d` features whose epochs are spaced over `length` examples; it may go on beyond.
    pub(super) fn new(settings: &Settings, d: u32, length: u64) -> Result<Course, TheoryError> {
        let mut learner = Learner::new(settings.clone().check()?);
        learner.set_course_length(length);
        let names = (0..d).map(reading::name).collect();
        Ok(Course { learner, dictionary: Dictionary::default(), batch: Batch::default(), names })
    }

    pub(super) fn model(&self) -> &Model {
        self.learner.model()
    }

    /// Learns from one example, given by its features that are 1. True if the feature set has grown after it.
    pub(super) fn learn(&mut self, features: &[u32], label: Label) -> Result<bool, TheoryError> {
        let before = self.model().parents();
        self.batch.start(&mut self.dictionary);
        for feature in features {
            let name = &self.names[*feature as usize];
            self.batch.push_named(&mut self.dictionary, Namespace::ANONYMOUS, name, 1.0);
        }
        self.batch.end_example(label, b"", self.model().progress().tally.examples + 1);
        self.learner.learn(&self.batch)?;
        Ok(self.model().parents() != before)
    }
}

/// The `alpha` by which `floor((active + 1)^alpha)` is `parents`, where an example has about `active` features: it aims at
/// half a parent more, so that the average over a sample does not matter. For settings with `headroom` 1.
pub(super) fn alpha_for(parents: u32, active: f64) -> f32 {
    (libm::log(f64::from(parents) + 0.5) / libm::log(active + 1.0)) as f32
}
