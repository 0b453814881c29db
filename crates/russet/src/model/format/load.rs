//! Models from files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

use super::ModelError;

/// Why a file could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be opened, or not read to its end.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// What is in it is not a model, or not one that can be loaded.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Reads a file by `read`, which is given its bytes as they come, and how many there will be.
pub(crate) fn load<T>(
    path: &Path,
    read: impl FnOnce(&mut dyn Read, usize) -> Result<T, ModelError>,
) -> Result<T, LoadError> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    // Only of a file is it known how long it is.
    if !metadata.is_file() || length == 0 {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(read(&mut &bytes[..], bytes.len())?);
    }
    // A model takes some more than its file. A file that is long, but empty, must not be believed.
    if Vec::<u8>::new().try_reserve_exact(length.saturating_add(length / 4)).is_err() {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory).into());
    }
    let mut source = Remembering { source: file, failure: None };
    let model = read(&mut source, length);
    match source.failure {
        Some(failure) => Err(failure.into()),
        None => Ok(model?),
    }
}

/// Remembers why a source has failed; for whoever reads from it, it has ended.
struct Remembering<R> {
    source: R,
    failure: Option<io::Error>,
}

impl<R: Read> Read for Remembering<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_some() {
            return Ok(0);
        }
        match self.source.read(target) {
            Err(failure) if failure.kind() != io::ErrorKind::Interrupted => {
                self.failure = Some(failure);
                Ok(0)
            }
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::model::damaged;
    use crate::settings::Settings;

    /// Gives bytes one by one, and then an error.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
            let length = target.len().min(1);
            match self.0.split_off(..length) {
                Some(byte) => target[..length].copy_from_slice(byte),
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            }
            Ok(length)
        }
    }

    #[test]
    fn why_a_source_has_failed_is_remembered() {
        let bytes = Model::new(Settings::default().check().unwrap()).to_bytes();
        for place in 0..bytes.len() {
            let mut source = Remembering { source: Failing(&bytes[..place]), failure: None };
            assert!(Model::read(&mut source, bytes.len()).is_err());
            assert_eq!(source.failure.unwrap().kind(), io::ErrorKind::BrokenPipe, "{place}");
        }
    }

    #[test]
    fn a_source_that_is_not_as_long_as_was_said_is_refused() {
        let bytes = Model::new(Settings::default().check().unwrap()).to_bytes();
        assert!(Model::read(&mut &bytes[..], bytes.len()).is_ok());
        let longer = [&bytes[..], &bytes].concat();
        let changed = damaged("its checksum is wrong, so it was cut short or changed");
        assert_eq!(Model::read(&mut &longer[..], bytes.len()).unwrap_err(), changed);
        for place in 20..bytes.len() {
            assert_eq!(Model::read(&mut &bytes[..place], bytes.len()).unwrap_err(), changed, "{place}");
        }
    }
}
