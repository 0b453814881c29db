//! A part of one plain file by byte ranges: nobody reads what belongs to another.
//!
//! The file is cut into stretches of the same length, dealt out in turn. A line belongs to the stretch that its first byte is in.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{LONGEST_LINE, read_up_to};
use crate::Shard;

/// Which bytes of a file are wanted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stretches {
    pub(crate) path: PathBuf,
    pub(crate) shard: Shard,
    /// How many bytes a stretch has.
    pub(crate) length: u64,
}

/// Reads the lines of the wanted stretches, as if there were nothing between them.
pub(super) struct StretchReader {
    file: File,
    stretches: Stretches,
    next: u64,
    /// What was read of the last stretch, and how much of that has been given out.
    buffer: Vec<u8>,
    given: usize,
    read: Arc<AtomicU64>,
}

impl Stretches {
    /// Opens the file. `read` counts the bytes taken from it.
    pub(super) fn open(&self, read: Arc<AtomicU64>) -> io::Result<StretchReader> {
        let (file, stretches) = (File::open(&self.path)?, self.clone());
        Ok(StretchReader { file, next: self.shard.index, stretches, buffer: Vec::new(), given: 0, read })
    }

    /// The line of the file, counted from 1, that the wanted line with number `wanted` is. Reads the file from its start, so it is for messages.
    pub(crate) fn line_in_file(&self, wanted: u64) -> io::Result<u64> {
        let mut file = io::BufReader::with_capacity(1 << 16, File::open(&self.path)?);
        let (mut place, mut line, mut found) = (0, 0, 0);
        loop {
            line += 1;
            found += u64::from(self.shard.takes(place / self.length));
            let length = io::BufRead::skip_until(&mut file, b'\n')?;
            if found == wanted || length == 0 {
                return Ok(line);
            }
            place += length as u64;
        }
    }
}

/// True if the file is one that can be read from anywhere: not a pipe, and not compressed.
pub(super) fn is_plain(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = |mut file: File| read_up_to(&mut file, 4, &mut start);
    path.is_file() && File::open(path).and_then(read).is_ok() && !super::compression::is_compressed(&start)
}

impl StretchReader {
    /// Fills the buffer with the lines that begin in the next wanted stretch. False at the end of the file.
    fn load(&mut self) -> io::Result<bool> {
        let length = self.stretches.length;
        let (start, end) = (self.next * length, (self.next + 1) * length);
        self.next += self.stretches.shard.count;
        self.buffer.clear();
        self.given = 0;
        // From the byte before: only after a line's end does a line begin.
        let from = start.saturating_sub(1);
        self.file.seek(SeekFrom::Start(from))?;
        let mut ended = read_up_to(&mut self.file, (end - from) as usize, &mut self.buffer)?;
        let any = !self.buffer.is_empty() && (start == 0 || self.buffer.len() > 1);
        if start > 0 {
            self.given = memchr::memchr(b'\n', &self.buffer).map_or(self.buffer.len(), |place| place + 1);
        }
        let begins = self.given < self.buffer.len();
        while begins && !ended && !self.buffer.ends_with(b"\n") && self.buffer.len() <= LONGEST_LINE + length as usize {
            let before = self.buffer.len();
            ended = read_up_to(&mut self.file, 1 << 12, &mut self.buffer)?;
            if let Some(place) = memchr::memchr(b'\n', &self.buffer[before..]) {
                self.buffer.truncate(before + place + 1);
            }
        }
        self.read.fetch_add(self.buffer.len() as u64, Ordering::Relaxed);
        Ok(any)
    }
}

impl Read for StretchReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.buffer.len() {
            if !self.load()? {
                return Ok(0);
            }
        }
        let count = into.len().min(self.buffer.len() - self.given);
        into[..count].copy_from_slice(&self.buffer[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, length: u64, index: u64, count: u64) -> (String, Stretches, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, text).unwrap();
        let stretches = Stretches { path, shard: Shard { index, count }, length };
        let mut found = String::new();
        stretches.open(Arc::default()).unwrap().read_to_string(&mut found).unwrap();
        (found, stretches, folder)
    }

    proptest! {
        #[test]
        fn every_line_goes_to_the_one_whose_stretch_it_begins_in(
            lines in prop::collection::vec("[a-c]{0,9}", 0..30),
            ends in any::<bool>(),
            length in 1u64..20,
            count in 1u64..4,
        ) {
            let mut text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            if !ends {
                text.pop();
            }
            for index in 0..count {
                let (found, stretches, _folder) = read(&text, length, index, count);
                let (mut place, mut expected, mut numbers) = (0, String::new(), Vec::new());
                for (number, line) in (1..).zip(text.split_inclusive('\n')) {
                    if stretches.shard.takes(place / length) {
                        expected += line;
                        numbers.push(number);
                    }
                    place += line.len() as u64;
                }
                prop_assert_eq!(&found, &expected);
                for (wanted, number) in (1..).zip(numbers) {
                    prop_assert_eq!(stretches.line_in_file(wanted).unwrap(), number);
                }
            }
        }
    }
}
