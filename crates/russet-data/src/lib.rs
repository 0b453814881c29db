//! Readers for russet: bytes in, batches of examples out.
//!
//! [`Inputs`] are files, patterns or standard input, compressed or not. A [`Stream`] reads them in
//! [blocks](source::Block), parses these in parallel and gives them out in order. The [`cache`] keeps parsed examples in a
//! binary file; [`mod@write`] writes other formats. [`atomic`] writes files that are there whole or not at all.

pub mod atomic;
pub mod cache;
mod classes;
mod count;
mod error;
mod format;
#[doc(hidden)]
pub mod fuzzing;
pub mod helper;
mod number;
mod options;
mod parse;
pub mod source;
mod stream;
pub mod write;

pub use classes::class_names;
pub use count::{Counting, count_examples};
pub use error::DataError;
pub use format::Format;
pub use options::{CsvOptions, OnError, ReadOptions, Shard};
pub use parse::{Column, ColumnKind, LabelColumn, Parsed, Schema, is_missing};
pub use source::{Block, Fingerprint, Input, Inputs, Progress};
pub use stream::{Assistant, Stream};
