//! `russet predict`: one prediction a line, with the example's tag; or with what made it.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use russet::Model;
use russet::loss::LossKind;
use russet::metrics::Task;
use russet_data::atomic::AtomicFile;

use super::explain;
use crate::args::PredictArgs;
use crate::output::{UsageError, WriteError};
use crate::{data, interrupt, model_file};

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode> {
    interrupt::watch()?;
    let model = model_file::load(&args.model)?;
    let has_probabilities = model.task() == Task::Classification && model.settings().loss != LossKind::Hinge;
    if args.probability && !has_probabilities {
        let message = "--probability needs a model of two classes, not trained with hinge loss";
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
    model: &Model,
    out: &mut impl Write,
    cannot: impl Fn(io::Error) -> WriteError,
) -> Result<data::Skipped> {
    let (inputs, options) = (args.data.inputs()?, args.data.options(false));
    if let Some(most) = args.explain {
        return data::for_each_example(model, &inputs, options, 0, |predictor, batch, example| {
            let explanation = predictor.explain(batch, example).shortened(most.unwrap_or(usize::MAX));
            let written = if args.json {
                explain::write_json(out, &explanation, example.tag)
            } else {
                write_line(out, explanation.predicted.value, example.tag)
                    .and_then(|()| explain::write_lines(out, &explanation))
            };
            written.map_err(|cause| cannot(cause).into())
        });
    }
    data::for_each_prediction(model, &inputs, options, 0, |predicted, example| {
        let value = predicted.probability.filter(|_| args.probability).unwrap_or(predicted.value);
        write_line(out, value, example.tag).map_err(|cause| cannot(cause).into())
    })
}

fn write_line(out: &mut impl Write, value: f32, tag: &[u8]) -> io::Result<()> {
    write!(out, "{value}")?;
    if !tag.is_empty() {
        out.write_all(b" ")?;
        out.write_all(tag)?;
    }
    out.write_all(b"\n")
}
