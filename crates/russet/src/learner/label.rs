use std::ops::Range;

use thiserror::Error;

use super::LearnError;
use crate::batch::{Batch, Label};
use crate::expansion;
use crate::metrics::{LabelsSeen, Task};
use crate::settings::Settings;

/// What is wrong with a label.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LabelProblem {
    /// There is none.
    #[error("there is no label; an example to learn from needs one")]
    Missing,
    /// It is not a number, or infinite.
    #[error("the label is {0}; it must be a finite number")]
    NotFinite(f32),
    /// The loss knows two classes only.
    #[error("the label is {label}; {loss} loss needs -1 and 1, or 0 and 1")]
    NotAClass {
        /// The label.
        label: f32,
        /// The loss's name.
        loss: &'static str,
    },
    /// It is not the number of a class.
    #[error("the label is {label}; it must be the number of one of {classes} classes, from 0")]
    UnknownClass {
        /// The label.
        label: f32,
        /// How many classes there are.
        classes: usize,
    },
    /// The importance is negative or not a number.
    #[error("the importance is {0}; it must be 0 or more")]
    Importance(f32),
    /// Its features make more products than an example may have.
    #[error("the example has {features} features, whose products are more than {} million; the expansion is too much for it", expansion::MOST_PRODUCTS >> 20)]
    TooManyProducts {
        /// How many features it has.
        features: usize,
    },
}

/// Which class a learner tells from the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneClass {
    /// Its number, from 0.
    pub(crate) number: usize,
    /// How many classes there are.
    pub(crate) count: usize,
}

impl OneClass {
    /// 1 for the number of this class, -1 for that of another.
    fn label(self, label: f32) -> Result<f32, LabelProblem> {
        if label.fract() != 0.0 || label < 0.0 || label >= self.count as f32 {
            return Err(LabelProblem::UnknownClass { label, classes: self.count });
        }
        Ok(if label as usize == self.number { 1.0 } else { -1.0 })
    }
}

/// Checks and notes the label of an example of so many features; for losses of two classes it becomes -1 or 1.
#[inline(always)]
pub(super) fn check(
    label: Label,
    features: usize,
    settings: &Settings,
    against_rest: Option<OneClass>,
    seen: &mut LabelsSeen,
) -> Result<f32, LabelProblem> {
    let Label { value, importance, .. } = label;
    let label = value.ok_or(LabelProblem::Missing)?;
    if !label.is_finite() {
        return Err(LabelProblem::NotFinite(label));
    }
    if importance != 1.0 && !(importance >= 0.0 && importance.is_finite()) {
        return Err(LabelProblem::Importance(importance));
    }
    let features = features.saturating_mul(settings.ngram as usize);
    if expansion::slots_needed(settings.expansion, features) > expansion::MOST_PRODUCTS as u64 {
        return Err(LabelProblem::TooManyProducts { features });
    }
    let label = match against_rest {
        Some(class) => class.label(label)?,
        None => label,
    };
    let mut labels = *seen;
    labels.add(label);
    if !settings.loss.needs_two_classes() {
        *seen = labels;
        return Ok(label);
    }
    if labels.task() != Task::Classification {
        return Err(LabelProblem::NotAClass { label, loss: settings.loss.name() });
    }
    let label = if label > 0.0 { 1.0 } else { -1.0 };
    // The range that predictions are clipped to is that of the labels as they are learned.
    labels.smallest = labels.smallest.min(label);
    *seen = labels;
    Ok(label)
}

/// [Checks](check) and notes the labels of some examples of a batch, up to the first that is refused, and makes `labels` what they
/// become: which that one is, or the end of `range`, and why.
pub(super) fn check_all(
    batch: &Batch,
    range: Range<usize>,
    settings: &Settings,
    against_rest: Option<OneClass>,
    seen: &mut LabelsSeen,
    labels: &mut Vec<f32>,
) -> (usize, Result<(), LearnError>) {
    labels.clear();
    labels.reserve(range.len());
    // Two that were checked before, as they came and as the loss wants them: mostly there are no others.
    let mut known = [(None, 0.0); 2];
    for place in range.clone() {
        let given = *batch.label(place);
        // By their bits, as 0 and -0 are different ends of a range.
        let bits = given.value.map(f32::to_bits);
        let [first, second] = known.map(|(known, _)| bits.is_some() & (bits == known));
        if (first | second) & (given.importance == 1.0) {
            labels.push(if first { known[0].1 } else { known[1].1 });
            continue;
        }
        match check(given, batch.features_of(place).len(), settings, against_rest, seen) {
            Ok(label) => {
                labels.push(label);
                known = [(bits, label), known[0]];
            }
            Err(problem) => return (place, Err(LearnError { place, line: batch.line(place), problem })),
        }
    }
    (range.end, Ok(()))
}
