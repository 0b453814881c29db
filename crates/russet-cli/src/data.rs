//! Going through data with a fixed model, and keeping count of lines that were passed over.

use std::path::Path;

use anyhow::Result;
use russet::batch::{Batch, Example};
use russet::classes::{ClassEvaluation, ClassPredictor, Models};
use russet::metrics::{Evaluation, Scores};
use russet_data::atomic::AtomicFile;
use russet_data::{CsvOptions, Format, Inputs, Parsed, ReadOptions, Stream, class_names};
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

/// Where the label column has more than two names, all of them are looked for, unless they are `known` or cannot be.
pub(crate) fn with_all_classes(options: ReadOptions, inputs: &Inputs, known: bool) -> Result<ReadOptions> {
    let mut options = options;
    if !known && options.csv.classes.is_none() && inputs.can_reread() {
        options.csv.classes = class_names(inputs, &options)?;
    }
    Ok(options)
}

/// Refuses flags about columns where the data has none.
pub(crate) fn check_table_flags(flags: &CsvOptions, format: Format) -> Result<()> {
    match flags.first_given().filter(|_| format != Format::Csv) {
        Some(flag) => Err(UsageError(format!("--{flag} is for tables, but the data is {format}")).into()),
        None => Ok(()),
    }
}

/// Opens data to be predicted, with the columns that the models were trained with.
pub(crate) fn open_for(models: &Models, inputs: &Inputs, mut options: ReadOptions) -> Result<Stream> {
    options.schema = model_file::schema(models, &options.csv)?.or(options.schema);
    let flags = options.csv.clone();
    let stream = Stream::open_unless(inputs, options, interrupt::flag())?;
    if !interrupt::asked() {
        check_table_flags(&flags, stream.format())?;
    }
    Ok(stream)
}

/// Visits every example after the first `from`, with a predictor for it.
pub(crate) fn for_each_example(
    models: &Models,
    inputs: &Inputs,
    options: ReadOptions,
    from: u64,
    mut visit: impl FnMut(&mut ClassPredictor<'_>, &Batch, &Example<'_>) -> Result<()>,
) -> Result<Skipped> {
    let mut stream = open_for(models, inputs, options)?;
    let mut predictor = models.predictor();
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
pub(crate) fn evaluate(models: &Models, inputs: &Inputs, options: ReadOptions, from: u64) -> Result<(Scores, Skipped)> {
    let mut of_one = Evaluation::new(models.settings().loss, models.first().progress().labels);
    let mut of_classes = ClassEvaluation::new(models.settings().loss);
    let options = ReadOptions { labels: true, ..options };
    let skipped = for_each_example(models, inputs, options, from, |predictor, batch, example| {
        let Some(label) = example.label.value else { return Ok(()) };
        let importance = example.label.importance;
        match models.only() {
            Some(_) => of_one.add(&predictor.of_class(0).predict(batch, example), label, importance),
            None => of_classes.add(&predictor.predict(batch, example), label as usize, importance),
        }
        Ok(())
    })?;
    Ok((if models.only().is_some() { of_one.scores() } else { of_classes.scores() }, skipped))
}
