//! The native part of the Python package `russet`: whole batches in, models and arrays out.
//!
//! Python holds the names, the documentation and the estimators (`python/russet`); here data becomes batches without a copy of
//! the whole ([`input`]), learning and predicting run without Python's lock while the calling thread watches for Ctrl-C
//! ([`watch`]), and errors become exceptions of our own kinds ([`errors`]).

mod course;
mod errors;
mod evaluate;
mod files;
mod input;
mod models;
mod predict;
mod settings;
mod train;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _russet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<models::PyModels>()?;
    module.add_function(wrap_pyfunction!(settings::defaults, module)?)?;
    module.add_function(wrap_pyfunction!(train::train_table, module)?)?;
    module.add_function(wrap_pyfunction!(train::train_files, module)?)?;
    module.add_function(wrap_pyfunction!(predict::predict, module)?)?;
    module.add_function(wrap_pyfunction!(predict::predict_files, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::evaluate_files, module)?)?;
    module.add_function(wrap_pyfunction!(predict::explain, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
