//! What ranks send each other, as bytes: whole numbers little-endian.

use super::ParallelError;

/// Bytes from a rank, still to be read.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    rank: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a [u8], rank: usize) -> Reader<'a> {
        Reader { rest, rank }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn malformed(&self) -> ParallelError {
        ParallelError::Malformed { rank: self.rank }
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], ParallelError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(self.malformed())?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ParallelError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(self.malformed())?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ParallelError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ParallelError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, ParallelError> {
        self.array().map(f32::from_le_bytes)
    }
}

/// Bytes to be sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f32(&mut self, value: f32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes and, before them, how many.
    pub(super) fn name(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }
}
