use serde::{Deserialize, Serialize};

use super::{LabelsSeen, Task};

/// Progressive validation: each example is predicted before it is learned from, so the average is honest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progressive {
    /// Which labels occurred.
    pub labels: LabelsSeen,
    /// The sums so far.
    pub tally: Tally,
}

/// Sums over examples; the difference of two tallies is the tally of the examples between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How many examples.
    pub examples: u64,
    /// Their importance.
    pub importance: f64,
    /// The loss that is minimised, times importance.
    pub loss: f64,
    /// `(p - y)^2` times importance.
    pub squared_error: f64,
    /// The labels, times importance.
    pub label: f64,
    /// The squared labels, times importance.
    pub squared_label: f64,
    /// The importance of examples on the wrong side of 0.
    pub mistakes_at_zero: f64,
    /// The importance of examples on the wrong side of 1/2.
    pub mistakes_at_half: f64,
    /// Active features, the constant included.
    pub features: u64,
    /// Active base features, the constant not included.
    pub base_features: u64,
}

impl Tally {
    /// Adds the prediction of an example that is counted already.
    #[inline]
    pub(crate) fn add(&mut self, prediction: f32, label: f32, importance: f32, loss: f64) {
        let weight = f64::from(importance);
        let (label_value, error) = (f64::from(label), f64::from(prediction) - f64::from(label));
        self.importance += weight;
        self.loss += weight * loss;
        self.squared_error += weight * error * error;
        self.label += weight * label_value;
        self.squared_label += weight * label_value * label_value;
        // Without a branch, which nobody could foretell.
        let wrong_side = |middle: f32| f64::from(u8::from((prediction > middle) != (label > middle)));
        self.mistakes_at_zero += weight * wrong_side(0.0);
        self.mistakes_at_half += weight * wrong_side(0.5);
    }

    /// Adds the examples of another tally.
    pub(crate) fn merge(&mut self, other: &Tally) {
        self.examples += other.examples;
        self.importance += other.importance;
        self.loss += other.loss;
        self.squared_error += other.squared_error;
        self.label += other.label;
        self.squared_label += other.squared_label;
        self.mistakes_at_zero += other.mistakes_at_zero;
        self.mistakes_at_half += other.mistakes_at_half;
        self.features += other.features;
        self.base_features += other.base_features;
    }

    /// What has come since `earlier`.
    pub fn since(&self, earlier: &Tally) -> Tally {
        Tally {
            examples: self.examples - earlier.examples,
            importance: self.importance - earlier.importance,
            loss: self.loss - earlier.loss,
            squared_error: self.squared_error - earlier.squared_error,
            label: self.label - earlier.label,
            squared_label: self.squared_label - earlier.squared_label,
            mistakes_at_zero: self.mistakes_at_zero - earlier.mistakes_at_zero,
            mistakes_at_half: self.mistakes_at_half - earlier.mistakes_at_half,
            features: self.features - earlier.features,
            base_features: self.base_features - earlier.base_features,
        }
    }

    /// The average loss, if there was an example.
    pub fn mean_loss(&self) -> Option<f64> {
        (self.importance > 0.0).then(|| self.loss / self.importance)
    }

    /// The variance of the labels: the squared error of always predicting their mean.
    pub fn label_variance(&self) -> Option<f64> {
        let mean = |sum: f64| sum / self.importance;
        (self.importance > 0.0).then(|| mean(self.squared_label) - mean(self.label) * mean(self.label))
    }

    /// Active features an example.
    pub fn features_per_example(&self) -> Option<f64> {
        (self.examples > 0).then(|| self.features as f64 / self.examples as f64)
    }

    /// Active base features an example.
    pub fn base_features_per_example(&self) -> Option<f64> {
        (self.examples > 0).then(|| self.base_features as f64 / self.examples as f64)
    }
}

impl Progressive {
    /// The task, as far as the labels tell.
    pub fn task(&self) -> Task {
        self.labels.task()
    }

    /// The error of a tally: the share of mistakes for a classification, the mean squared error otherwise.
    /// `margins`: whether predictions are margins around 0, whatever the labels.
    pub fn error_of(&self, tally: &Tally, margins: bool) -> Option<f64> {
        let sum = match self.task() {
            Task::Regression => tally.squared_error,
            Task::Classification if margins || !self.labels.zero_based() => tally.mistakes_at_zero,
            Task::Classification => tally.mistakes_at_half,
        };
        (tally.importance > 0.0).then(|| sum / tally.importance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_by_importance_and_by_the_labels_own_middle() {
        let mut progressive = Progressive::default();
        for (prediction, label, importance) in [(0.3, 1.0, 2.0), (0.6, 1.0, 1.0), (0.4, 0.0, 1.0)] {
            progressive.labels.add(label);
            progressive.tally.add(prediction, label, importance, 0.0);
        }
        assert_eq!(progressive.error_of(&progressive.tally, false), Some(0.5));
        assert_eq!(progressive.error_of(&progressive.tally, true), Some(0.25));
    }

    #[test]
    fn nothing_seen_has_no_average() {
        let progressive = Progressive::default();
        assert_eq!(progressive.error_of(&progressive.tally, false), None);
        assert_eq!(progressive.tally.mean_loss(), None);
    }
}
