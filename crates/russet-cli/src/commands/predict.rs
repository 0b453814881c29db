//! `russet predict`: one prediction a line, with the example's tag.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use russet::loss::LossKind;
use russet::metrics::Task;
use russet_data::atomic::AtomicFile;

use crate::args::PredictArgs;
use crate::output::UsageError;
use crate::{data, model_file};

pub(crate) fn run(args: &PredictArgs) -> Result<ExitCode> {
    let model = model_file::load(&args.model)?;
    let has_probabilities = model.task() == Task::Classification && model.settings().loss != LossKind::Hinge;
    if args.probability && !has_probabilities {
        return Err(
            UsageError("--probability needs a model of two classes, not trained with hinge loss".to_owned()).into()
        );
    }
    let inputs = args.data.inputs()?;
    let write_all = |out: &mut dyn Write| {
        data::for_each_prediction(&model, &inputs, args.data.options(false), 0, |predicted, example| {
            let value = predicted.probability.filter(|_| args.probability).unwrap_or(predicted.value);
            write!(out, "{value}")?;
            if !example.tag.is_empty() {
                out.write_all(b" ")?;
                out.write_all(example.tag)?;
            }
            out.write_all(b"\n")?;
            Ok(())
        })
    };
    let skipped = match &args.output {
        Some(path) => {
            let cannot = || format!("cannot write {}", path.display());
            let mut file = AtomicFile::create(path).with_context(cannot)?;
            let skipped = write_all(&mut file)?;
            file.commit().with_context(cannot)?;
            skipped
        }
        None => {
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            let skipped = write_all(&mut out)?;
            out.flush()?;
            skipped
        }
    };
    skipped.report();
    Ok(ExitCode::SUCCESS)
}
