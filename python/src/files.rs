//! Files to learn from and to predict, read as the command line reads them.

use std::num::NonZero;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use russet_data::{CsvOptions, Format, Inputs, OnError, ReadOptions, Schema, Stream, class_names, count_examples};

use crate::course::Course;
use crate::errors::{Error, in_python};

/// Files with the way to read them.
pub(crate) struct Files {
    pub(crate) inputs: Inputs,
    pub(crate) options: ReadOptions,
}

impl Files {
    /// From the words that name them, and keyword arguments called as the command line's flags.
    pub(crate) fn extract(paths: &[String], options: &Bound<'_, PyDict>, labels: bool) -> PyResult<Files> {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let read = ReadOptions {
            format: given::<String>(options, "format")?.map(|name| format_named(&name)).transpose()?,
            on_error: on_error_named(given::<String>(options, "on_error")?.as_deref().unwrap_or("stop"))?,
            labels,
            threads: given(options, "readers")?.unwrap_or_else(cores).max(1),
            csv: csv_options(options)?,
            ..ReadOptions::default()
        };
        Ok(Files { inputs: Inputs::find(paths).map_err(Error::from)?, options: read })
    }

    /// Goes through the files `passes` times; epochs are spaced over `examples`, or over what is counted.
    pub(crate) fn learn(
        mut self,
        course: &mut Course<'_>,
        passes: u32,
        examples: Option<u64>,
        schema: Option<Schema>,
    ) -> Result<(), Error> {
        let begun = course.learners.examples() > 0;
        self.settle_columns(schema)?;
        if !self.inputs.can_reread() && passes > 1 {
            return Err(Error::data("several passes need files that can be read again"));
        }
        course.length = match examples {
            Some(examples) => Some(examples),
            None if begun || !self.inputs.can_reread() => None,
            None => Some(count_examples(&self.inputs, &self.options)? * u64::from(passes)),
        };
        if let Some(length) = course.length {
            course.learners.set_course_length(length);
        }
        (0..passes).try_for_each(|pass| self.pass(course, pass, passes))?;
        if course.learners.examples() == 0 {
            return Err(Error::data("there is no example to learn from in the data"));
        }
        Ok(())
    }

    /// Reads as the model to go on with did; otherwise looks for all classes, where there are more than two.
    fn settle_columns(&mut self, schema: Option<Schema>) -> Result<(), Error> {
        if let Some(schema) = schema {
            if let Some(contradiction) = schema.contradiction(&self.options.csv) {
                return Err(Error::data(in_python(&contradiction)));
            }
            self.options.schema = Some(schema.into());
        } else if self.options.csv.classes.is_none() && self.inputs.can_reread() {
            self.options.csv.classes = class_names(&self.inputs, &self.options)?;
        }
        Ok(())
    }

    fn pass(&self, course: &mut Course<'_>, pass: u32, passes: u32) -> Result<(), Error> {
        let mut stream = self.open(course.flag())?;
        course.learners.set_pass(pass, passes);
        if let Some(schema) = stream.schema() {
            course.learners.separate(schema.label.classes.as_deref().unwrap_or_default())?;
            course.learners.attach(SCHEMA, serde_json::to_string(&**schema).ok());
        }
        while let Some(parsed) = stream.next_unless(course.flag())? {
            let on_error = self.options.on_error;
            course.learn(&parsed.batch, |error| {
                // A cache may hold what was an empty line: nothing is missing there.
                let example = parsed.batch.example(error.place);
                let empty = example.label.value.is_none() && example.codes.is_empty();
                if on_error == OnError::Skip || empty {
                    return Ok(());
                }
                Err(Error::data(format!("{}:{}:1: {}", parsed.block.name, error.line, error.problem)))
            })?;
            stream.recycle(parsed);
        }
        course.check()
    }

    /// Opens the files; what only tables have must not be asked of others.
    pub(crate) fn open(&self, cancelled: &std::sync::atomic::AtomicBool) -> Result<Stream, Error> {
        let stream = Stream::open_unless(&self.inputs, self.options.clone(), cancelled)?;
        match self.options.csv.first_given().filter(|_| stream.format() != Format::Csv) {
            Some(flag) => Err(Error::data(format!("{flag}= is for tables, but the data is {}", stream.format()))),
            None => Ok(stream),
        }
    }
}

/// A keyword argument, unless it is left out.
fn given<'py, T: FromPyObjectOwned<'py>>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>> {
    let value = options.get_item(name)?.filter(|value| !value.is_none());
    value.map(|value| value.extract().map_err(Into::into)).transpose()
}

/// What keyword arguments say about the columns of a file or a frame.
pub(crate) fn csv_options(options: &Bound<'_, PyDict>) -> PyResult<CsvOptions> {
    Ok(CsvOptions {
        label: given(options, "label")?,
        weight: given(options, "weight")?,
        tag: None,
        numeric: given(options, "numeric")?.unwrap_or_default(),
        categorical: given(options, "categorical")?.unwrap_or_default(),
        ignore: given(options, "ignore")?.unwrap_or_default(),
        classes: given(options, "classes")?,
    })
}

/// The attachment that holds the columns of a table.
pub(crate) const SCHEMA: &str = "schema";

fn format_named(name: &str) -> Result<Format, Error> {
    match name {
        "vw" => Ok(Format::Vw),
        "svmlight" => Ok(Format::Svmlight),
        "csv" => Ok(Format::Csv),
        "cache" => Ok(Format::Cache),
        _ => Err(Error::Settings(format!("format is {name}; it must be vw, svmlight, csv or cache"))),
    }
}

fn on_error_named(name: &str) -> Result<OnError, Error> {
    match name {
        "stop" => Ok(OnError::Stop),
        "skip" => Ok(OnError::Skip),
        _ => Err(Error::Settings(format!("on_error is {name}; it must be stop or skip"))),
    }
}
