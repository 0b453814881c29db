use std::io;
use std::sync::Arc;
use thiserror::Error;

use crate::format::Format;

/// Why data could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// No file is there, or it could not be read.
    #[error("{name}: {}", describe(.cause))]
    Io {
        /// The file.
        name: Arc<str>,
        /// What went wrong.
        cause: io::Error,
    },
    /// A pattern such as `*.vw` matched no file.
    #[error("{pattern}: no file matches this pattern")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A pattern that cannot be understood.
    #[error("{pattern}: not a pattern: {reason}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A file without a byte in it.
    #[error("{name}: the file is empty")]
    Empty {
        /// The file.
        name: Arc<str>,
    },
    /// Neither the name nor the content tells the format.
    #[error(
        "{name}: cannot tell the format; expected VW text, svmlight, CSV or a russet cache (force one with --format)"
    )]
    UnknownFormat {
        /// The file.
        name: Arc<str>,
    },
    /// Inputs of different formats in one run.
    #[error("{other} is {other_format}, but {first} is {first_format}; all inputs of a run must have one format")]
    MixedFormats {
        /// The first input...
        first: Arc<str>,
        /// ... and its format.
        first_format: Format,
        /// The input that differs...
        other: Arc<str>,
        /// ... and its format.
        other_format: Format,
    },
    /// A place in a file that does not say what it should.
    #[error("{name}:{line}:{column}: {message}")]
    Content {
        /// The file.
        name: Arc<str>,
        /// The line, counted from 1.
        line: u64,
        /// The byte in the line, counted from 1.
        column: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// Something about a file as a whole.
    #[error("{name}: {message}")]
    File {
        /// The file.
        name: Arc<str>,
        /// What was found and what was expected.
        message: String,
    },
}

/// The operating system's words, without its error number.
fn describe(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a directory; expected a file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => {
            let text = cause.to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

impl DataError {
    pub(crate) fn io(name: &Arc<str>, cause: io::Error) -> DataError {
        DataError::Io { name: Arc::clone(name), cause }
    }

    pub(crate) fn file(name: &Arc<str>, message: impl Into<String>) -> DataError {
        DataError::File { name: Arc::clone(name), message: message.into() }
    }
}

/// Text for a message: bytes that a person can read, cut if long.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let shown: String = text.chars().flat_map(char::escape_debug).collect();
    if bytes.len() > LONGEST { format!("`{shown}...`") } else { format!("`{shown}`") }
}
