use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::Xxh3;

use super::{Input, Inputs};

/// What tells whether files are still the ones they were: their sizes, times of change, and a hash of their ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    files: Vec<FileMark>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileMark {
    bytes: u64,
    modified_nanoseconds: u64,
    hash_of_ends: u64,
}

impl Fingerprint {
    /// Of all inputs; `None` if one is not a file.
    pub fn of(inputs: &Inputs) -> Option<Fingerprint> {
        let files = inputs.iter().map(|input| match input {
            Input::File(path) => File::open(path).and_then(mark).ok(),
            Input::Standard => None,
        });
        files.collect::<Option<Vec<_>>>().map(|files| Fingerprint { files })
    }
}

fn mark(mut file: File) -> io::Result<FileMark> {
    const END: u64 = 1 << 16;
    let metadata = file.metadata()?;
    let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut hash = Xxh3::new();
    let mut buffer = Vec::new();
    for start in [0, metadata.len().saturating_sub(END)] {
        buffer.clear();
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(END).read_to_end(&mut buffer)?;
        hash.update(&buffer);
    }
    Ok(FileMark { bytes: metadata.len(), modified_nanoseconds: modified, hash_of_ends: hash.digest() })
}
