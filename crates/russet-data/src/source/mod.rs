//! From inputs to blocks of whole lines.

mod block;
mod blocks;
mod compression;
mod file;
mod fingerprint;
mod input;
mod read;
mod stretches;

pub use block::{BLOCK_BYTES, Block, LONGEST_LINE};
pub(crate) use blocks::Blocks;
pub use blocks::Progress;
pub(crate) use compression::decompressed;
pub use fingerprint::Fingerprint;
pub use input::{Input, Inputs};
pub(crate) use read::{read_up_to, read_whole};
pub(crate) use stretches::Stretches;
