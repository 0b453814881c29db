//! `--cache` on several ranks: one makes it, if need be, and all read it, each its blocks.

use std::path::Path;

use anyhow::Result;
use russet_data::atomic::AtomicFile;
use russet_data::cache::{self, CacheFit, CacheHeader, CacheWriter};
use russet_data::{CsvOptions, Fingerprint, Format, Inputs, ReadOptions, Stream};

use super::Plan;
use super::part::check_classes;
use crate::args::TrainArgs;
use crate::data::{self, Skipped};
use crate::interrupt;
use crate::output::{UsageError, WriteError, note};

/// Makes sure that the cache at `path` fits the data; makes it anew if it does not.
pub(super) fn make(args: &TrainArgs, path: &Path, plan: &Plan) -> Result<Skipped> {
    // Nobody else reads meanwhile.
    let options = ReadOptions { threads: args.data.options(true).threads, ..plan.options.clone() };
    let header = CacheHeader {
        source: Fingerprint::of(&plan.inputs),
        reading: options.reading(),
        schema: options.schema.as_deref().cloned(),
    };
    match cache::fits(path, &header) {
        CacheFit::Fits => return Ok(Skipped::default()),
        CacheFit::Foreign => {
            return Err(UsageError(format!("{} is not a russet cache; it would be overwritten", path.display())).into());
        }
        CacheFit::Unfit(why) if !args.quiet => {
            note(format_args!("the cache {} is made anew: {why}", path.display()));
        }
        CacheFit::Unfit(_) | CacheFit::Absent => {}
    }
    write(path, &plan.inputs, &options, header)
}

fn write(path: &Path, inputs: &Inputs, options: &ReadOptions, header: CacheHeader) -> Result<Skipped> {
    let cannot = |cause| WriteError::file(path, cause);
    let mut stream = Stream::open_unless(inputs, options.clone(), interrupt::flag())?;
    interrupt::check()?;
    data::check_table_flags(&options.csv, stream.format())?;
    check_classes(stream.schema())?;
    let header = CacheHeader { schema: stream.schema().map(|schema| (**schema).clone()), ..header };
    let mut writer = AtomicFile::create(path).and_then(|file| CacheWriter::new(file, &header)).map_err(cannot)?;
    let mut skipped = Skipped::default();
    while let Some(mut parsed) = stream.next_unless(interrupt::flag())? {
        interrupt::check()?;
        skipped.add(&mut parsed);
        writer.write(&parsed.batch).map_err(cannot)?;
        stream.recycle(parsed);
    }
    interrupt::check()?;
    writer.finish().and_then(AtomicFile::commit).map_err(cannot)?;
    Ok(skipped)
}

/// How the cache is read once it is there.
pub(super) fn reading(path: &Path, options: &ReadOptions) -> (Inputs, ReadOptions) {
    // What columns mean is in the cache; flags about them were looked at when it was written.
    let csv = CsvOptions::default();
    (Inputs::file(path), ReadOptions { format: Some(Format::Cache), schema: None, csv, ..options.clone() })
}
