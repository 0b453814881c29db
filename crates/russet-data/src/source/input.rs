use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression;
use crate::DataError;

/// One thing to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Standard,
}

/// Everything to read, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs(Vec<Input>);

impl Inputs {
    /// Reads what a user named: files, patterns such as `part-*.vw`, or `-` for standard input.
    pub fn find(words: &[String]) -> Result<Inputs, DataError> {
        let mut inputs = Vec::new();
        for word in words {
            match word.as_str() {
                "-" => inputs.push(Input::Standard),
                _ if Path::new(word).exists() || !word.contains(['*', '?', '[']) => {
                    inputs.push(Input::File(word.into()));
                }
                _ => inputs.extend(matches(word)?),
            }
        }
        Ok(Inputs(inputs))
    }

    /// None, for what is read from elsewhere.
    pub(crate) fn none() -> Inputs {
        Inputs(Vec::new())
    }

    /// One file.
    pub fn file(path: &Path) -> Inputs {
        Inputs(vec![Input::File(path.to_owned())])
    }

    /// Deals the inputs out to `parts`, so that these are about the same size: the largest go first, each to the part that has the least so
    /// far. Within a part they keep their order. Parts may be empty.
    pub fn deal(&self, parts: usize) -> Vec<Inputs> {
        let mut places: Vec<usize> = (0..self.0.len()).collect();
        places.sort_by_key(|place| (std::cmp::Reverse(self.0[*place].bytes()), *place));
        let mut dealt = vec![(0, Vec::new()); parts];
        for place in places {
            if let Some((bytes, taken)) = dealt.iter_mut().min_by_key(|(bytes, _)| *bytes) {
                *bytes += self.0[place].bytes();
                taken.push(place);
            }
        }
        let inputs = |mut places: Vec<usize>| {
            places.sort_unstable();
            Inputs(places.into_iter().map(|place| self.0[place].clone()).collect())
        };
        dealt.into_iter().map(|(_, places)| inputs(places)).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each input.
    pub fn iter(&self) -> impl Iterator<Item = &Input> {
        self.0.iter()
    }

    /// True if all can be read more than once.
    pub fn can_reread(&self) -> bool {
        self.iter().all(|input| match input {
            Input::Standard => false,
            Input::File(path) => std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()),
        })
    }

    /// True if `path` is one of the files.
    pub fn contain(&self, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        let same =
            |input: &Input| matches!(input, Input::File(file) if file.canonicalize().is_ok_and(|file| file == path));
        path.is_file() && self.iter().any(same)
    }

    /// Makes sure that all files are there and can be opened.
    pub fn check(&self) -> Result<(), DataError> {
        self.iter().try_for_each(|input| match input {
            Input::File(path) if !path.exists() || path.is_file() || path.is_dir() => {
                input.open(Arc::default()).map(drop)
            }
            // Opening a pipe would take its first bytes.
            _ => Ok(()),
        })
    }

    /// The size of all files together, as they are on disk; `None` if that is not known.
    pub fn bytes(&self) -> Option<u64> {
        self.can_reread().then(|| self.iter().map(Input::bytes).sum())
    }
}

fn matches(pattern: &str) -> Result<Vec<Input>, DataError> {
    let bad = |reason: String| DataError::BadPattern { pattern: pattern.to_owned(), reason };
    let found = glob::glob(pattern).map_err(|error| bad(error.to_string()))?;
    let inputs: Vec<Input> =
        found.map(|path| path.map(Input::File).map_err(|error| bad(error.to_string()))).collect::<Result<_, _>>()?;
    if inputs.is_empty() {
        return Err(DataError::NoMatch { pattern: pattern.to_owned() });
    }
    Ok(inputs)
}

impl Input {
    /// The name for messages.
    pub fn name(&self) -> Arc<str> {
        match self {
            Input::File(path) => path.to_string_lossy().into(),
            Input::Standard => "standard input".into(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Input::File(path) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Input::Standard => 0,
        }
    }

    /// Opens it and undoes its compression, if any. `read` counts the bytes taken from the file itself.
    pub(crate) fn open(&self, read: Arc<AtomicU64>) -> Result<Box<dyn Read + Send>, DataError> {
        let name = self.name();
        let raw: Box<dyn Read + Send> = match self {
            Input::Standard => Box::new(Counted { inner: io::stdin(), read }),
            Input::File(path) => {
                let file = File::open(path).map_err(|cause| DataError::io(&name, cause))?;
                if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
                    return Err(DataError::io(&name, io::ErrorKind::IsADirectory.into()));
                }
                Box::new(Counted { inner: file, read })
            }
        };
        compression::decompressed(raw).map_err(|cause| DataError::io(&name, cause))
    }
}

/// Counts the bytes that pass, for progress.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
