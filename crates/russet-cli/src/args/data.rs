use std::collections::BTreeSet;
use std::num::NonZero;

use anyhow::Result;
use clap::Args;
use russet_data::{CsvOptions, Inputs, ReadOptions};

use super::choices::{FormatChoice, OnErrorChoice};

/// What to read and how.
#[derive(Args, Debug)]
pub(crate) struct DataArgs {
    /// Files, patterns, or - for standard input
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,

    /// The format, if names and contents do not tell it
    #[arg(long, help_heading = "Reading")]
    pub(crate) format: Option<FormatChoice>,

    /// CSV: the column to predict
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    pub(crate) label: Option<String>,

    /// CSV: the column that says how many examples a row counts for
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    pub(crate) weight: Option<String>,

    /// CSV: the column that predictions carry along
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    pub(crate) tag: Option<String>,

    /// CSV: columns of names, even if they look like numbers
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) categorical: Vec<String>,

    /// CSV: columns of numbers, even if they do not look so
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) numeric: Vec<String>,

    /// CSV: columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) ignore: Vec<String>,

    /// CSV: the names in the label column; of two, the negative class first [default: in alphabetical order]
    #[arg(long, value_name = "NAMES", value_parser = classes, help_heading = "Reading")]
    pub(crate) classes: Option<Classes>,

    /// What to do with a line that cannot be understood
    #[arg(long, default_value = "stop", help_heading = "Reading")]
    pub(crate) on_error: OnErrorChoice,

    /// Threads that parse; with 1, there are no other threads either [default: one for each core]
    #[arg(long, value_name = "N", help_heading = "Reading")]
    pub(crate) readers: Option<NonZero<usize>>,
}

/// The names of classes, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Classes(Vec<String>);

fn classes(text: &str) -> Result<Classes, String> {
    let names: Vec<String> = text.split(',').map(str::to_owned).collect();
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    if names.len() < 2 || !distinct {
        return Err("expected two or more different names, such as no,yes".to_owned());
    }
    Ok(Classes(names))
}

impl DataArgs {
    /// The inputs that the words name.
    pub(crate) fn inputs(&self) -> Result<Inputs> {
        Ok(Inputs::find(&self.data)?)
    }

    /// How to read them; `labels` if every example needs one.
    pub(crate) fn options(&self, labels: bool) -> ReadOptions {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        ReadOptions {
            format: self.format.map(Into::into),
            on_error: self.on_error.into(),
            labels,
            threads: self.readers.map_or_else(cores, NonZero::get),
            csv: CsvOptions {
                label: self.label.clone(),
                weight: self.weight.clone(),
                tag: self.tag.clone(),
                numeric: self.numeric.clone(),
                categorical: self.categorical.clone(),
                ignore: self.ignore.clone(),
                classes: self.classes.as_ref().map(|classes| classes.0.clone()),
            },
            ..ReadOptions::default()
        }
    }
}
