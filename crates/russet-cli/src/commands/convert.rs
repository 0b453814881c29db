//! `russet convert`: data in another format, or as a cache.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use russet::batch::Batch;
use russet_data::atomic::{self, AtomicFile};
use russet_data::cache::{CacheHeader, CacheWriter};
use russet_data::write::{Columns, Compressed, CsvWriter, ExampleWriter, SvmlightWriter, VwWriter};
use russet_data::{Fingerprint, Format, Inputs, ReadOptions, Stream};

use crate::args::ConvertArgs;
use crate::data::Skipped;
use crate::model_file::plain;
use crate::output::{UsageError, thousands};

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let name = args.output.to_string_lossy().into_owned();
    let format = Format::of_name(&name).ok_or_else(|| {
        UsageError(format!("{name}: the ending does not tell the format; expected .vw, .svm, .csv, .tsv or .cache"))
    })?;
    let inputs = args.data.inputs()?;
    let conversion = Conversion { args, inputs, name: &name };
    let examples = match format {
        Format::Cache => conversion.to_cache()?,
        Format::Vw => conversion.to_text(&mut VwWriter::default())?,
        Format::Svmlight => conversion.to_svmlight()?,
        Format::Csv => conversion.to_csv()?,
    };
    if !args.quiet {
        eprintln!("wrote {} examples to {name}", thousands(examples));
    }
    Ok(ExitCode::SUCCESS)
}

struct Conversion<'a> {
    args: &'a ConvertArgs,
    inputs: Inputs,
    name: &'a str,
}

impl Conversion<'_> {
    /// A cache keeps labels optional, as predicting needs none; training says so where one is missing.
    fn options(&self) -> ReadOptions {
        self.args.data.options(false)
    }

    fn to_cache(&self) -> Result<u64> {
        let options = self.options();
        let mut stream = Stream::open(&self.inputs, options.clone())?;
        let header = CacheHeader {
            source: Fingerprint::of(&self.inputs),
            reading: options.reading(),
            schema: stream.schema().map(|schema| (**schema).clone()),
        };
        let file = AtomicFile::create(&self.args.output).map_err(|error| self.cannot(plain(&error)))?;
        let mut writer = CacheWriter::new(file, &header).map_err(|error| self.cannot(plain(&error)))?;
        let examples =
            self.for_each(&mut stream, |batch| writer.write(batch).map_err(|error| self.cannot(plain(&error))))?;
        writer.finish().and_then(AtomicFile::commit).map_err(|error| self.cannot(plain(&error)))?;
        Ok(examples)
    }

    fn to_text(&self, writer: &mut dyn ExampleWriter) -> Result<u64> {
        let mut stream = Stream::open(&self.inputs, self.options())?;
        let file = AtomicFile::create(&self.args.output).map_err(|error| self.cannot(plain(&error)))?;
        let mut out = Compressed::by_name(self.name, file)?;
        let examples = self
            .for_each(&mut stream, |batch| writer.write(batch, &mut out).map_err(|error| self.cannot(plain(&error))))?;
        out.flush().map_err(|error| self.cannot(plain(&error)))?;
        out.finish().and_then(AtomicFile::commit).map_err(|error| self.cannot(plain(&error)))?;
        Ok(examples)
    }

    /// Features with names are numbered; which is which goes to a second file.
    fn to_svmlight(&self) -> Result<u64> {
        let mut writer = SvmlightWriter::default();
        let examples = self.to_text(&mut writer)?;
        if writer.dropped() > 0 && !self.args.quiet {
            let dropped = thousands(writer.dropped());
            eprintln!("svmlight has no importance, base prediction or tag: dropped from {dropped} examples");
        }
        if let Some(names) = writer.names() {
            let lines = names
                .iter()
                .enumerate()
                .map(|(place, name)| format!("{}\t{}\n", place + 1, String::from_utf8_lossy(name)));
            let path = format!("{}.names", self.name);
            atomic::write(path.as_ref(), lines.collect::<String>().as_bytes())
                .map_err(|error| anyhow!("cannot write {path}: {}", plain(&error)))?;
            if !self.args.quiet {
                eprintln!("features are numbered from 1; their names are in {path}");
            }
        }
        Ok(examples)
    }

    fn to_csv(&self) -> Result<u64> {
        if !self.inputs.can_reread() {
            return Err(
                UsageError("a table needs its columns known first, so its input must be files".to_owned()).into()
            );
        }
        let mut columns = Columns::default();
        let mut stream = Stream::open(&self.inputs, self.options())?;
        while let Some(parsed) = stream.next()? {
            columns.add(&parsed.batch).map_err(|error| self.cannot(error))?;
            stream.recycle(parsed);
        }
        let delimiter = if self.name.contains(".tsv") || self.name.contains(".tab") { b'\t' } else { b',' };
        self.to_text(&mut CsvWriter::new(columns, delimiter))
    }

    /// Calls `write` for every batch; gives the number of examples.
    fn for_each(&self, stream: &mut Stream, mut write: impl FnMut(&Batch) -> Result<()>) -> Result<u64> {
        let (mut examples, mut skipped) = (0, Skipped::default());
        while let Some(mut parsed) = stream.next()? {
            skipped.add(&mut parsed);
            examples += parsed.batch.len() as u64;
            write(&parsed.batch)?;
            stream.recycle(parsed);
        }
        if !self.args.quiet {
            skipped.report();
        }
        Ok(examples)
    }

    fn cannot(&self, reason: impl Display) -> anyhow::Error {
        anyhow!("cannot write {}: {reason}", self.name)
    }
}
