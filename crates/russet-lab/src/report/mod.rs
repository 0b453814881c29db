//! The report of a study: one page that needs nothing else, and its figures as files.
//!
//! [`write()`] makes `index.html`, with styles, script and figures inside, and `figures/*.svg`. [`headline()`] gives the
//! counts that the page opens with. `measures.rs` says what relative error and relative time are.
//!
//! In every figure, what stands for a value of the data is a `<g class="mark">` with `data-method`, `data-value` and
//! (where it is of one data set) `data-set`, so that a test can hold the page against `results.json`.

mod figure;
mod headline;
mod interactions;
mod measures;
mod opening;
mod page;
mod palette;
mod paper;
#[cfg(test)]
mod samples;
mod scale;
mod series;
mod svg;
mod tables;
mod text;
mod troubles;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use russet_data::atomic;
use thiserror::Error;

pub use headline::{Counts, Headline, headline};

use crate::study::Results;

/// A report that could not be written.
#[derive(Debug, Error)]
#[error("cannot write {}", path.display())]
pub struct ReportError {
    /// Which file or folder.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Writes the report of a study into a folder, which is made if it is not there. Each file is there whole or not at all.
pub fn write(results: &Results, folder: &Path) -> Result<(), ReportError> {
    let figures = figure::Figures::draw(results);
    let drawings = folder.join("figures");
    fs::create_dir_all(&drawings).map_err(|source| ReportError { path: drawings.clone(), source })?;
    for figure in figures.iter() {
        write_file(drawings.join(format!("{}.svg", figure.key)), &figure.standalone())?;
    }
    write_file(folder.join("index.html"), &page::page(results, &figures))
}

fn write_file(path: PathBuf, text: &str) -> Result<(), ReportError> {
    atomic::write(&path, text.as_bytes()).map_err(|source| ReportError { path, source })
}
