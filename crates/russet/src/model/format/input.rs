use super::{ModelError, damaged};

/// Bytes still to be read.
pub(super) struct Input<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(damaged("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(damaged("it ends too early"))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ModelError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ModelError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, ModelError> {
        self.array().map(f32::from_le_bytes)
    }

    /// A number of things of at least `size` bytes each, which must fit in what is left.
    pub(super) fn count(&mut self, size: usize) -> Result<usize, ModelError> {
        let count = self.u64()?;
        if count > (self.rest.len() / size) as u64 {
            return Err(damaged("it ends too early"));
        }
        Ok(count as usize)
    }
}
