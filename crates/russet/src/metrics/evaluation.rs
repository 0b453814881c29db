use serde::Serialize;

use super::{Auc, LabelsSeen, Task};
use crate::loss::LossKind;
use crate::model::Predicted;

/// Collects predictions with their labels and says how good they are.
#[derive(Clone, Debug)]
pub struct Evaluation {
    loss: LossKind,
    training_labels: LabelsSeen,
    examples: u64,
    importance: f64,
    loss_sum: f64,
    mistakes: f64,
    log_loss: f64,
    absolute_error: f64,
    squared_error: f64,
    prediction_sum: f64,
    label_sum: f64,
    squared_label_sum: f64,
    auc: Auc,
}

/// How good predictions are; a figure that does not apply is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// How many examples had a label.
    pub examples: u64,
    /// What was predicted.
    pub task: Task,
    /// Share of mistakes (classification) or mean squared error (regression).
    pub error: Option<f64>,
    /// The average of the loss the model was trained with.
    pub loss: Option<f64>,
    /// `-ln` of the probability given to the true class, averaged.
    pub log_loss: Option<f64>,
    /// Area under the ROC curve.
    pub auc: Option<f64>,
    /// `(p - y)^2`, averaged.
    pub squared_error: Option<f64>,
    /// `|p - y|`, averaged.
    pub absolute_error: Option<f64>,
    /// The share of the labels' variance that the predictions explain.
    pub r2: Option<f64>,
    /// Calibration: the mean prediction (the mean probability, for classes)...
    pub mean_prediction: Option<f64>,
    /// ... which should be near the mean label (the share of the positive class).
    pub mean_label: Option<f64>,
}

impl Evaluation {
    /// For a model trained with `loss` on labels as in `training_labels`, which decide what the classes are.
    pub fn new(loss: LossKind, training_labels: LabelsSeen) -> Evaluation {
        Evaluation {
            loss,
            training_labels,
            examples: 0,
            importance: 0.0,
            loss_sum: 0.0,
            mistakes: 0.0,
            log_loss: 0.0,
            absolute_error: 0.0,
            squared_error: 0.0,
            prediction_sum: 0.0,
            label_sum: 0.0,
            squared_label_sum: 0.0,
            auc: Auc::default(),
        }
    }

    /// Adds a prediction, the label it should have been, and how much that counts.
    pub fn add(&mut self, predicted: &Predicted, label: f32, importance: f32) {
        self.examples += 1;
        let weight = f64::from(importance);
        self.importance += weight;
        self.loss_sum += weight * predicted.loss(label);
        match predicted.probability {
            Some(probability) => self.add_class(predicted, f64::from(probability), label, importance),
            None => self.add_number(predicted.value.into(), label.into(), weight),
        }
    }

    fn add_class(&mut self, predicted: &Predicted, probability: f64, label: f32, importance: f32) {
        let (positive, weight) = (label > predicted.threshold, f64::from(importance));
        self.mistakes += if predicted.is_positive() == positive { 0.0 } else { weight };
        // A probability of 0 for what happened would cost an infinity; one in ten million is the limit.
        let given = if positive { probability } else { 1.0 - probability };
        self.log_loss -= weight * libm::log(given.clamp(1e-7, 1.0));
        self.auc.add(predicted.value, positive, importance);
        self.add_number(probability, if positive { 1.0 } else { 0.0 }, weight);
    }

    fn add_number(&mut self, prediction: f64, label: f64, weight: f64) {
        let error = prediction - label;
        self.squared_error += weight * error * error;
        self.absolute_error += weight * error.abs();
        self.prediction_sum += weight * prediction;
        self.label_sum += weight * label;
        self.squared_label_sum += weight * label * label;
    }

    /// The figures.
    pub fn scores(self) -> Scores {
        let task = self.training_labels.task();
        let (importance, r2) = (self.importance, self.r2());
        let mean = |sum: f64| (importance > 0.0).then(|| sum / importance);
        let classes = |sum: f64| mean(sum).filter(|_| task == Task::Classification);
        Scores {
            examples: self.examples,
            task,
            error: mean(if task == Task::Classification { self.mistakes } else { self.squared_error }),
            loss: mean(self.loss_sum),
            log_loss: classes(self.log_loss).filter(|_| self.loss != LossKind::Hinge),
            auc: self.auc.value().filter(|_| task == Task::Classification),
            squared_error: mean(self.squared_error),
            absolute_error: mean(self.absolute_error),
            r2,
            mean_prediction: mean(self.prediction_sum),
            mean_label: mean(self.label_sum),
        }
    }

    fn r2(&self) -> Option<f64> {
        let variance = self.squared_label_sum - self.label_sum * self.label_sum / self.importance;
        (self.importance > 0.0 && variance > 0.0).then(|| 1.0 - self.squared_error / variance)
    }
}
