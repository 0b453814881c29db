//! A way in for fuzzers and hostile tests, which have bytes and no files. Not part of the interface.

use std::io::Cursor;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::parse::{self, Parsed, Parser, Schema};
use crate::source::{Blocks, Inputs, decompressed};
use crate::{DataError, ReadOptions};

/// What came of reading some bytes to their end.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The columns, if it was a table.
    pub schema: Option<Arc<Schema>>,
    /// How many examples there were.
    pub examples: u64,
    /// How many were counted without a look at them.
    pub counted: u64,
    /// How many lines were passed over because of errors.
    pub skipped: u64,
}

/// Reads bytes as [`crate::Stream`] reads a file with these options, with one thread; calls `visit` for each block. `options` must say the
/// format.
pub fn read(bytes: &[u8], options: &ReadOptions, mut visit: impl FnMut(&Parsed)) -> Result<Outcome, DataError> {
    let name: Arc<str> = "bytes".into();
    let mut blocks = Blocks::new(&Inputs::none(), options.clone());
    let plain = decompressed(Box::new(Cursor::new(bytes.to_vec()))).map_err(|cause| DataError::io(&name, cause))?;
    blocks.open_reader(name, plain)?;
    let mut outcome = Outcome::default();
    let format = match blocks.peek()? {
        Some((format, layout)) => {
            outcome.schema = layout.schema();
            format
        }
        None => return Ok(outcome),
    };
    let (mut parser, mut parsed) = (Parser::new(0, options.clone()), Parsed::default());
    while blocks.next(&mut parsed.block)? {
        outcome.counted += parse::count(format, &parsed.block.layout, &parsed.block.bytes);
        parser.parse(format, &mut parsed);
        outcome.examples += parsed.batch.len() as u64;
        outcome.skipped += parsed.skipped;
        visit(&parsed);
        if let Some(error) = parsed.fatal.take() {
            return Err(error);
        }
    }
    Ok(outcome)
}

/// A cache of one block with this payload, whose checksum is right.
pub fn cache_of(payload: &[u8]) -> Vec<u8> {
    let header = serde_json::to_vec(&crate::cache::CacheHeader::default()).unwrap_or_default();
    let mut bytes = crate::cache::MAGIC.to_vec();
    bytes.extend_from_slice(&crate::cache::CACHE_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(&xxh3_64(&bytes.clone()).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&[0; 4]);
    let examples = payload.get(8..12).map_or([0; 8], |count| [count[0], count[1], count[2], count[3], 0, 0, 0, 0]);
    bytes.extend_from_slice(&examples);
    bytes
}
