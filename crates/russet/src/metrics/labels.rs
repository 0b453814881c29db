use serde::{Deserialize, Serialize};

/// What is being predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// One of two classes; the error is the share of wrong ones.
    Classification,
    /// A number; the error is the mean squared one.
    Regression,
}

/// Which labels have occurred, and so what the task is: labels {-1, 1} or {0, 1} make a classification.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelsSeen {
    minus_one: bool,
    zero: bool,
    one: bool,
    other: bool,
    /// The smallest label, or 0 if all are above.
    pub smallest: f32,
    /// The largest label, or 0 if all are below.
    pub largest: f32,
}

impl Default for LabelsSeen {
    fn default() -> LabelsSeen {
        LabelsSeen { minus_one: false, zero: false, one: false, other: false, smallest: 0.0, largest: 0.0 }
    }
}

impl LabelsSeen {
    /// Takes note of a label.
    #[inline]
    pub fn add(&mut self, label: f32) {
        self.minus_one |= label == -1.0;
        self.zero |= label == 0.0;
        self.one |= label == 1.0;
        self.other |= label != -1.0 && label != 0.0 && label != 1.0;
        self.smallest = self.smallest.min(label);
        self.largest = self.largest.max(label);
    }

    /// Takes note of all labels that another has seen.
    pub(crate) fn merge(&mut self, other: &LabelsSeen) {
        self.minus_one |= other.minus_one;
        self.zero |= other.zero;
        self.one |= other.one;
        self.other |= other.other;
        self.smallest = self.smallest.min(other.smallest);
        self.largest = self.largest.max(other.largest);
    }

    /// True if no label has occurred.
    pub fn is_empty(&self) -> bool {
        !(self.minus_one || self.zero || self.one || self.other)
    }

    /// The task that the labels make. No label at all counts as a regression.
    pub fn task(&self) -> Task {
        let other_than_two_classes = self.other || self.minus_one && self.zero;
        if self.is_empty() || other_than_two_classes { Task::Regression } else { Task::Classification }
    }

    /// True if the classes are 0 and 1 rather than -1 and 1.
    pub fn zero_based(&self) -> bool {
        self.zero && !self.minus_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(labels: &[f32]) -> Task {
        let mut seen = LabelsSeen::default();
        labels.iter().for_each(|label| seen.add(*label));
        seen.task()
    }

    #[test]
    fn two_classes_in_either_writing() {
        assert_eq!(task(&[1.0, -1.0, 1.0]), Task::Classification);
        assert_eq!(task(&[0.0, 1.0]), Task::Classification);
        assert_eq!(task(&[1.0]), Task::Classification);
        assert_eq!(task(&[-1.0, 0.0, 1.0]), Task::Regression);
        assert_eq!(task(&[0.0, 1.0, 0.5]), Task::Regression);
        assert_eq!(task(&[]), Task::Regression);
    }
}
