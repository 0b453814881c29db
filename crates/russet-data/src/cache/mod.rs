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
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use crate::DataError;
use crate::parse::{Layout, Schema};
use crate::source::{Fingerprint, read_up_to};

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
            start.drain(..length);
            if is_whole(&name, start, file) { CacheFit::Fits } else { unfit("it is damaged or not complete") }
        }
    }
}

/// Goes through all blocks and their checksums.
fn is_whole(name: &Arc<str>, mut buffered: Vec<u8>, mut file: File) -> bool {
    let (mut payload, mut tally) = (Vec::new(), Tally::default());
    loop {
        match read_block(name, &mut buffered, &mut file, &mut payload, &mut tally) {
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

/// Reads the next block's payload into `payload`; `buffered` comes before what `reader` gives. False at the end.
pub(crate) fn read_block(
    name: &Arc<str>,
    buffered: &mut Vec<u8>,
    reader: &mut impl Read,
    payload: &mut Vec<u8>,
    tally: &mut Tally,
) -> Result<bool, DataError> {
    fill(name, buffered, reader, 12)?;
    let length = u32::from_le_bytes([buffered[0], buffered[1], buffered[2], buffered[3]]) as usize;
    let hash = payload::u64_at(&buffered[4..12]);
    if length == 0 {
        fill_at_most(name, buffered, reader, 13)?;
        // In the place of a hash there is the count of examples.
        return if buffered.len() == 12 && hash == tally.examples { Ok(false) } else { Err(damaged(name)) };
    }
    if length > LARGEST_BLOCK {
        return Err(damaged(name));
    }
    buffered.drain(..12);
    let before = length.min(buffered.len());
    payload.clear();
    payload.extend(buffered.drain(..before));
    fill(name, payload, reader, length)?;
    if xxh3_64(payload) != hash || !payload::follows(payload, &mut tally.declared) {
        return Err(damaged(name));
    }
    tally.examples += payload::count(payload) as u64;
    Ok(true)
}

/// Reads until `buffered` has at least `wanted` bytes.
fn fill(name: &Arc<str>, buffered: &mut Vec<u8>, reader: &mut impl Read, wanted: usize) -> Result<(), DataError> {
    fill_at_most(name, buffered, reader, wanted)?;
    if buffered.len() < wanted { Err(cut_short(name)) } else { Ok(()) }
}

/// Reads until `buffered` has at least `wanted` bytes, or the file ends.
fn fill_at_most(
    name: &Arc<str>,
    buffered: &mut Vec<u8>,
    reader: &mut impl Read,
    wanted: usize,
) -> Result<(), DataError> {
    /// A length that is damaged should not take memory for what is not there.
    const STEP: usize = 1 << 20;
    let mut ended = false;
    while buffered.len() < wanted && !ended {
        let missing = wanted - buffered.len();
        ended = read_up_to(reader, missing.min(STEP), buffered).map_err(|cause| DataError::io(name, cause))?;
    }
    Ok(())
}
