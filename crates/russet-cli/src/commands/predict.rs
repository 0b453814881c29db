//! `russet predict`: one prediction a line, with the example's tag; or with what made it.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use russet::batch::{Batch, Example};
use russet::classes::{ClassPredicted, ClassPredictor, Models};
use russet::loss::LossKind;
use russet::metrics::Task;
use russet_data::atomic::AtomicFile;

use super::explain;
use crate::args::PredictArgs;
use crate::output::{UsageError, WriteError};
use crate::{data, interrupt, lines, model_file};

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode> {
    interrupt::watch()?;
    let model = model_file::load(&args.model)?;
    let has_probabilities = model.task() == Task::Classification && model.settings().loss != LossKind::Hinge;
    if args.probability && !has_probabilities {
        let message = "--probability needs a model of classes, not trained with hinge loss";
        return Err(UsageError(message.to_owned()).into());
    }
    data::check_output(args.output.as_deref(), &args.data.inputs()?)?;
    let skipped = match &args.output {
        Some(path) => {
            let cannot = |cause| WriteError::file(path, cause);
            let mut file = AtomicFile::create(path).map_err(cannot)?;
            let skipped = predict(args, &model, &mut file, cannot)?;
            file.commit().map_err(cannot)?;
            skipped
        }
        None => {
            let cannot = WriteError::standard_output;
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            let skipped = predict(args, &model, &mut out, cannot)?;
            out.flush().map_err(cannot)?;
            skipped
        }
    };
    skipped.report();
    Ok(ExitCode::SUCCESS)
}

fn predict(
    args: &PredictArgs,
    models: &Models,
    out: &mut impl Write,
    cannot: impl Fn(io::Error) -> WriteError,
) -> Result<data::Skipped> {
    let (inputs, options) = (args.data.inputs()?, args.data.options(false));
    if let Some(most) = args.explain {
        return data::for_each_example(models, &inputs, options, 0, |predictor, batch, example| {
            // Of several classes, the model of the one that is predicted has the say.
            let class = if models.only().is_some() { 0 } else { predictor.predict(batch, example).class };
            let name = models.names().get(class).map(String::as_str);
            let explanation = predictor.of_class(class).explain(batch, example).shortened(most.unwrap_or(usize::MAX));
            let written = if args.json {
                explain::write_json(out, &explanation, name, example.tag)
            } else {
                let value = explanation.predicted.value;
                let name = name.map_or(String::new(), |name| format!("{name} "));
                write!(out, "{name}{value}")
                    .and_then(|()| end_line(out, example.tag))
                    .and_then(|()| explain::write_lines(out, &explanation))
            };
            written.map_err(|cause| cannot(cause).into())
        });
    }
    let line = |predictor: &mut ClassPredictor<'_>, batch: &Batch, example: &Example<'_>, text: &mut Vec<u8>| {
        let written = match models.only() {
            Some(_) => {
                let predicted = predictor.of_class(0).predict(batch, example);
                let value = predicted.probability.filter(|_| args.probability).unwrap_or(predicted.value);
                write!(text, "{value}")
            }
            None => write_class(text, models, &predictor.predict(batch, example), args.probability),
        };
        written.and_then(|()| end_line(text, example.tag)).expect("there is memory to write to");
    };
    lines::write_all(models, &inputs, options, line, |text| Ok(out.write_all(text).map_err(&cannot)?))
}

/// The name of the class; with `probabilities`, those of all classes in their order instead.
fn write_class(
    out: &mut impl Write,
    models: &Models,
    predicted: &ClassPredicted<'_, '_>,
    probabilities: bool,
) -> io::Result<()> {
    if !probabilities {
        return out.write_all(models.names()[predicted.class].as_bytes());
    }
    let texts: Vec<String> = predicted.probabilities.iter().map(f32::to_string).collect();
    out.write_all(texts.join(" ").as_bytes())
}

fn end_line(out: &mut impl Write, tag: &[u8]) -> io::Result<()> {
    if !tag.is_empty() {
        out.write_all(b" ")?;
        out.write_all(tag)?;
    }
    out.write_all(b"\n")
}
