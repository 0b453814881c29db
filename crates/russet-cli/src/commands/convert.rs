//! `russet convert`: data in another format, or as a cache.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use russet::batch::Batch;
use russet_data::atomic::{self, AtomicFile};
use russet_data::cache::{CacheHeader, CacheWriter};
use russet_data::write::{Columns, Compressed, CsvWriter, ExampleWriter, SvmlightWriter, VwWriter};
use russet_data::{Fingerprint, Format, Inputs, ReadOptions, Stream};

use crate::args::ConvertArgs;
use crate::data::{self, Skipped};
use crate::interrupt;
use crate::output::{UsageError, WriteError, count, note};

pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let name = args.output.to_string_lossy().into_owned();
    let format = Format::of_name(&name).ok_or_else(|| {
        UsageError(format!("{name}: the ending does not tell the format; expected .vw, .svm, .csv, .tsv or .cache"))
    })?;
    if format == Format::Cache && !name.ends_with(".cache") {
        return Err(
            UsageError(format!("{name}: a cache is not compressed; expected a name that ends in .cache")).into()
        );
    }
    interrupt::watch()?;
    let inputs = args.data.inputs()?;
    data::check_output(Some(&args.output), &inputs)?;
    let conversion = Conversion { args, inputs, name: &name };
    let examples = match format {
        Format::Cache => conversion.to_cache()?,
        Format::Vw => conversion.to_text(&mut VwWriter::default())?,
        Format::Svmlight => conversion.to_svmlight()?,
        Format::Csv => conversion.to_csv()?,
    };
    if !args.quiet {
        note(format_args!("wrote {} to {name}", count(examples, "example")));
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
        let options = data::with_all_classes(self.options(), &self.inputs, false)?;
        let mut stream = Stream::open_unless(&self.inputs, options.clone(), interrupt::flag())?;
        let header = CacheHeader {
            source: Fingerprint::of(&self.inputs),
            reading: options.reading(),
            schema: stream.schema().map(|schema| (**schema).clone()),
        };
        let file = AtomicFile::create(&self.args.output).map_err(|cause| self.cannot(cause))?;
        let mut writer = CacheWriter::new(file, &header).map_err(|cause| self.cannot(cause))?;
        let examples =
            self.for_each(&mut stream, |batch| Ok(writer.write(batch).map_err(|cause| self.cannot(cause))?))?;
        writer.finish().and_then(AtomicFile::commit).map_err(|cause| self.cannot(cause))?;
        Ok(examples)
    }

    /// Opens what is to be written as text, where the label is one number: of several classes the names would be lost.
    fn open_for_text(&self) -> Result<Stream> {
        let stream = Stream::open_unless(&self.inputs, self.options(), interrupt::flag())?;
        let classes = stream.schema().and_then(|schema| schema.label.classes.as_ref()).map_or(0, Vec::len);
        if classes > 2 {
            return Err(
                UsageError("the label has more than two classes; only a cache keeps their names".to_owned()).into()
            );
        }
        Ok(stream)
    }

    fn to_text(&self, writer: &mut dyn ExampleWriter) -> Result<u64> {
        let mut stream = self.open_for_text()?;
        let file = AtomicFile::create(&self.args.output).map_err(|cause| self.cannot(cause))?;
        let mut out = Compressed::by_name(self.name, file)?;
        let examples = self
            .for_each(&mut stream, |batch| Ok(writer.write(batch, &mut out).map_err(|cause| self.cannot(cause))?))?;
        out.flush().map_err(|cause| self.cannot(cause))?;
        out.finish().and_then(AtomicFile::commit).map_err(|cause| self.cannot(cause))?;
        Ok(examples)
    }

    /// Features with names are numbered; which is which goes to a second file.
    fn to_svmlight(&self) -> Result<u64> {
        let mut writer = SvmlightWriter::default();
        let examples = self.to_text(&mut writer)?;
        if writer.dropped() > 0 && !self.args.quiet {
            let dropped = count(writer.dropped(), "example");
            note(format_args!("svmlight has no importance, base prediction or tag: dropped from {dropped}"));
        }
        if let Some(names) = writer.names() {
            let lines = names
                .iter()
                .enumerate()
                .map(|(place, name)| format!("{}\t{}\n", place + 1, String::from_utf8_lossy(name)));
            let path = format!("{}.names", self.name);
            atomic::write(path.as_ref(), lines.collect::<String>().as_bytes())
                .map_err(|cause| WriteError::file(path.as_ref(), cause))?;
            if !self.args.quiet {
                note(format_args!("features are numbered from 1; their names are in {path}"));
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
        let mut stream = self.open_for_text()?;
        while let Some(parsed) = stream.next_unless(interrupt::flag())? {
            interrupt::check()?;
            columns.add(&parsed.batch).map_err(|cause| self.cannot(cause))?;
            stream.recycle(parsed);
        }
        let delimiter = if self.name.contains(".tsv") || self.name.contains(".tab") { b'\t' } else { b',' };
        let (dropped, flags) = (columns.bases(), columns.flags());
        let examples = self.to_text(&mut CsvWriter::new(columns, delimiter))?;
        if !self.args.quiet && !flags.is_empty() {
            note(format_args!("read it again with --label label{flags}"));
        }
        if dropped > 0 && !self.args.quiet {
            note(format_args!("a table has no base prediction: dropped from {}", count(dropped, "example")));
        }
        Ok(examples)
    }

    /// Calls `write` for every batch; gives the number of examples.
    fn for_each(&self, stream: &mut Stream, mut write: impl FnMut(&Batch) -> Result<()>) -> Result<u64> {
        data::check_table_flags(&self.options().csv, stream.format())?;
        let (mut examples, mut skipped) = (0, Skipped::default());
        while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
            interrupt::check()?;
            skipped.add(&mut parsed);
            examples += parsed.batch.len() as u64;
            write(&parsed.batch)?;
            stream.recycle(parsed);
        }
        interrupt::check()?;
        if !self.args.quiet {
            skipped.report();
        }
        Ok(examples)
    }

    fn cannot(&self, cause: io::Error) -> WriteError {
        WriteError::file(&self.args.output, cause)
    }
}
