//! Where each pass reads from: the data itself, or the cache that the first pass leaves behind.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use russet::batch::Batch;
use russet_data::atomic::AtomicFile;
use russet_data::cache::{self, CacheFit, CacheHeader, CacheWriter};
use russet_data::{Block, Fingerprint, Format, Inputs, OnError, ReadOptions, Stream};

use super::scratch::Scratch;
use crate::data;
use crate::interrupt;
use crate::output::{UsageError, WriteError, note};

/// The sources of a course's passes.
pub(crate) struct Sources {
    inputs: Inputs,
    options: ReadOptions,
    /// The file the user wants the cache to be kept in.
    kept: Option<PathBuf>,
    several_passes: bool,
    ready: Ready,
    writing: Option<Writing>,
    quiet: bool,
}

/// The cache, as far as it is there.
enum Ready {
    No,
    Kept(PathBuf),
    Temporary(Scratch),
}

enum Writing {
    Kept(CacheWriter<AtomicFile>),
    Temporary(CacheWriter<BufWriter<File>>, Scratch),
}

impl Sources {
    pub(crate) fn new(
        inputs: &Inputs,
        options: ReadOptions,
        kept: Option<&Path>,
        passes: u32,
        must_read_text: bool,
        quiet: bool,
    ) -> Result<Sources> {
        let mut sources = Sources {
            inputs: inputs.clone(),
            options,
            kept: kept.map(Path::to_owned),
            several_passes: passes > 1,
            ready: Ready::No,
            writing: None,
            quiet,
        };
        if let Some(path) = kept.filter(|_| !must_read_text) {
            sources.look_for(path)?;
        }
        Ok(sources)
    }

    /// Uses the kept cache if it fits; if it does not, says why.
    fn look_for(&mut self, path: &Path) -> Result<()> {
        match cache::fits(path, &self.header()) {
            CacheFit::Fits => self.ready = Ready::Kept(path.to_owned()),
            CacheFit::Foreign => {
                let path = path.display();
                return Err(UsageError(format!("{path} is not a russet cache; it would be overwritten")).into());
            }
            CacheFit::Unfit(why) if !self.quiet => {
                note(format_args!("the cache {} is made anew: {why}", path.display()));
            }
            CacheFit::Unfit(_) | CacheFit::Absent => {}
        }
        Ok(())
    }

    fn header(&self) -> CacheHeader {
        let schema = self.options.schema.as_deref().cloned();
        CacheHeader { source: Fingerprint::of(&self.inputs), reading: self.options.reading(), schema }
    }

    pub(crate) fn on_error(&self) -> OnError {
        self.options.on_error
    }

    /// True if a block that the current pass reads is to be learned from: a part of the data may be for others to learn.
    pub(crate) fn takes(&self, block: &Block) -> bool {
        self.reads_cache() || block.is_wanted()
    }

    /// True if the current pass reads a cache that stands for the data.
    pub(crate) fn reads_cache(&self) -> bool {
        !matches!(self.ready, Ready::No)
    }

    /// True if later passes cannot do without the first one.
    pub(crate) fn first_pass_is_needed(&self) -> Result<bool> {
        // Opening a pipe would take its first bytes.
        if !self.inputs.can_reread() {
            return Ok(true);
        }
        Ok(!self.reads_cache() && Stream::open(&self.inputs, self.options.clone())?.format() != Format::Cache)
    }

    /// Opens what a pass reads, and begins a cache if there is use for one.
    pub(crate) fn open(&mut self, pass: u32) -> Result<Stream> {
        let path: Option<&Path> = match &self.ready {
            Ready::No => None,
            Ready::Kept(path) => Some(path),
            Ready::Temporary(scratch) => Some(scratch.path()),
        };
        if let Some(path) = path {
            let options = ReadOptions { format: Some(Format::Cache), shard: None, ..self.options.clone() };
            return Ok(Stream::open(&Inputs::file(path), options)?);
        }
        let stream = Stream::open_unless(&self.inputs, self.options.clone(), interrupt::flag())?;
        if !interrupt::asked() {
            data::check_table_flags(&self.options.csv, stream.format())?;
        }
        let wanted = self.kept.is_some() || self.several_passes;
        if pass == 0 && wanted && stream.format() != Format::Cache {
            let header = CacheHeader { schema: stream.schema().map(|schema| (**schema).clone()), ..self.header() };
            self.writing = Some(self.begin_cache(&header)?);
        }
        Ok(stream)
    }

    fn begin_cache(&self, header: &CacheHeader) -> Result<Writing> {
        if let Some(path) = &self.kept {
            let writer = AtomicFile::create(path).and_then(|file| CacheWriter::new(file, header));
            return Ok(Writing::Kept(writer.map_err(|cause| WriteError::file(path, cause))?));
        }
        let cannot = |cause| WriteError::file(&std::env::temp_dir(), cause);
        let (file, scratch) = Scratch::create().map_err(cannot)?;
        let writer = CacheWriter::new(BufWriter::with_capacity(1 << 16, file), header);
        Ok(Writing::Temporary(writer.map_err(cannot)?, scratch))
    }

    /// Adds a batch to the cache that is being written, if any.
    pub(crate) fn keep(&mut self, batch: &Batch) -> Result<()> {
        let kept = self.kept.as_deref().unwrap_or(Path::new(""));
        match &mut self.writing {
            None => Ok(()),
            Some(Writing::Kept(writer)) => writer.write(batch).map_err(|cause| WriteError::file(kept, cause).into()),
            Some(Writing::Temporary(writer, _)) => {
                writer.write(batch).map_err(|cause| WriteError::file(&std::env::temp_dir(), cause).into())
            }
        }
    }

    /// True if the rest of the data has to be read even if it is not learned from.
    pub(crate) fn needs_the_rest(&self) -> bool {
        matches!(self.writing, Some(Writing::Kept(_)))
    }

    /// Completes the cache that was written; the next pass reads it.
    pub(crate) fn end_pass(&mut self) -> Result<()> {
        match self.writing.take() {
            None => {}
            Some(Writing::Kept(writer)) => {
                let kept = self.kept.clone().unwrap_or_default();
                writer.finish().and_then(AtomicFile::commit).map_err(|cause| WriteError::file(&kept, cause))?;
                self.ready = Ready::Kept(kept);
            }
            Some(Writing::Temporary(writer, scratch)) => {
                let finished = writer.finish().and_then(|mut out| out.flush());
                finished.map_err(|cause| WriteError::file(&std::env::temp_dir(), cause))?;
                self.ready = Ready::Temporary(scratch);
            }
        }
        Ok(())
    }
}
