use std::io::{self, Read};

use bytemuck::Pod;
use xxhash_rust::xxh3::Xxh3Default;

use super::{MAGIC, ModelError, damaged};
use crate::weights::zeros_to_fill;

/// How many bytes are read at a time: few enough to be in the processor's second cache still when they are summed and used.
pub(super) const PIECE: usize = 1 << 18;

/// How long the magic number and the version are, which are read before anything is believed of the rest.
const BEGINNING: usize = MAGIC.len() + 4;

/// How long the checksum is that a file ends with.
const CHECKSUM_BYTES: usize = 8;

/// The bytes of a file as they come, and the sum of those that have come.
///
/// What is long is read to where it stays, so there is never a copy of the file in memory. What is read may therefore be
/// damaged: that is known at the end, from [`Input::judge`].
pub(crate) struct Input<'a> {
    source: &'a mut dyn Read,
    /// How many bytes are still to be read, without the checksum.
    unread: usize,
    /// Bytes that were read ahead; those from `start` to `end` are still to be taken.
    ahead: Vec<u8>,
    start: usize,
    end: usize,
    sum: Xxh3Default,
    version: u32,
    /// Set if the source has failed, or ended before it should.
    is_cut: bool,
}

impl<'a> Input<'a> {
    /// Begins to read a file of `length` bytes: it has to be a model of some version.
    pub(crate) fn open(source: &'a mut dyn Read, length: usize) -> Result<Input<'a>, ModelError> {
        let (unread, ahead, sum) = (length.min(BEGINNING), Vec::new(), Xxh3Default::new());
        let mut input = Input { source, unread, ahead, start: 0, end: 0, sum, version: 0, is_cut: false };
        let magic = input.slice(length.min(MAGIC.len()))?;
        if magic.is_empty() || !MAGIC.starts_with(magic) {
            return Err(ModelError::Foreign);
        }
        input.version = input.u32()?;
        Ok(input)
    }

    /// The format that the file has.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Goes on behind the version, if that is one that can be read; `length` is the file's.
    pub(crate) fn go_on(&mut self, length: usize) -> Result<(), ModelError> {
        self.unread = length.checked_sub(BEGINNING + CHECKSUM_BYTES).ok_or(too_early())?;
        Ok(())
    }

    /// How many bytes are still to be taken.
    pub(crate) fn left(&self) -> usize {
        self.end - self.start + self.unread
    }

    /// The next bytes, as they lie in the buffer.
    pub(crate) fn slice(&mut self, length: usize) -> Result<&[u8], ModelError> {
        if self.end - self.start < length {
            self.read_ahead(length)?;
        }
        self.start += length;
        Ok(&self.ahead[self.start - length..self.start])
    }

    /// The next bytes, copied to where they stay.
    pub(crate) fn fill(&mut self, target: &mut [u8]) -> Result<(), ModelError> {
        if target.len() > self.left() {
            return Err(too_early());
        }
        let (here, further) = target.split_at_mut(target.len().min(self.end - self.start));
        here.copy_from_slice(&self.ahead[self.start..self.start + here.len()]);
        self.start += here.len();
        further.chunks_mut(PIECE).try_for_each(|piece| self.receive(piece))
    }

    /// The next numbers, whose bytes are the file's: whoever is not little-endian has to turn them.
    pub(crate) fn numbers<T: Pod>(&mut self, count: usize) -> Result<Vec<T>, ModelError> {
        if count > self.left() / size_of::<T>() {
            return Err(too_early());
        }
        let mut numbers = zeros_to_fill(count);
        self.fill(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(N)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ModelError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ModelError> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of things of at least `size` bytes each, which must fit in what is left.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, ModelError> {
        let count = self.u64()?;
        if count > (self.left() / size) as u64 {
            return Err(too_early());
        }
        Ok(count as usize)
    }
}

impl Input<'_> {
    /// What was read, if the file is as it was written. If not, that comes before anything else that was found wrong.
    pub(crate) fn judge<T>(mut self, read: Result<T, ModelError>) -> Result<T, ModelError> {
        if self.is_intact() { read } else { Err(damaged("its checksum is wrong, so it was cut short or changed")) }
    }

    /// Reads all that is left, and the checksum.
    fn is_intact(&mut self) -> bool {
        while self.unread > 0 {
            (self.start, self.end) = (0, 0);
            if self.read_ahead(1).is_err() {
                return false;
            }
        }
        let mut checksum = [0; CHECKSUM_BYTES];
        let is_read = !self.is_cut && self.source.read_exact(&mut checksum).is_ok();
        is_read && u64::from_le_bytes(checksum) == self.sum.digest() && self.has_ended()
    }

    /// True if the source gives no more.
    fn has_ended(&mut self) -> bool {
        let mut byte = [0];
        self.source.read_exact(&mut byte).is_err_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
    }

    /// Reads until there are `length` bytes in the buffer, or a piece if that is more.
    #[cold]
    fn read_ahead(&mut self, length: usize) -> Result<(), ModelError> {
        if length > self.left() {
            return Err(too_early());
        }
        let wanted = length.max(PIECE).min(self.left());
        self.ahead.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.resize(wanted.max(ahead.len()), 0);
        let received = ahead[self.end..wanted].chunks_mut(PIECE).try_for_each(|piece| self.receive(piece));
        (self.ahead, self.end) = (ahead, wanted);
        received
    }

    /// Reads bytes, and adds them to the sum.
    fn receive(&mut self, piece: &mut [u8]) -> Result<(), ModelError> {
        if self.is_cut || self.source.read_exact(piece).is_err() {
            (self.is_cut, self.unread) = (true, 0);
            return Err(too_early());
        }
        self.sum.update(piece);
        self.unread -= piece.len();
        Ok(())
    }
}

/// A part of a file is read as a file is.
impl Read for Input<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let length = target.len().min(self.left());
        let filled = self.fill(&mut target[..length]);
        filled.map(|()| length).map_err(|_| io::ErrorKind::UnexpectedEof.into())
    }
}

fn too_early() -> ModelError {
    damaged("it ends too early")
}
