use std::sync::Arc;

use crate::Format;
use crate::parse::Schema;
use crate::source::BLOCK_BYTES;

/// What to do with a line that cannot be understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with an error.
    #[default]
    Stop,
    /// Pass over it and count.
    Skip,
}

/// What a user says about the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The column to predict.
    pub label: Option<String>,
    /// The column that says how many examples a row counts for.
    pub weight: Option<String>,
    /// The column that predictions carry along.
    pub tag: Option<String>,
    /// Columns of numbers, whatever they look like.
    pub numeric: Vec<String>,
    /// Columns of names, whatever they look like.
    pub categorical: Vec<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The names of the label column: two of them stand for -1 and 1, more for 0, 1, 2 and so on.
    pub classes: Option<Vec<String>>,
}

impl CsvOptions {
    /// The first flag that was given, if any.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("label", self.label.is_some()),
            ("weight", self.weight.is_some()),
            ("tag", self.tag.is_some()),
            ("numeric", !self.numeric.is_empty()),
            ("categorical", !self.categorical.is_empty()),
            ("ignore", !self.ignore.is_empty()),
            ("classes", self.classes.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

/// A part of the inputs: every `count`th block, from the block with number `index` on. Of plain files whose lines are examples, every `count`th
/// stretch of [`ReadOptions::block_bytes`], and nothing else is read; a line belongs to the stretch in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: u64,
    /// How many parts there are.
    pub count: u64,
}

impl Shard {
    /// True if the block with this number belongs to the part.
    pub fn takes(self, sequence: u64) -> bool {
        sequence % self.count == self.index
    }
}

/// How to read examples.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// The format, if it is not to be told from the files.
    pub format: Option<Format>,
    /// What to do with a line that cannot be understood.
    pub on_error: OnError,
    /// Whether an example without a label is an error.
    pub labels: bool,
    /// Threads that parse; with 1, parsing is done by the thread that reads.
    pub threads: usize,
    /// Whether the thread that asks for examples may be one of these: it parses while there is nothing else for it to do.
    pub may_help: bool,
    /// Whether each block's bytes are hashed, so that a place in the data can be recognised.
    pub hash_blocks: bool,
    /// How much text a block aims to hold.
    pub block_bytes: usize,
    /// Only a part of the inputs is wanted. A block of a cache may declare features that later ones use, so all of its blocks come
    /// out, those of other parts without examples, and whoever learns has to [skip](russet::Learner::skip) these.
    pub shard: Option<Shard>,
    /// What the user says about the columns of a table.
    pub csv: CsvOptions,
    /// What the columns of a table mean, if that is settled.
    pub schema: Option<Arc<Schema>>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            on_error: OnError::Stop,
            labels: true,
            threads: 1,
            may_help: true,
            hash_blocks: false,
            block_bytes: BLOCK_BYTES,
            shard: None,
            csv: CsvOptions::default(),
            schema: None,
        }
    }
}

impl ReadOptions {
    /// What the user said that decides which examples come out of given bytes, as a text to compare.
    pub fn reading(&self) -> String {
        let ReadOptions { format, on_error, csv, .. } = self;
        format!("{format:?} {on_error:?} {csv:?}")
    }
}
