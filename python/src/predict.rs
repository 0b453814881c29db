//! Predictions, and what made one.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use russet::batch::{Batch, Example};
use russet::classes::{ClassPredictor, Models};
use russet::model::{Part, PartKind};

use crate::errors::Error;
use crate::files::Files;
use crate::input::{Held, Labels, Reader, Table};
use crate::models::{PyModels, schema_of};
use crate::watch::{self, Watch};

/// Calls `visit` for every example of a table, with a predictor for it.
pub(crate) fn for_each_row(
    models: &Models,
    table: &Table<'_>,
    labels: Labels<'_>,
    watch: &Watch<'_>,
    mut visit: impl FnMut(&mut ClassPredictor<'_>, &Batch, &Example<'_>),
) -> Result<(), Error> {
    labels.check(table.rows())?;
    let (mut predictor, mut batch) = (models.predictor(), Batch::default());
    let mut reader = Reader::new(table, labels);
    while reader.next(&mut batch)? {
        predictor.begin(&batch);
        batch.iter().for_each(|example| visit(&mut predictor, &batch, &example));
        watch.check()?;
    }
    Ok(())
}

/// The same for files.
pub(crate) fn for_each_line(
    models: &Models,
    mut files: Files,
    watch: &Watch<'_>,
    mut visit: impl FnMut(&mut ClassPredictor<'_>, &Batch, &Example<'_>),
) -> Result<(), Error> {
    if let Some(schema) = schema_of(models)? {
        files.options.schema = Some(schema.into());
    }
    let mut stream = files.open(watch.flag())?;
    let mut predictor = models.predictor();
    while let Some(parsed) = stream.next_unless(watch.flag())? {
        predictor.begin(&parsed.batch);
        parsed.batch.iter().for_each(|example| visit(&mut predictor, &parsed.batch, &example));
        watch.check()?;
        stream.recycle(parsed);
    }
    watch.check()
}

/// Predictions in rows: one number for each model.
struct Predictions {
    width: usize,
    probability: bool,
    values: Vec<f32>,
}

impl Predictions {
    fn new(models: &Models, probability: bool) -> Predictions {
        Predictions { width: models.iter().len(), probability, values: Vec::new() }
    }

    fn add(&mut self, predictor: &mut ClassPredictor<'_>, batch: &Batch, example: &Example<'_>) {
        if self.width == 1 {
            let predicted = predictor.of_class(0).predict(batch, example);
            let probability = predicted.probability.filter(|_| self.probability);
            self.values.push(probability.unwrap_or(predicted.value));
            return;
        }
        let predicted = predictor.predict(batch, example);
        if self.probability {
            self.values.extend_from_slice(predicted.probabilities);
        } else {
            self.values.extend(predicted.each.iter().map(|each| each.value));
        }
    }

    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyArray2<f32>>> {
        let rows = self.values.len() / self.width.max(1);
        let array =
            Array2::from_shape_vec((rows, self.width), self.values).map_err(|error| Error::data(error.to_string()))?;
        Ok(array.into_pyarray(py))
    }
}

/// What each model predicts for each row, or the probability of each class.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    learned: &PyModels,
    source: &Bound<'py, PyTuple>,
    probability: bool,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (models, held) = (learned.models()?, Held::extract(source)?);
    let schema = schema_of(&models)?;
    let (table, _) = held.table_for(schema.as_ref(), false)?;
    let mut predictions = Predictions::new(&models, probability);
    predictions.values.reserve(table.rows() * predictions.width);
    let predictions = watch::run(py, None, |watch| {
        for_each_row(&models, &table, Labels::default(), watch, |predictor, batch, example| {
            predictions.add(predictor, batch, example);
        })?;
        Ok(predictions)
    })?;
    predictions.into_array(py)
}

/// The same for files.
#[pyfunction]
pub(crate) fn predict_files<'py>(
    py: Python<'py>,
    learned: &PyModels,
    paths: Vec<String>,
    options: &Bound<'py, PyDict>,
    probability: bool,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (models, files) = (learned.models()?, Files::extract(&paths, options, false)?);
    let mut predictions = Predictions::new(&models, probability);
    let predictions = watch::run(py, None, |watch| {
        for_each_line(&models, files, watch, |predictor, batch, example| {
            predictions.add(predictor, batch, example);
        })?;
        Ok(predictions)
    })?;
    predictions.into_array(py)
}

/// What made the prediction for the first row: the class, its prediction and the parts of it.
#[pyfunction]
#[pyo3(signature = (learned, source, class_name, top))]
pub(crate) fn explain(
    learned: &PyModels,
    source: &Bound<'_, PyTuple>,
    class_name: Option<&str>,
    top: Option<usize>,
) -> PyResult<(Option<String>, f32, Vec<PartRow>)> {
    let (models, held) = (learned.models()?, Held::extract(source)?);
    let schema = schema_of(&models)?;
    let (table, _) = held.table_for(schema.as_ref(), false)?;
    let (mut predictor, mut batch) = (models.predictor(), Batch::default());
    if table.rows() != 1 || !Reader::new(&table, Labels::default()).next(&mut batch)? {
        return Err(Error::data(format!("there are {} rows to explain; expected one", table.rows())).into());
    }
    predictor.begin(&batch);
    let class = match class_name {
        None => predictor.predict(&batch, &batch.example(0)).class,
        Some(name) => models
            .names()
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| Error::data(format!("there is no class `{name}` with a model of its own")))?,
    };
    let explanation = predictor.of_class(class).explain(&batch, &batch.example(0)).shortened(top.unwrap_or(usize::MAX));
    let value = explanation.predicted.value;
    Ok((models.names().get(class).cloned(), value, explanation.parts.into_iter().map(part_row).collect()))
}

type PartRow = (&'static str, String, f64, Option<f32>, Option<f32>);

fn part_row(part: Part) -> PartRow {
    let kind = match part.kind {
        PartKind::Term => "term",
        PartKind::Others => "others",
        PartKind::Base => "base",
        PartKind::Clipped => "clipped",
        PartKind::Rounding => "rounding",
    };
    (kind, part.name, part.contribution, part.value, part.weight)
}
