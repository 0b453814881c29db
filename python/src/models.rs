//! Models as Python holds them: trained, saved, listed. `russet/_model.py` is what people see of them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use russet::Model;
use russet::classes::{Learners, Models};
use russet::metrics::Task;
use russet::model::{LoadError, Term};
use russet_data::{Schema, atomic};

use crate::course::Course;
use crate::errors::Error;
use crate::files::SCHEMA;
use crate::input::{Held, Labels};
use crate::settings;
use crate::train::own;
use crate::watch::{self, Point};

/// A model, or one for each of several classes, with the curve of its training.
#[pyclass(name = "Models", module = "russet._russet", frozen)]
pub(crate) struct PyModels {
    state: Mutex<Option<State>>,
}

#[derive(Clone)]
struct State {
    models: Arc<Models>,
    points: Vec<Point>,
}

/// Labels or weights beside the data.
pub(crate) type Floats<'py> = Option<PyReadonlyArray1<'py, f32>>;

impl PyModels {
    pub(crate) fn new(models: Models, points: Vec<Point>) -> PyModels {
        PyModels { state: Mutex::new(Some(State { models: Arc::new(models), points })) }
    }

    fn state(&self) -> PyResult<State> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        state.ok_or_else(|| Error::Model("the model is learning in another thread".to_owned()).into())
    }

    pub(crate) fn models(&self) -> PyResult<Arc<Models>> {
        self.state().map(|state| state.models)
    }

    /// A copy of all, to go on with.
    pub(crate) fn copied(&self) -> PyResult<(Models, Vec<Point>)> {
        let State { models, points } = self.state()?;
        Ok(((*models).clone(), points))
    }

    /// The models to learn on, without a copy if nobody else uses them.
    fn take(&self) -> PyResult<(Models, Vec<Point>)> {
        let taken = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        let State { models, points } =
            taken.ok_or_else(|| Error::Model("the model is learning in another thread".to_owned()))?;
        Ok((Arc::unwrap_or_clone(models), points))
    }

    fn put(&self, models: Models, points: Vec<Point>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(State { models: Arc::new(models), points });
    }
}

/// The columns that models were trained with, if their data was a table.
pub(crate) fn schema_of(models: &Models) -> Result<Option<Schema>, Error> {
    let Some(text) = models.attachments().get(SCHEMA) else { return Ok(None) };
    serde_json::from_str(text).map(Some).map_err(|_| Error::Model("the model's columns cannot be read".to_owned()))
}

#[pymethods]
impl PyModels {
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<PyModels> {
        Ok(PyModels::new(Models::from_bytes(bytes).map_err(Error::from)?, Vec::new()))
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<PyModels> {
        let shown = path.display();
        let models = Models::load(&path).map_err(|error| match error {
            LoadError::Read(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
                pyo3::exceptions::PyFileNotFoundError::new_err(format!("{shown}: no such file"))
            }
            LoadError::Read(cause) => PyErr::from(cause),
            error => Error::Model(format!("{shown}: {error}")).into(),
        })?;
        Ok(PyModels::new(models, Vec::new()))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.models()?.to_bytes()))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(atomic::write(&path, &self.models()?.to_bytes())?)
    }

    /// Learns from more rows of an array or sparse matrix, or of a frame with the columns it knows.
    #[pyo3(signature = (source, labels, weights, callback))]
    fn learn(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        labels: PyReadonlyArray1<'_, f32>,
        weights: Floats<'_>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let held = Held::extract(source)?;
        let (models, points) = self.take()?;
        let mut back = Some((models, points));
        let result = self.learn_held(py, &held, &labels, &weights, callback.as_ref(), &mut back);
        if let Some((models, points)) = back {
            self.put(models, points);
        }
        result
    }

    /// The strongest terms, at most `count`: class, name, weight, effect, degree, epoch, active.
    fn terms(&self, py: Python<'_>, count: usize) -> PyResult<Vec<TermRow>> {
        let models = self.models()?;
        let row = |(class, term): (usize, Term)| {
            let Term { name, weight, effect, degree, epoch, active } = term;
            (models.names().get(class).cloned(), name, weight, effect, degree, epoch, active)
        };
        Ok(py.detach(|| models.terms(count)).into_iter().map(row).collect())
    }

    #[getter]
    fn points(&self) -> PyResult<Vec<PointRow>> {
        let row =
            |point: Point| (point.examples, point.loss, point.loss_since, point.error, point.features, point.seconds);
        Ok(self.state()?.points.into_iter().map(row).collect())
    }

    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        settings::to_dict(py, self.models()?.settings())
    }

    #[getter]
    fn classes(&self) -> PyResult<Vec<String>> {
        let models = self.models()?;
        let of_schema = schema_of(&models)?.and_then(|schema| schema.label.classes);
        Ok(if models.names().is_empty() { of_schema.unwrap_or_default() } else { models.names().to_vec() })
    }

    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        let columns = schema_of(&*self.models()?)?.map(|schema| schema.columns).unwrap_or_default();
        Ok(columns.into_iter().map(|column| column.name).collect())
    }

    #[getter]
    fn is_classification(&self) -> PyResult<bool> {
        Ok(self.models()?.task() == Task::Classification)
    }

    /// examples, loss, error, features an example, parents, highest degree, base features, weights
    #[getter]
    fn standing(&self) -> PyResult<Standing> {
        let models = self.models()?;
        let (tally, (base, products)) = (models.tally(), models.weight_counts());
        Ok((
            tally.examples,
            tally.mean_loss(),
            models.progressive_error(),
            tally.features_per_example(),
            models.iter().map(Model::parents).sum(),
            models.iter().map(Model::max_degree).max().unwrap_or(1),
            models.first().features().len(),
            base + products,
        ))
    }
}

type TermRow = (Option<String>, String, f32, f32, Option<usize>, Option<u32>, Option<f64>);
type PointRow = (u64, Option<f64>, Option<f64>, Option<f64>, Option<f64>, f64);
type Standing = (u64, Option<f64>, Option<f64>, Option<f64>, Option<usize>, usize, usize, usize);

impl PyModels {
    /// Learns on what is in `back`, and leaves there what it came to, whatever happens.
    fn learn_held(
        &self,
        py: Python<'_>,
        held: &Held<'_>,
        labels: &PyReadonlyArray1<'_, f32>,
        weights: &Floats<'_>,
        callback: Option<&Py<PyAny>>,
        back: &mut Option<(Models, Vec<Point>)>,
    ) -> PyResult<()> {
        let schema = back.as_ref().map(|(models, _)| schema_of(models)).transpose()?.flatten();
        let (table, _) = held.table_for(schema.as_ref(), false)?;
        let (values, weights) = (labels.as_array().to_vec(), own(weights));
        watch::run(py, callback, |watch| {
            let Some((models, points)) = back.take() else { return Ok(()) };
            let mut course = Course::new(Learners::resume(models), points, watch);
            let labels = Labels { values: Some(&values), weights: weights.as_deref() };
            let learned = course.learn_table(&table, labels, 1);
            course.finish();
            *back = Some((course.learners.into_models(), course.points));
            learned
        })
    }
}
