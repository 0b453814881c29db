//! How well labelled data is predicted.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use russet::batch::{Batch, Example};
use russet::classes::{ClassEvaluation, ClassPredictor, Models};
use russet::metrics::{Evaluation, Scores, Task};

use crate::files::Files;
use crate::input::{Held, Labels};
use crate::models::{Floats, PyModels, schema_of};
use crate::predict::{for_each_line, for_each_row};
use crate::train::own;
use crate::watch;

/// Collects how good predictions are.
struct Judge<'m> {
    models: &'m Models,
    of_one: Evaluation,
    of_classes: ClassEvaluation,
}

impl<'m> Judge<'m> {
    fn new(models: &'m Models) -> Judge<'m> {
        let loss = models.settings().loss;
        let of_one = Evaluation::new(loss, models.first().progress().labels);
        Judge { models, of_one, of_classes: ClassEvaluation::new(loss) }
    }

    fn add(&mut self, predictor: &mut ClassPredictor<'_>, batch: &Batch, example: &Example<'_>) {
        let Some(label) = example.label.value.filter(|label| label.is_finite()) else { return };
        let importance = example.label.importance;
        match self.models.only() {
            Some(_) => self.of_one.add(&predictor.of_class(0).predict(batch, example), label, importance),
            None => self.of_classes.add(&predictor.predict(batch, example), label as usize, importance),
        }
    }

    fn scores(self) -> Scores {
        if self.models.only().is_some() { self.of_one.scores() } else { self.of_classes.scores() }
    }
}

/// How well labelled rows are predicted. Without `labels`, a frame's own label column is taken.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    learned: &PyModels,
    source: &Bound<'py, PyTuple>,
    labels: Floats<'py>,
    weights: Floats<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (models, held) = (learned.models()?, Held::extract(source)?);
    let schema = schema_of(&models)?;
    let (table, plan) = held.table_for(schema.as_ref(), labels.is_none())?;
    let (own_labels, own_weights) = plan.map_or((None, None), |plan| (plan.labels, plan.weights));
    let values = own(&labels).or(own_labels);
    let weights = own(&weights).or(own_weights);
    let scores = watch::run(py, None, |watch| {
        let mut judge = Judge::new(&models);
        let labels = Labels { values: values.as_deref(), weights: weights.as_deref() };
        for_each_row(&models, &table, labels, watch, |predictor, batch, example| {
            judge.add(predictor, batch, example);
        })?;
        Ok(judge.scores())
    })?;
    scores_dict(py, &scores)
}

/// The same for files.
#[pyfunction]
pub(crate) fn evaluate_files<'py>(
    py: Python<'py>,
    learned: &PyModels,
    paths: Vec<String>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let (models, files) = (learned.models()?, Files::extract(&paths, options, true)?);
    let scores = watch::run(py, None, |watch| {
        let mut judge = Judge::new(&models);
        for_each_line(&models, files, watch, |predictor, batch, example| judge.add(predictor, batch, example))?;
        Ok(judge.scores())
    })?;
    scores_dict(py, &scores)
}

fn scores_dict<'py>(py: Python<'py>, scores: &Scores) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let task = if scores.task == Task::Classification { "classification" } else { "regression" };
    dict.set_item("examples", scores.examples)?;
    dict.set_item("task", task)?;
    let figures = [
        ("error", scores.error),
        ("loss", scores.loss),
        ("log_loss", scores.log_loss),
        ("auc", scores.auc),
        ("squared_error", scores.squared_error),
        ("absolute_error", scores.absolute_error),
        ("r2", scores.r2),
        ("mean_prediction", scores.mean_prediction),
        ("mean_label", scores.mean_label),
    ];
    figures.iter().try_for_each(|(name, figure)| dict.set_item(name, figure))?;
    Ok(dict)
}
