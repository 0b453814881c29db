//! How many examples the course has: an adaptive expansion spaces its epochs over them.

use anyhow::Result;
use russet::classes::{Learners, Models};
use russet::settings::ExpansionKind;
use russet_data::{Counting, Inputs, ReadOptions};

use super::course::Course;
use crate::args::TrainArgs;
use crate::output::UsageError;

/// What is known of the length.
pub(crate) enum Length {
    /// It is not of interest, or cannot be known.
    Unknown,
    /// It is this.
    Known(u64),
    /// The examples of one pass are being counted.
    Counting(Counting),
}

impl Length {
    /// Finds out, or begins to: counting takes a while, and the first epoch can be learned meanwhile.
    pub(crate) fn find(
        args: &TrainArgs,
        inputs: &Inputs,
        options: &ReadOptions,
        course: &Course,
        model: &Models,
    ) -> Result<Length> {
        if model.settings().expansion != ExpansionKind::Apple {
            return match args.examples {
                Some(_) => Err(UsageError("--examples is for the expansion apple".to_owned()).into()),
                None => Ok(Length::Unknown),
            };
        }
        let begun = model.tally().examples > 0;
        if begun && args.examples.is_some() && args.examples != model.first().course_length() {
            let message = "--examples is not what the model's course began with; its epochs cannot be spaced anew";
            return Err(UsageError(message.to_owned()).into());
        }
        Ok(match (args.examples, course.learned_per_pass) {
            (Some(length), _) => Length::Known(length),
            (None, _) if begun || !inputs.can_reread() => Length::Unknown,
            (None, Some(count)) => Length::Known(count * u64::from(course.passes)),
            (None, None) => Length::Counting(Counting::start(inputs.clone(), options.clone())),
        })
    }

    /// Tells the learner what is known before the first example.
    pub(crate) fn begin(&self, learner: &mut Learners) {
        match self {
            Length::Unknown => {}
            Length::Known(length) => learner.set_course_length(*length),
            Length::Counting(_) => learner.expect_course_length(),
        }
    }

    /// How many examples are sure to come before the first growth, as far as they are counted.
    pub(crate) fn certain(&self, course: &Course, epochs: u32) -> u64 {
        match self {
            Length::Counting(counting) => {
                let counted = counting.so_far() * u64::from(course.passes);
                // With its last example the epoch ends in a growth.
                (counted / u64::from(epochs.max(1))).saturating_sub(1)
            }
            Length::Unknown | Length::Known(_) => u64::MAX,
        }
    }

    /// True if the learner can be told by now.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self, Length::Counting(counting) if counting.is_finished())
    }

    /// Waits for the count and tells the learner.
    pub(crate) fn settle(&mut self, course: &Course, learner: &mut Learners) -> Result<()> {
        if let Length::Counting(counting) = std::mem::replace(self, Length::Unknown) {
            learner.set_course_length(counting.finish()? * u64::from(course.passes));
        }
        Ok(())
    }
}
