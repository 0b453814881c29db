//! The binary cache: examples as a reader found them, ready to be learned from again.
//!
//! ```text
//! offset  bytes
//! 0       8     "russetc\n"
//! 8       4     cache version
//! 12      4     length of the header
//! 16      ...   header: JSON with what the cache was made from
//! then          8 XXH3 of all before
//! then blocks:  4 length (not 0), 8 XXH3 of the payload, payload (see `payload`)
//! and the end:  4 zeros, 8 count of examples
//! ```
//! Features are numbered by a dictionary that the blocks declare as they go, but for those that are called by a number.

mod payload;
mod writer;

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use crate::DataError;
use crate::parse::{Layout, Schema};
use crate::source::{Fingerprint, read_up_to, read_whole};

pub(crate) use payload::{count as count_in, decode};
pub use writer::CacheWriter;

pub(crate) const MAGIC: &[u8; 8] = b"russetc\n";

/// The version of the cache format that this build reads and writes.
pub const CACHE_VERSION: u32 = 4;

/// No block is larger: a block holds the examples of one block of text, which is shorter than a line may be.
const LARGEST_BLOCK: usize = 1 << 29;

/// What a cache was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheHeader {
    /// The files it was made from, if they were files.
    pub source: Option<Fingerprint>,
    /// How they were read: two caches of one source differ if this does.
    pub reading: String,
    /// The columns, if the source was a table.
    pub schema: Option<Schema>,
}

/// What the header says to those who read the blocks.
#[derive(Clone, Debug)]
pub(crate) struct CacheLayout {
    pub(crate) schema: Option<Arc<Schema>>,
}

impl CacheHeader {
    pub(crate) fn layout(self) -> Layout {
        Layout::Cache(Arc::new(CacheLayout { schema: self.schema.map(Arc::new) }))
    }
}

/// Why a cache cannot stand in for its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheFit {
    /// It can.
    Fits,
    /// There is none.
    Absent,
    /// What is there is something else.
    Foreign,
    /// It cannot, for this reason.
    Unfit(String),
}

/// Whether the file at `path` is a whole cache of this source, read in this way.
pub fn fits(path: &Path, wanted: &CacheHeader) -> CacheFit {
    let name: Arc<str> = path.to_string_lossy().into();
    // What is not a regular file can be written to, but is never a cache.
    let Some(mut file) = File::open(path).ok().filter(|_| path.is_file()) else { return CacheFit::Absent };
    let mut start = Vec::new();
    let unfit = |why: &str| CacheFit::Unfit(why.to_owned());
    if file.by_ref().take(1 << 24).read_to_end(&mut start).is_err() {
        return unfit("it cannot be read");
    }
    if !start.starts_with(MAGIC) {
        // An empty file is free to be written to.
        return if start.is_empty() { CacheFit::Absent } else { CacheFit::Foreign };
    }
    match read_header(&name, &start) {
        Err(_) => unfit("it is of another version, or damaged"),
        Ok((header, _)) if header.source.is_none() || wanted.source.is_none() => {
            unfit("its source was no file, so it cannot be recognised")
        }
        Ok((header, _)) if header.source != wanted.source => unfit("the data has changed since"),
        Ok((header, _)) if header.reading != wanted.reading => unfit("the data was read with other flags"),
        Ok((header, _)) if wanted.schema.is_some() && header.schema != wanted.schema => {
            unfit("its columns were read otherwise than the model's")
        }
        Ok((_, length)) => {
            let blocks = start[length..].chain(file);
            if is_whole(&name, blocks) { CacheFit::Fits } else { unfit("it is damaged or not complete") }
        }
    }
}

/// Goes through all blocks and their checksums.
fn is_whole(name: &Arc<str>, mut blocks: impl Read) -> bool {
    let (mut buffered, mut payload, mut tally) = (Vec::new(), Vec::new(), Tally::default());
    loop {
        match read_block(name, &mut buffered, &mut blocks, &mut payload, &mut tally) {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
    }
}

fn cut_short(name: &Arc<str>) -> DataError {
    DataError::file(name, "this cache is cut short; make it anew")
}

fn damaged(name: &Arc<str>) -> DataError {
    DataError::file(name, "this cache is damaged; make it anew")
}

const CHECKSUM: usize = 8;

/// No header is larger: it describes a table of a million columns at most.
const LARGEST_HEADER: usize = 1 << 28;

/// What the blocks of a cache have had so far.
#[derive(Default)]
pub(crate) struct Tally {
    /// How many features they have declared.
    declared: u64,
    examples: u64,
}

/// How many bytes the header at the start of `bytes` takes, as far as they tell.
pub(crate) fn header_length(bytes: &[u8]) -> usize {
    let length = bytes.get(12..16).map_or(0, |length| u32::from_le_bytes([length[0], length[1], length[2], length[3]]));
    MAGIC.len() + 8 + (length as usize).min(LARGEST_HEADER) + CHECKSUM
}

/// Reads the header at the start of `bytes`; gives it and where the blocks begin.
pub(crate) fn read_header(name: &Arc<str>, bytes: &[u8]) -> Result<(CacheHeader, usize), DataError> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(DataError::file(name, "this is not a russet cache"));
    };
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(|| cut_short(name))?;
    let version = u32::from_le_bytes(*version);
    if version != CACHE_VERSION {
        let message =
            format!("this cache has version {version}; this russet reads version {CACHE_VERSION}; make it anew");
        return Err(DataError::file(name, message));
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(|| cut_short(name))?;
    let length = u32::from_le_bytes(*length) as usize;
    let header = rest.get(..length).ok_or_else(|| cut_short(name))?;
    let checksum = rest.get(length..length + CHECKSUM).ok_or_else(|| cut_short(name))?;
    let end = MAGIC.len() + 8 + length;
    if payload::u64_at(checksum) != xxh3_64(&bytes[..end]) {
        return Err(damaged(name));
    }
    let header = serde_json::from_slice(header).map_err(|_| damaged(name))?;
    Ok((header, end + CHECKSUM))
}

/// What stands before a payload: its length and its hash; or the end.
const BLOCK_START: usize = 12;

/// Reads the next block's payload into `payload`; `buffered` comes before what `reader` gives. False at the end.
pub(crate) fn read_block(
    name: &Arc<str>,
    buffered: &mut Vec<u8>,
    reader: &mut impl Read,
    payload: &mut Vec<u8>,
    tally: &mut Tally,
) -> Result<bool, DataError> {
    let failed = |cause| DataError::io(name, cause);
    fill(buffered, reader, BLOCK_START).map_err(failed)?;
    let start: [u8; BLOCK_START] = *buffered.first_chunk().ok_or_else(|| cut_short(name))?;
    let length = u32::from_le_bytes([start[0], start[1], start[2], start[3]]) as usize;
    let hash = payload::u64_at(&start[4..]);
    if length == 0 {
        fill(buffered, reader, BLOCK_START + 1).map_err(failed)?;
        // In the place of a hash there is the count of examples.
        let is_end = buffered.len() == BLOCK_START && hash == tally.examples;
        return if is_end { Ok(false) } else { Err(damaged(name)) };
    }
    if length > LARGEST_BLOCK {
        return Err(damaged(name));
    }
    buffered.drain(..BLOCK_START);
    read_payload(buffered, reader, length, payload).map_err(failed)?;
    if payload.len() < length {
        return Err(cut_short(name));
    }
    if xxh3_64(payload) != hash || !payload::follows(payload, &mut tally.declared) {
        return Err(damaged(name));
    }
    tally.examples += payload::count(payload) as u64;
    Ok(true)
}

/// A length that is damaged should not take memory for what is not there.
const STEP: usize = 1 << 20;

/// Reads until `buffered` has at least `wanted` bytes, or the file ends.
fn fill(buffered: &mut Vec<u8>, reader: &mut impl Read, wanted: usize) -> io::Result<()> {
    let missing = wanted.saturating_sub(buffered.len());
    if missing > 0 {
        read_up_to(reader, missing, buffered)?;
    }
    Ok(())
}

/// Reads `length` bytes, or as many as there are, in one call where that will do: with what stands before the next payload, which is left in
/// `buffered`. What `payload` had is written over, not cleared first.
fn read_payload(
    buffered: &mut Vec<u8>,
    reader: &mut impl Read,
    length: usize,
    payload: &mut Vec<u8>,
) -> io::Result<()> {
    if let Some(whole) = buffered.get(..length) {
        payload.clear();
        payload.extend_from_slice(whole);
        buffered.drain(..length);
        return Ok(());
    }
    let (mut filled, wanted) = (buffered.len(), length + BLOCK_START);
    while filled < wanted {
        let end = wanted.min(filled + STEP);
        payload.resize(end, 0);
        if !buffered.is_empty() {
            payload[..filled].copy_from_slice(buffered);
            buffered.clear();
        }
        filled += read_whole(reader, &mut payload[filled..])?;
        if filled < end {
            break;
        }
    }
    payload.truncate(filled);
    if filled > length {
        buffered.extend(payload.drain(length..));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use russet::batch::{Batch, Dictionary, Label};

    /// Gives at most so many bytes a call.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(self.1);
            self.0.read(&mut buffer[..length])
        }
    }

    /// A cache of blocks with so many features.
    fn cache(blocks: &[u32]) -> Vec<u8> {
        let mut writer = CacheWriter::new(Vec::new(), &CacheHeader::default()).unwrap();
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        for features in blocks {
            batch.start(&mut dictionary);
            (0..*features).for_each(|number| batch.push_number(number, number as f32 + 0.5));
            batch.end_example(Label::new(1.0), b"", 1);
            writer.write(&batch).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The lengths of all payloads, of which the first bytes have been read before.
    fn lengths(bytes: &[u8], buffered: usize, a_call: usize) -> Result<Vec<usize>, DataError> {
        let name: Arc<str> = "bytes".into();
        let (_, start) = read_header(&name, bytes)?;
        let (buffered, rest) = bytes[start..].split_at(buffered.min(bytes.len() - start));
        let (mut buffered, mut reader) = (buffered.to_vec(), Slow(rest, a_call));
        let (mut payload, mut tally, mut lengths) = (Vec::new(), Tally::default(), Vec::new());
        while read_block(&name, &mut buffered, &mut reader, &mut payload, &mut tally)? {
            lengths.push(payload.len());
        }
        Ok(lengths)
    }

    #[test]
    fn blocks_are_read_whole_however_their_bytes_come() {
        let blocks = [1, 500_000, 3, 200, 0, 400_000];
        let bytes = cache(&blocks);
        let wanted = lengths(&bytes, usize::MAX, usize::MAX).unwrap();
        assert_eq!(wanted.len(), blocks.len());
        assert!(wanted[1] > 3 * STEP);
        for (buffered, a_call) in [(0, usize::MAX), (5, 7), (12, 4096), (1000, usize::MAX), (2_000_000, 1 << 16)] {
            assert_eq!(lengths(&bytes, buffered, a_call).unwrap(), wanted, "{buffered} {a_call}");
        }
        for cut in [1, 11, 12, 13, 24, 1_000_000] {
            let error = lengths(&bytes[..bytes.len() - cut], 1000, 4096).unwrap_err().to_string();
            assert!(error.contains("cut short"), "{cut}: {error}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(lengths(&longer, 1000, 4096).unwrap_err().to_string().contains("damaged"));
    }
}
