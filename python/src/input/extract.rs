//! What Python hands over: `("dense", array)`, `("sparse", indptr, indices, data)`, `("columns", [(name, kind, ...), ...])`
//! or `("arrow", capsule)`. The arrays stay borrowed as long as [`Held`] lives, and are looked at where they are.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, RecordBatchReader};
use numpy::ndarray::{ArrayView1, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use russet_data::Schema;

use super::columns::{Column, Columns, Role};
use super::dense::Dense;
use super::roles::columns_of_array;
use super::sparse::{Places, Sparse, Values};
use super::view::View;
use super::{Plan, Table, plan_for_model};
use crate::errors::Error;

/// Data of Python, borrowed.
pub(crate) enum Held<'py> {
    Dense32(PyReadonlyArray2<'py, f32>),
    Dense64(PyReadonlyArray2<'py, f64>),
    Sparse { starts: HeldPlaces<'py>, columns: HeldPlaces<'py>, values: HeldValues<'py> },
    Columns(Vec<HeldColumn<'py>>),
}

pub(crate) enum HeldPlaces<'py> {
    Small(PyReadonlyArray1<'py, i32>),
    Large(PyReadonlyArray1<'py, i64>),
}

pub(crate) enum HeldValues<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
}

pub(crate) struct HeldColumn<'py> {
    name: String,
    data: HeldData<'py>,
}

enum HeldData<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
    Whole(PyReadonlyArray1<'py, i64>),
    Truth(PyReadonlyArray1<'py, bool>),
    Categories(PyReadonlyArray1<'py, i32>, Vec<String>),
    Chunks(Vec<ArrayRef>),
    Other(usize, String),
}

impl<'py> Held<'py> {
    pub(crate) fn extract(source: &Bound<'py, PyTuple>) -> PyResult<Held<'py>> {
        let kind: String = source.get_item(0)?.extract()?;
        let item = |place: usize| source.get_item(place);
        match kind.as_str() {
            "dense" => match item(1)?.extract() {
                Ok(array) => Ok(Held::Dense32(array)),
                Err(_) => Ok(Held::Dense64(item(1)?.extract()?)),
            },
            "sparse" => {
                Ok(Held::Sparse { starts: places(&item(1)?)?, columns: places(&item(2)?)?, values: values(&item(3)?)? })
            }
            "arrow" => Ok(Held::Columns(arrow_columns(item(1)?.cast::<PyCapsule>()?)?)),
            _ => {
                let list = item(1)?.cast_into::<PyList>()?;
                Ok(Held::Columns(
                    list.iter().map(|column| held_column(column.cast::<PyTuple>()?)).collect::<PyResult<_>>()?,
                ))
            }
        }
    }

    /// The columns of a frame.
    pub(crate) fn columns(&self) -> Option<Vec<Column<'_>>> {
        match self {
            Held::Columns(columns) => Some(columns.iter().map(HeldColumn::column).collect()),
            _ => None,
        }
    }

    /// Arrays and matrices as they are; frames need to be told what their columns are.
    pub(crate) fn table(&self, roles: Vec<Role>) -> Result<Table<'_>, Error> {
        match self {
            Held::Dense32(array) => Ok(Table::Dense32(Dense::new(array.as_array())?)),
            Held::Dense64(array) => Ok(Table::Dense64(Dense::new(array.as_array())?)),
            Held::Sparse { starts, columns, values } => {
                Ok(Table::Sparse(Sparse::new(starts.view()?, columns.view()?, values.view()?)?))
            }
            Held::Columns(columns) => {
                Ok(Table::Columns(Columns::new(columns.iter().map(HeldColumn::column).collect(), roles)?))
            }
        }
    }

    /// As a model reads it: by the columns it was trained with, if it was a table. `labelled`: its label column too.
    pub(crate) fn table_for(
        &self,
        schema: Option<&Schema>,
        labelled: bool,
    ) -> Result<(Table<'_>, Option<Plan>), Error> {
        let columns = match (schema, self) {
            (None, Held::Columns(_)) => {
                return Err(Error::data("the model was not trained with named columns; expected an array"));
            }
            (None, _) => return Ok((self.table(Vec::new())?, None)),
            (Some(_), Held::Columns(columns)) => columns.iter().map(HeldColumn::column).collect(),
            (Some(schema), Held::Dense32(array)) => {
                let views = (0..array.as_array().ncols()).map(|place| column_of(array, place));
                columns_of_array(views.map(View::Single).collect(), schema)?
            }
            (Some(schema), Held::Dense64(array)) => {
                let views = (0..array.as_array().ncols()).map(|place| column_of(array, place));
                columns_of_array(views.map(View::Double).collect(), schema)?
            }
            (Some(_), Held::Sparse { .. }) => {
                return Err(Error::data("the model was trained with named columns; expected a frame with them"));
            }
        };
        let Some(schema) = schema else { return Err(Error::data("there are no columns")) };
        let mut plan = plan_for_model(&columns, schema, labelled)?;
        let roles = std::mem::take(&mut plan.roles);
        Ok((Table::Columns(Columns::new(columns, roles)?), Some(plan)))
    }
}

impl HeldColumn<'_> {
    fn column(&self) -> Column<'_> {
        let view = match &self.data {
            HeldData::Single(array) => View::Single(array.as_array()),
            HeldData::Double(array) => View::Double(array.as_array()),
            HeldData::Whole(array) => View::Whole(array.as_array()),
            HeldData::Truth(array) => View::Truth(array.as_array()),
            HeldData::Categories(array, names) => View::Categories(array.as_array(), names.clone()),
            HeldData::Chunks(chunks) => View::Chunks(chunks.clone()),
            HeldData::Other(rows, name) => View::Other(*rows, name.clone()),
        };
        Column { name: self.name.clone(), view }
    }
}

impl HeldPlaces<'_> {
    fn view(&self) -> Result<Places<'_>, Error> {
        match self {
            HeldPlaces::Small(array) => array.as_slice().map(Places::Small).map_err(|_| not_contiguous()),
            HeldPlaces::Large(array) => array.as_slice().map(Places::Large).map_err(|_| not_contiguous()),
        }
    }
}

impl HeldValues<'_> {
    fn view(&self) -> Result<Values<'_>, Error> {
        match self {
            HeldValues::Single(array) => array.as_slice().map(Values::Single).map_err(|_| not_contiguous()),
            HeldValues::Double(array) => array.as_slice().map(Values::Double).map_err(|_| not_contiguous()),
        }
    }
}

fn not_contiguous() -> Error {
    Error::data("the parts of the sparse matrix do not lie together in memory; copy it first")
}

fn places<'py>(array: &Bound<'py, PyAny>) -> PyResult<HeldPlaces<'py>> {
    match array.extract() {
        Ok(array) => Ok(HeldPlaces::Small(array)),
        Err(_) => Ok(HeldPlaces::Large(array.extract()?)),
    }
}

fn values<'py>(array: &Bound<'py, PyAny>) -> PyResult<HeldValues<'py>> {
    match array.extract() {
        Ok(array) => Ok(HeldValues::Single(array)),
        Err(_) => Ok(HeldValues::Double(array.extract()?)),
    }
}

fn held_column<'py>(column: &Bound<'py, PyTuple>) -> PyResult<HeldColumn<'py>> {
    let (name, kind): (String, String) = (column.get_item(0)?.extract()?, column.get_item(1)?.extract()?);
    let array = column.get_item(2)?;
    let data = match kind.as_str() {
        "float32" => HeldData::Single(array.extract()?),
        "float64" => HeldData::Double(array.extract()?),
        "int64" => HeldData::Whole(array.extract()?),
        "bool" => HeldData::Truth(array.extract()?),
        "other" => HeldData::Other(array.extract()?, column.get_item(3)?.extract()?),
        _ => HeldData::Categories(array.extract()?, column.get_item(3)?.extract()?),
    };
    Ok(HeldColumn { name, data })
}

fn column_of<'a, T: numpy::Element>(array: &'a PyReadonlyArray2<'_, T>, place: usize) -> ArrayView1<'a, T> {
    array.as_array().index_axis_move(Axis(1), place)
}

/// Takes the columns out of a capsule of Arrow's C stream interface.
fn arrow_columns<'py>(capsule: &Bound<'py, PyCapsule>) -> PyResult<Vec<HeldColumn<'py>>> {
    let broken =
        |error: arrow_schema::ArrowError| PyErr::from(Error::data(format!("the Arrow stream is broken: {error}")));
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream by the rules of Arrow's PyCapsule interface. It is moved out, and what
    // is left in its place is marked as released, so the capsule will not release it again.
    #[allow(unsafe_code)]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let reader = RecordBatchStreamReader::try_new(stream).map_err(broken)?;
    let schema = reader.schema();
    let mut chunks: Vec<Vec<ArrayRef>> = vec![Vec::new(); schema.fields().len()];
    for batch in reader {
        let batch = batch.map_err(broken)?;
        for (column, chunk) in chunks.iter_mut().zip(batch.columns()) {
            if !chunk.is_empty() || column.is_empty() {
                column.push(std::sync::Arc::clone(chunk));
            }
        }
    }
    let named = schema.fields().iter().zip(chunks);
    Ok(named.map(|(field, chunks)| HeldColumn { name: field.name().clone(), data: HeldData::Chunks(chunks) }).collect())
}
