use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

use super::file::OpenFile;
use super::{Block, Input, Inputs, Stretches, read_up_to, stretches};
use crate::cache;
use crate::format::Format;
use crate::parse::Layout;
use crate::{DataError, ReadOptions, Shard};

/// How far reading has come, for anyone to look at while it goes on.
#[derive(Clone, Debug)]
pub struct Progress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Progress {
    /// The share of the input's bytes that has been read, if the size is known.
    pub fn fraction(&self) -> Option<f64> {
        let total = self.total.filter(|total| *total > 0)?;
        Some((self.read.load(Ordering::Relaxed) as f64 / total as f64).min(1.0))
    }

    /// How many bytes have been read from files, as they are on disk.
    pub fn bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Reads inputs one after another and cuts them into blocks. Where the cuts fall depends on the content alone.
pub(crate) struct Blocks {
    waiting: std::vec::IntoIter<Input>,
    open: Option<OpenFile>,
    format: Option<(Format, Arc<str>)>,
    options: ReadOptions,
    progress: Progress,
    sequence: u64,
    given: u64,
}

impl Blocks {
    pub(crate) fn new(inputs: &Inputs, options: ReadOptions) -> Blocks {
        let progress = Progress { read: Arc::default(), total: inputs.bytes() };
        let waiting = inputs.iter().cloned().collect::<Vec<_>>().into_iter();
        Blocks { waiting, open: None, format: None, options, progress, sequence: 0, given: 0 }
    }

    pub(crate) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// How many blocks have come out. Those of other parts of the inputs may have been passed over, so this is not the next one's number.
    pub(crate) fn given(&self) -> u64 {
        self.given
    }

    /// Opens the first file, if none is open yet, and gives its format and layout. What is wrong with the first
    /// bytes of the other files is found here too.
    pub(crate) fn peek(&mut self) -> Result<Option<(Format, &Layout)>, DataError> {
        if self.open.is_none() {
            self.open_next()?;
            self.check_waiting()?;
        }
        Ok(self.open.as_ref().map(|open| (open.format, &open.layout)))
    }

    /// Fills `block` with the next stretch of the input. False at the end of all inputs.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<bool, DataError> {
        loop {
            if self.open.is_none() && !self.open_next()? {
                return Ok(false);
            }
            let Some(open) = &mut self.open else { return Ok(false) };
            let filled = match open.format {
                Format::Cache => open.next_of_cache(block)?,
                _ => open.next_of_text(block)?,
            };
            if !filled {
                self.open = None;
                continue;
            }
            block.sequence = self.sequence;
            self.sequence += 1;
            let in_turn = |shard: Shard| open.stretches.is_some() || shard.takes(block.sequence);
            block.wanted = self.options.shard.is_none_or(in_turn);
            block.stretches.clone_from(&open.stretches);
            if block.wanted || open.format == Format::Cache {
                break;
            }
        }
        if self.options.hash_blocks {
            block.hash = xxh3_64(&block.bytes);
        }
        self.given += 1;
        Ok(true)
    }

    /// Finds out now what would stop the work later: files that are not there, or of another format.
    fn check_waiting(&mut self) -> Result<(), DataError> {
        let regular =
            |input: &&Input| !matches!(input, Input::File(path) if path.exists() && !path.is_file() && !path.is_dir());
        for input in self.waiting.clone().as_slice().iter().filter(regular).filter(|input| **input != Input::Standard) {
            let name = input.name();
            let mut start = Vec::new();
            let reader = input.open(Arc::default())?;
            reader.take(1 << 16).read_to_end(&mut start).map_err(|cause| DataError::io(&name, cause))?;
            if start.is_empty() {
                return Err(DataError::Empty { name });
            }
            self.settle_format(&name, &start)?;
        }
        Ok(())
    }

    fn open_next(&mut self) -> Result<bool, DataError> {
        while self.open.is_none() {
            let Some(input) = self.waiting.next() else { return Ok(false) };
            let (name, read) = (input.name(), Arc::clone(&self.progress.read));
            let Some(stretches) = self.stretches_of(&input) else {
                self.open_reader(name, input.open(read)?)?;
                break;
            };
            let reader = stretches.open(read).map_err(|cause| DataError::io(&name, cause))?;
            match self.open_reader(name, Box::new(reader)) {
                // It is only that no line begins in what is wanted of it.
                Err(DataError::Empty { .. }) => {}
                opened => opened?,
            }
            if let Some(open) = &mut self.open {
                open.stretches = Some(Arc::new(stretches));
            }
        }
        Ok(true)
    }

    /// What is wanted of a file that may be read in pieces: of one whose lines are examples and that is not compressed. Where a record of a
    /// table begins, none can say who has not read what comes before it.
    fn stretches_of(&self, input: &Input) -> Option<Stretches> {
        let shard = self.options.shard?;
        let lines = matches!(self.options.format?, Format::Vw | Format::Svmlight);
        let Input::File(path) = input else { return None };
        let length = self.options.block_bytes as u64;
        (lines && stretches::is_plain(path)).then(|| Stretches { path: path.clone(), shard, length })
    }

    /// Goes on with what `reader` gives.
    pub(crate) fn open_reader(&mut self, name: Arc<str>, mut reader: Box<dyn Read + Send>) -> Result<(), DataError> {
        let block_bytes = self.options.block_bytes;
        let mut rest = Vec::with_capacity(block_bytes + 1);
        let ended = read_up_to(&mut reader, block_bytes, &mut rest).map_err(|cause| DataError::io(&name, cause))?;
        if rest.is_empty() {
            return Err(DataError::Empty { name });
        }
        let format = self.settle_format(&name, &rest)?;
        let mut open = OpenFile {
            name,
            stretches: None,
            reader,
            format,
            layout: Layout::default(),
            rest,
            ended,
            block_bytes,
            line: 1,
            delimiter: None,
            tally: cache::Tally::default(),
        };
        open.read_header(&self.options)?;
        self.options.schema = open.layout.schema().or(self.options.schema.take());
        self.open = Some(open);
        Ok(())
    }

    fn settle_format(&mut self, name: &Arc<str>, start: &[u8]) -> Result<Format, DataError> {
        let told = self.options.format.or_else(|| match Format::of_content(start) {
            // A cache is known by its magic alone; otherwise the name says more than the first line does.
            Some(Format::Cache) => Some(Format::Cache),
            content => Format::of_name(name).filter(|format| *format != Format::Cache).or(content),
        });
        let format = told.ok_or_else(|| DataError::UnknownFormat { name: Arc::clone(name) })?;
        match &self.format {
            Some((first_format, first)) if *first_format != format => Err(DataError::MixedFormats {
                first: Arc::clone(first),
                first_format: *first_format,
                other: Arc::clone(name),
                other_format: format,
            }),
            _ => {
                self.format.get_or_insert((format, Arc::clone(name)));
                Ok(format)
            }
        }
    }
}
