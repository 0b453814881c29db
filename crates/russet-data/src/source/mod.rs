//! From inputs to blocks of whole lines.

mod block;
mod compression;
mod fingerprint;
mod input;
mod stretches;

pub use block::{BLOCK_BYTES, Block, LONGEST_LINE, Progress};
pub(crate) use block::{Blocks, read_up_to, read_whole};
pub(crate) use compression::decompressed;
pub use fingerprint::Fingerprint;
pub use input::{Input, Inputs};
pub(crate) use stretches::Stretches;
