use std::collections::BTreeMap;

use super::{Choices, combined};
use crate::metrics::{Tally, Task};
use crate::model::{Model, Term};
use crate::settings::Checked;

/// One model, or one for each of more than two classes.
#[derive(Clone, Debug)]
pub struct Models {
    pub(super) names: Vec<String>,
    pub(super) models: Vec<Model>,
    pub(super) choices: Choices,
}

impl From<Model> for Models {
    fn from(model: Model) -> Models {
        Models { names: Vec::new(), models: vec![model], choices: Choices::default() }
    }
}

impl Models {
    /// The names of the classes, if there are more than two; none otherwise.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The one model, unless there is one for each of several classes.
    pub fn only(&self) -> Option<&Model> {
        if self.names.is_empty() { self.models.first() } else { None }
    }

    /// The first model: settings and attachments are those of all.
    pub fn first(&self) -> &Model {
        &self.models[0]
    }

    /// The first model, to change what is attached or how it computes.
    pub fn first_mut(&mut self) -> &mut Model {
        &mut self.models[0]
    }

    /// All models, in the order of their classes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Model> {
        self.models.iter()
    }

    /// All models, to choose how they compute.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Model> {
        self.models.iter_mut()
    }

    /// The models with the names of their classes; the only model has none.
    pub fn named(&self) -> impl Iterator<Item = (Option<&str>, &Model)> {
        let names = self.names.iter().map(|name| Some(name.as_str()));
        names.chain(std::iter::repeat(None)).zip(&self.models)
    }

    /// The settings they were trained with.
    pub fn settings(&self) -> &Checked {
        self.first().settings()
    }

    /// Texts saved with them.
    pub fn attachments(&self) -> &BTreeMap<String, String> {
        self.first().attachments()
    }

    /// Sets or, with `None`, removes a text to be saved with them.
    pub fn attach(&mut self, name: &str, text: Option<String>) {
        self.first_mut().attach(name, text);
    }

    /// What is predicted.
    pub fn task(&self) -> Task {
        if self.names.is_empty() { self.first().task() } else { Task::Classification }
    }

    /// What they have done: examples are counted once; losses and features are sums over the models.
    pub fn tally(&self) -> Tally {
        combined(self.models.iter())
    }

    /// The progressive error: share of mistakes, or mean squared error.
    pub fn progressive_error(&self) -> Option<f64> {
        if self.names.is_empty() { self.first().progressive_error() } else { self.choices.error() }
    }

    /// The terms with the largest effects over all models, at most `count`, each with the number of its class.
    pub fn terms(&self, count: usize) -> Vec<(usize, Term)> {
        let of_class = |(class, model): (usize, &Model)| {
            let terms = model.terms(count).into_iter();
            terms.map(move |term| (class, term)).collect::<Vec<_>>()
        };
        let mut terms: Vec<(usize, Term)> = self.models.iter().enumerate().flat_map(of_class).collect();
        // Stable: those of one model stay in their order.
        terms.sort_by(|a, b| b.1.effect.abs().total_cmp(&a.1.effect.abs()));
        terms.truncate(count);
        terms
    }

    /// How many weights examples have touched: base weights and products, of all models together.
    pub fn weight_counts(&self) -> (usize, usize) {
        let counts = self.models.iter().map(Model::weight_counts);
        counts.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
    }
}
