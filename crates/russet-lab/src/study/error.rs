use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a study as a whole could not be done. What is wrong with one data set is told in its results instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A folder of data sets cannot be read.
    #[error("{}: {cause}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// There is nothing to study.
    #[error("there is no data set in {folders}; expected files such as NAME.vw, NAME.vw.zst, NAME.svm or NAME.csv")]
    NoSets {
        /// Where it was looked for.
        folders: String,
    },
    /// A data set was asked for that is not there.
    #[error("there is no data set {name}; there are {known}")]
    UnknownSet {
        /// Its name.
        name: String,
        /// The names of those that are there.
        known: String,
    },
    /// A result could not be written.
    #[error("cannot write {}: {cause}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// The program that trains could not be read or started.
    #[error("cannot run {}: {cause}", .path.display())]
    Program {
        /// The program.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// The one data set that was asked for cannot be used.
    #[error("{}: {problem}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A run that everything depends on failed.
    #[error("{title}: {problem}")]
    Run {
        /// Which one.
        title: String,
        /// What it said.
        problem: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl StudyError {
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> StudyError {
        move |cause| StudyError::Write { path: path.to_owned(), cause }
    }
}
