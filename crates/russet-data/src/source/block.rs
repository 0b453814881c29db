use std::sync::Arc;

use super::Stretches;
use crate::parse::Layout;

/// How much text a block aims to hold.
pub const BLOCK_BYTES: usize = 1 << 16;

/// The longest line that is read; a longer one is an error rather than an unbounded amount of memory.
pub const LONGEST_LINE: usize = 1 << 26;

/// A stretch of whole lines of one file (or one block of a cache).
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its number, counted over all inputs.
    pub sequence: u64,
    /// The file it is from.
    pub name: Arc<str>,
    /// The line it begins on, counted from 1.
    pub first_line: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// A hash of its bytes, if that was asked for.
    pub hash: u64,
    /// Whether it belongs to the part of the inputs that is wanted.
    pub(crate) wanted: bool,
    /// Set if only stretches of the file are read: lines are then counted within these.
    pub(crate) stretches: Option<Arc<Stretches>>,
    pub(crate) layout: Layout,
}

impl Block {
    /// True if it belongs to the part of the inputs that is wanted.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// The line of the file, counted from 1, that `line` is; examples count within what is read of the file.
    pub fn line_in_file(&self, line: u64) -> u64 {
        // Should the file have gone since, at least some line is named.
        self.stretches.as_ref().and_then(|stretches| stretches.line_in_file(line).ok()).unwrap_or(line)
    }
}
