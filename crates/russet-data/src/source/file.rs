use std::io::Read;
use std::sync::Arc;

use super::{Block, LONGEST_LINE, Stretches, read_up_to};
use crate::cache;
use crate::format::Format;
use crate::parse::{Layout, csv_delimiter, csv_layout, visit_csv_ends};
use crate::{DataError, ReadOptions};

pub(super) struct OpenFile {
    pub(super) name: Arc<str>,
    pub(super) stretches: Option<Arc<Stretches>>,
    pub(super) reader: Box<dyn Read + Send>,
    pub(super) format: Format,
    pub(super) layout: Layout,
    /// What was read past the last cut.
    pub(super) rest: Vec<u8>,
    pub(super) ended: bool,
    /// How much text a block aims to hold.
    pub(super) block_bytes: usize,
    pub(super) line: u64,
    /// CSV only: what is between fields.
    pub(super) delimiter: Option<u8>,
    /// Cache only: what its blocks have had so far.
    pub(super) tally: cache::Tally,
}

impl OpenFile {
    /// Reads what stands before the examples.
    pub(super) fn read_header(&mut self, options: &ReadOptions) -> Result<(), DataError> {
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

    pub(super) fn next_of_text(&mut self, block: &mut Block) -> Result<bool, DataError> {
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

    pub(super) fn next_of_cache(&mut self, block: &mut Block) -> Result<bool, DataError> {
        block.name = Arc::clone(&self.name);
        block.layout = self.layout.clone();
        block.first_line = self.line;
        cache::read_block(&self.name, &mut self.rest, &mut self.reader, &mut block.bytes, &mut self.tally)
    }
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
