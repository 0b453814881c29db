//! Going through data with a fixed model, and keeping count of lines that were passed over.

use std::path::Path;

use anyhow::Result;
use russet::Model;
use russet::batch::{Batch, Example};
use russet::metrics::{Evaluation, Scores};
use russet::model::{Predicted, Predictor};
use russet_data::atomic::AtomicFile;
use russet_data::{CsvOptions, Format, Inputs, Parsed, ReadOptions, Stream};
use serde::{Deserialize, Serialize};

use crate::output::{UsageError, WriteError, count, note};
use crate::{interrupt, model_file};

/// Lines that were passed over because of errors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Skipped {
    count: u64,
    first: Option<String>,
}

impl Skipped {
    /// Takes note of what the reader passed over in a block.
    pub(crate) fn add(&mut self, parsed: &mut Parsed) {
        self.count += parsed.skipped;
        if self.first.is_none() {
            self.first = parsed.complaint.take();
        }
    }

    /// Takes note of one more line.
    pub(crate) fn add_one(&mut self, complaint: String) {
        self.count += 1;
        self.first.get_or_insert(complaint);
    }

    /// Takes note of what another part of the work passed over.
    pub(crate) fn merge(&mut self, other: &Skipped) {
        self.count += other.count;
        self.first = self.first.take().or_else(|| other.first.clone());
    }

    /// Tells the user, if there were any.
    pub(crate) fn report(&self) {
        if let Some(first) = &self.first {
            note(format_args!("skipped {} with errors; the first: {first}", count(self.count, "line")));
        }
    }
}

/// Makes sure, before the work, that an output can be written and is not one of the inputs.
pub(crate) fn check_output(output: Option<&Path>, inputs: &Inputs) -> Result<()> {
    let Some(path) = output else { return Ok(()) };
    if inputs.contain(path) {
        let path = path.display();
        return Err(UsageError(format!("{path} is among the data; it would be overwritten")).into());
    }
    AtomicFile::create(path).map(drop).map_err(|cause| WriteError::file(path, cause).into())
}

/// Refuses flags about columns where the data has none.
pub(crate) fn check_table_flags(flags: &CsvOptions, format: Format) -> Result<()> {
    match flags.first_given().filter(|_| format != Format::Csv) {
        Some(flag) => Err(UsageError(format!("--{flag} is for tables, but the data is {format}")).into()),
        None => Ok(()),
    }
}

/// Predicts every example after the first `from`.
pub(crate) fn for_each_prediction(
    model: &Model,
    inputs: &Inputs,
    options: ReadOptions,
    from: u64,
    mut visit: impl FnMut(&Predicted<'_>, &Example<'_>) -> Result<()>,
) -> Result<Skipped> {
    for_each_example(model, inputs, options, from, |predictor, batch, example| {
        visit(&predictor.predict(batch, example), example)
    })
}

/// Visits every example after the first `from`, with a predictor for it.
pub(crate) fn for_each_example(
    model: &Model,
    inputs: &Inputs,
    mut options: ReadOptions,
    from: u64,
    mut visit: impl FnMut(&mut Predictor<'_>, &Batch, &Example<'_>) -> Result<()>,
) -> Result<Skipped> {
    options.schema = model_file::schema(model, &options.csv)?.or(options.schema);
    let flags = options.csv.clone();
    let mut stream = Stream::open_unless(inputs, options, interrupt::flag())?;
    if !interrupt::asked() {
        check_table_flags(&flags, stream.format())?;
    }
    let mut predictor = model.predictor();
    let (mut skipped, mut passed) = (Skipped::default(), 0);
    while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
        interrupt::check()?;
        skipped.add(&mut parsed);
        let batch: &Batch = &parsed.batch;
        predictor.begin(batch);
        let first = (from - passed).min(batch.len() as u64);
        passed += first;
        for place in first as usize..batch.len() {
            visit(&mut predictor, batch, &batch.example(place))?;
        }
        stream.recycle(parsed);
    }
    interrupt::check()?;
    Ok(skipped)
}

/// How well a model predicts the examples after the first `from`.
pub(crate) fn evaluate(model: &Model, inputs: &Inputs, options: ReadOptions, from: u64) -> Result<(Scores, Skipped)> {
    let mut evaluation = Evaluation::new(model.settings().loss, model.progress().labels);
    let options = ReadOptions { labels: true, ..options };
    let skipped = for_each_prediction(model, inputs, options, from, |predicted, example| {
        if let Some(label) = example.label.value {
            evaluation.add(predicted, label, example.label.importance);
        }
        Ok(())
    })?;
    Ok((evaluation.scores(), skipped))
}
