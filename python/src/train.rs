//! Training on files, and on data in Python's memory.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use russet::Model;
use russet::classes::{Learners, Models};
use russet_data::{LabelColumn, Schema};

use crate::course::Course;
use crate::errors::Error;
use crate::files::{Files, SCHEMA, csv_options};
use crate::input::{Held, Labels, Plan, Table, plan_for_model, plan_for_training};
use crate::models::{Floats, PyModels, schema_of};
use crate::settings;
use crate::watch::{self, Point, Watch};

/// Where a training begins: from nothing with these settings, or from a model.
fn begin(
    settings: &Bound<'_, PyDict>,
    preset: Option<&str>,
    resume: Option<&PyModels>,
) -> PyResult<(Models, Vec<Point>)> {
    match resume {
        Some(resumed) => resumed.copied(),
        None => Ok((Model::new(settings::from_dict(settings, preset)?).into(), Vec::new())),
    }
}

/// Trains on files.
#[pyfunction]
#[pyo3(signature = (paths, options, settings, preset, resume, passes, examples, callback))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train_files(
    py: Python<'_>,
    paths: Vec<String>,
    options: &Bound<'_, PyDict>,
    settings: &Bound<'_, PyDict>,
    preset: Option<&str>,
    resume: Option<&PyModels>,
    passes: u32,
    examples: Option<u64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<PyModels> {
    let (models, points) = begin(settings, preset, resume)?;
    let files = Files::extract(&paths, options, true)?;
    watch::run(py, callback.as_ref(), |watch| {
        let schema = schema_of(&models)?;
        let mut course = Course::new(Learners::resume(models), points, watch);
        files.learn(&mut course, passes, examples, schema)?;
        course.finish();
        Ok(PyModels::new(course.learners.into_models(), course.points))
    })
}

/// Trains on an array, a sparse matrix or a frame. `label`: the name of the labels that come beside a frame. `classes`:
/// the names of the classes that labels beside the data stand for. `open_ended`: more may follow, so the course has no length.
#[pyfunction]
#[pyo3(signature = (source, labels, weights, label, options, classes, settings, preset, resume, passes, examples, open_ended, callback))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train_table(
    py: Python<'_>,
    source: &Bound<'_, PyTuple>,
    labels: Floats<'_>,
    weights: Floats<'_>,
    label: Option<String>,
    options: &Bound<'_, PyDict>,
    classes: Option<Vec<String>>,
    settings: &Bound<'_, PyDict>,
    preset: Option<&str>,
    resume: Option<&PyModels>,
    passes: u32,
    examples: Option<u64>,
    open_ended: bool,
    callback: Option<Py<PyAny>>,
) -> PyResult<PyModels> {
    let (models, points) = begin(settings, preset, resume)?;
    let held = Held::extract(source)?;
    let beside = label.map(|name| LabelColumn { name, classes: classes.clone() });
    let mut plan = plan(&held, &models, labels.is_none(), options, beside)?;
    let table = held.table(plan.as_mut().map(|plan| std::mem::take(&mut plan.roles)).unwrap_or_default())?;
    let training =
        Training { table, labels: own(&labels), weights: own(&weights), plan, classes, passes, examples, open_ended };
    watch::run(py, callback.as_ref(), |watch| training.run(models, points, watch))
}

/// How a frame is read: as the model to go on with reads it, or as its columns say.
fn plan(
    held: &Held<'_>,
    models: &Models,
    labelled: bool,
    options: &Bound<'_, PyDict>,
    beside: Option<LabelColumn>,
) -> PyResult<Option<Plan>> {
    let Some(columns) = held.columns() else { return Ok(None) };
    Ok(Some(match schema_of(models)? {
        Some(schema) => plan_for_model(&columns, &schema, labelled)?,
        None => plan_for_training(&columns, &csv_options(options)?, beside)?,
    }))
}

/// A copy, so that nobody can change it meanwhile.
pub(crate) fn own(array: &Floats<'_>) -> Option<Vec<f32>> {
    array.as_ref().map(|array| array.as_array().to_vec())
}

/// A training on a table.
struct Training<'a> {
    table: Table<'a>,
    /// Beside the table.
    labels: Option<Vec<f32>>,
    weights: Option<Vec<f32>>,
    plan: Option<Plan>,
    classes: Option<Vec<String>>,
    passes: u32,
    examples: Option<u64>,
    open_ended: bool,
}

impl Training<'_> {
    fn run(self, models: Models, points: Vec<Point>, watch: &Watch<'_>) -> Result<PyModels, Error> {
        let begun = models.tally().examples > 0;
        let mut course = Course::new(Learners::resume(models), points, watch);
        let known = self.table.rows() as u64 * u64::from(self.passes);
        course.length = self.examples.or((!begun && !self.open_ended).then_some(known));
        if let Some(length) = course.length {
            course.learners.set_course_length(length);
        }
        let (schema, own_labels, own_weights) =
            self.plan.map_or((None, None, None), |plan| (Some(plan.schema), plan.labels, plan.weights));
        prepare(&mut course.learners, schema.as_ref(), self.classes)?;
        let (values, weights) = (self.labels.or(own_labels), self.weights.or(own_weights));
        let labels = Labels { values: values.as_deref(), weights: weights.as_deref() };
        course.learn_table(&self.table, labels, self.passes)?;
        if course.learners.examples() == 0 {
            return Err(Error::data("there is no example to learn from in the data"));
        }
        course.finish();
        Ok(PyModels::new(course.learners.into_models(), course.points))
    }
}

/// Tells learners of classes and columns.
fn prepare(learners: &mut Learners, schema: Option<&Schema>, classes: Option<Vec<String>>) -> Result<(), Error> {
    let names = schema.and_then(|schema| schema.label.classes.clone()).or(classes).unwrap_or_default();
    learners.separate(&names)?;
    if let Some(schema) = schema {
        learners.attach(SCHEMA, serde_json::to_string(schema).ok());
    }
    Ok(())
}
