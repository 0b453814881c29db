use super::{Models, largest};
use crate::batch::{Batch, Example};
use crate::model::{Predicted, Predictor};

/// Predicts classes with models, holding the buffers this needs.
pub struct ClassPredictor<'m> {
    predictors: Vec<Predictor<'m>>,
    predicted: Vec<Predicted<'m>>,
    probabilities: Vec<f32>,
}

/// A choice among classes.
#[derive(Clone, Copy, Debug)]
pub struct ClassPredicted<'p, 'm> {
    /// The number of the class that is predicted.
    pub class: usize,
    /// What the model of each class predicts.
    pub each: &'p [Predicted<'m>],
    /// How likely each class is: what its model says, as a share of what all say.
    pub probabilities: &'p [f32],
}

impl Models {
    /// A predictor for these models.
    pub fn predictor(&self) -> ClassPredictor<'_> {
        let predictors = self.models.iter().map(crate::Model::predictor).collect();
        ClassPredictor { predictors, predicted: Vec::new(), probabilities: Vec::new() }
    }
}

impl<'m> ClassPredictor<'m> {
    /// Takes note of the features a batch declares. Comes once for each batch, before its examples.
    pub fn begin(&mut self, batch: &Batch) {
        self.predictors.iter_mut().for_each(|predictor| predictor.begin(batch));
    }

    /// Predicts an example of the batch that was begun last.
    pub fn predict(&mut self, batch: &Batch, example: &Example<'_>) -> ClassPredicted<'_, 'm> {
        self.predicted.clear();
        self.predicted.extend(self.predictors.iter_mut().map(|predictor| predictor.predict(batch, example)));
        let class = largest(self.predicted.iter().map(|predicted| predicted.value));
        self.probabilities.clear();
        self.probabilities.extend(self.predicted.iter().map(|predicted| predicted.probability.unwrap_or(0.0)));
        let sum: f32 = self.probabilities.iter().sum();
        // Where no model believes in its class, all are equally likely.
        let equal = 1.0 / self.probabilities.len() as f32;
        self.probabilities.iter_mut().for_each(|share| *share = if sum > 0.0 { *share / sum } else { equal });
        ClassPredicted { class, each: &self.predicted, probabilities: &self.probabilities }
    }

    /// The predictor of one class.
    pub fn of_class(&mut self, class: usize) -> &mut Predictor<'m> {
        &mut self.predictors[class]
    }
}

impl ClassPredicted<'_, '_> {
    /// The sum of all models' losses if `class` is the truth.
    pub fn loss(&self, class: usize) -> f64 {
        let losses = self.each.iter().enumerate();
        losses.map(|(number, predicted)| predicted.loss(if number == class { 1.0 } else { -1.0 })).sum()
    }
}
