//! What can go wrong, as Python sees it. The classes are Python's own (`russet/_errors.py`).

use pyo3::prelude::*;
use russet::classes::ClassesError;
use russet::model::ModelError;
use russet::settings::SettingsError;

mod raised {
    #![allow(missing_docs, unreachable_pub)]
    pyo3::import_exception!(russet._errors, SettingsError);
    pyo3::import_exception!(russet._errors, DataError);
    pyo3::import_exception!(russet._errors, ModelError);
}

/// An error on its way to Python.
#[derive(Debug)]
pub(crate) enum Error {
    /// A parameter out of its range, or without effect beside the others.
    Settings(String),
    /// Data that cannot be read or learned from.
    Data(String),
    /// A file or bytes that are not a model, or a model that does not fit.
    Model(String),
    /// The caller asked to stop; the exception that says why is Python's.
    Stopped,
}

impl Error {
    pub(crate) fn data(message: impl Into<String>) -> Error {
        Error::Data(message.into())
    }
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Error {
        // Parameters are written as in Python.
        Error::Settings(error.to_string().replacen(error.parameter, &error.parameter.replace('-', "_"), 1))
    }
}

impl From<russet_data::DataError> for Error {
    fn from(error: russet_data::DataError) -> Error {
        Error::Data(in_python(&error.to_string()))
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Error {
        Error::Model(error.to_string())
    }
}

impl From<ClassesError> for Error {
    fn from(error: ClassesError) -> Error {
        Error::Data(error.to_string())
    }
}

/// Flags that a message of the command line names become arguments.
pub(crate) fn in_python(message: &str) -> String {
    const FLAGS: [&str; 6] = ["--classes", "--label", "--format", "--categorical", "--numeric", "--weight"];
    FLAGS.iter().fold(message.to_owned(), |text, flag| text.replace(flag, &format!("{}=", &flag[2..])))
}

impl From<Error> for PyErr {
    fn from(error: Error) -> PyErr {
        match error {
            Error::Settings(message) => raised::SettingsError::new_err(message),
            Error::Data(message) => raised::DataError::new_err(message),
            Error::Model(message) => raised::ModelError::new_err(message),
            Error::Stopped => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        }
    }
}
