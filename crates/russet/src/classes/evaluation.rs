use super::ClassPredicted;
use crate::loss::LossKind;
use crate::metrics::{Scores, Task};

/// Collects choices among classes with the true ones and says how good they are.
#[derive(Clone, Debug)]
pub struct ClassEvaluation {
    loss: LossKind,
    examples: u64,
    importance: f64,
    mistakes: f64,
    loss_sum: f64,
    log_loss: f64,
}

impl ClassEvaluation {
    /// For models trained with `loss`.
    pub fn new(loss: LossKind) -> ClassEvaluation {
        ClassEvaluation { loss, examples: 0, importance: 0.0, mistakes: 0.0, loss_sum: 0.0, log_loss: 0.0 }
    }

    /// Adds a choice, the number of the class it should have been, and how much that counts.
    pub fn add(&mut self, predicted: &ClassPredicted<'_, '_>, class: usize, importance: f32) {
        let weight = f64::from(importance);
        self.examples += 1;
        self.importance += weight;
        self.mistakes += if predicted.class == class { 0.0 } else { weight };
        self.loss_sum += weight * predicted.loss(class);
        let given = predicted.probabilities.get(class).copied().unwrap_or(0.0);
        self.log_loss -= weight * libm::log(f64::from(given).clamp(1e-7, 1.0));
    }

    /// The figures; those that are for two classes or numbers do not apply.
    pub fn scores(&self) -> Scores {
        let mean = |sum: f64| (self.importance > 0.0).then(|| sum / self.importance);
        Scores {
            examples: self.examples,
            task: Task::Classification,
            error: mean(self.mistakes),
            loss: mean(self.loss_sum),
            log_loss: mean(self.log_loss).filter(|_| self.loss != LossKind::Hinge),
            auc: None,
            squared_error: None,
            absolute_error: None,
            r2: None,
            mean_prediction: None,
            mean_label: None,
        }
    }
}
