use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

use super::{Input, Inputs, Stretches, stretches};
use crate::cache;
use crate::format::Format;
use crate::parse::{Layout, csv_delimiter, csv_layout, visit_csv_ends};
use crate::{DataError, ReadOptions, Shard};

/// How much text a block aims to hold.
pub const BLOCK_BYTES: usize = 1 << 16;

/// The longest line that is read; a longer one is an error rather than an unbounded amount of memory.
pub const LONGEST_LINE: usize = 1 << 26;

/// A stretch of whole lines of one file (or one block of a cache).
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its number, counted over all inputs.
    pub sequence: u64,
    /// The file it is from.
    pub name: Arc<str>,
    /// The line it begins on, counted from 1.
    pub first_line: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// A hash of its bytes, if that was asked for.
    pub hash: u64,
    /// Whether it belongs to the part of the inputs that is wanted.
    pub(crate) wanted: bool,
    /// Set if only stretches of the file are read: lines are then counted within these.
    pub(crate) stretches: Option<Arc<Stretches>>,
    pub(crate) layout: Layout,
}

impl Block {
    /// True if it belongs to the part of the inputs that is wanted.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// The line of the file, counted from 1, that `line` is; examples count within what is read of the file.
    pub fn line_in_file(&self, line: u64) -> u64 {
        // Should the file have gone since, at least some line is named.
        self.stretches.as_ref().and_then(|stretches| stretches.line_in_file(line).ok()).unwrap_or(line)
    }
}

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

struct OpenFile {
    name: Arc<str>,
    stretches: Option<Arc<Stretches>>,
    reader: Box<dyn Read + Send>,
    format: Format,
    layout: Layout,
    /// What was read past the last cut.
    rest: Vec<u8>,
    ended: bool,
    /// How much text a block aims to hold.
    block_bytes: usize,
    line: u64,
    /// CSV only: what is between fields.
    delimiter: Option<u8>,
    /// Cache only: what its blocks have had so far.
    tally: cache::Tally,
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

impl OpenFile {
    /// Reads what stands before the examples.
    fn read_header(&mut self, options: &ReadOptions) -> Result<(), DataError> {
        let taken = match self.format {
            Format::Csv => {
                self.read_until_record()?;
                let (layout, taken) = csv_layout(&self.name, &self.rest, self.ended, options)?;
                self.layout = layout;
                taken
            }
            Format::Cache => {
                let missing = cache::header_length(&self.rest).saturating_sub(self.rest.len());
                let taken = self.reader.by_ref().take(missing as u64).read_to_end(&mut self.rest);
                taken.map_err(|cause| DataError::io(&self.name, cause))?;
                let (header, taken) = cache::read_header(&self.name, &self.rest)?;
                self.layout = header.layout();
                taken
            }
            Format::Vw | Format::Svmlight => 0,
        };
        self.line += memchr::memchr_iter(b'\n', &self.rest[..taken]).count() as u64;
        self.rest.drain(..taken);
        Ok(())
    }

    /// Makes sure that the header is there whole.
    fn read_until_record(&mut self) -> Result<(), DataError> {
        let mut rest = std::mem::take(&mut self.rest);
        while !self.ended && last_end(&rest, Some(csv_delimiter(&rest))).is_none() {
            self.read_more(&mut rest)?;
        }
        self.delimiter = Some(csv_delimiter(&rest));
        self.rest = rest;
        Ok(())
    }

    fn next_of_text(&mut self, block: &mut Block) -> Result<bool, DataError> {
        block.bytes.clear();
        std::mem::swap(&mut block.bytes, &mut self.rest);
        let cut = loop {
            if let Some(cut) = last_end(&block.bytes, self.delimiter) {
                break cut;
            }
            if self.ended {
                break block.bytes.len();
            }
            self.read_more(&mut block.bytes)?;
        };
        if block.bytes.is_empty() {
            return Ok(false);
        }
        self.rest.clear();
        self.rest.extend_from_slice(&block.bytes[cut..]);
        block.bytes.truncate(cut);
        block.first_line = self.line;
        block.name = Arc::clone(&self.name);
        block.layout = self.layout.clone();
        self.line += memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        if !self.ended {
            let mut rest = std::mem::take(&mut self.rest);
            self.read_more(&mut rest)?;
            self.rest = rest;
        }
        Ok(true)
    }

    /// Reads until `bytes` is a block's worth longer than its last cut, or the file ends.
    fn read_more(&mut self, bytes: &mut Vec<u8>) -> Result<(), DataError> {
        if bytes.len() > LONGEST_LINE {
            return Err(DataError::Content {
                name: Arc::clone(&self.name),
                line: self.line_in_file(),
                column: 1,
                message: format!("this line is longer than {} MiB; expected an end of line", LONGEST_LINE >> 20),
            });
        }
        let wanted = if bytes.len() < self.block_bytes { self.block_bytes - bytes.len() } else { bytes.len() };
        let wanted = wanted.min(LONGEST_LINE + 1 - bytes.len());
        let ended = read_up_to(&mut self.reader, wanted, bytes);
        self.ended = ended.map_err(|cause| DataError::io(&self.name, cause))?;
        Ok(())
    }

    /// The line of the file that the next block begins on.
    fn line_in_file(&self) -> u64 {
        let stretches = self.stretches.as_ref();
        stretches.and_then(|stretches| stretches.line_in_file(self.line).ok()).unwrap_or(self.line)
    }

    fn next_of_cache(&mut self, block: &mut Block) -> Result<bool, DataError> {
        block.name = Arc::clone(&self.name);
        block.layout = self.layout.clone();
        block.first_line = self.line;
        cache::read_block(&self.name, &mut self.rest, &mut self.reader, &mut block.bytes, &mut self.tally)
    }
}

/// Adds `wanted` bytes, or all there are: true if there are no more. In as few reads as it takes.
pub(crate) fn read_up_to(reader: &mut impl Read, wanted: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = bytes.len();
    let end = length + wanted;
    bytes.resize(end, 0);
    let outcome = read_whole(reader, &mut bytes[length..]);
    length += outcome.as_ref().map_or(0, |taken| *taken);
    bytes.truncate(length);
    outcome.map(|_| length < end)
}

/// Fills `bytes`, or as much of it as there is to read; gives how many were read.
pub(crate) fn read_whole(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(taken) => length += taken,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Where the last whole line ends or, in CSV with this delimiter, the last whole record: a line break within quotes
/// ends none.
fn last_end(bytes: &[u8], delimiter: Option<u8>) -> Option<usize> {
    match delimiter.filter(|_| memchr::memchr(b'"', bytes).is_some()) {
        None => memchr::memrchr(b'\n', bytes).map(|end| end + 1),
        Some(delimiter) => {
            let mut last = None;
            visit_csv_ends(bytes, delimiter, |end| last = Some(end));
            last
        }
    }
}
