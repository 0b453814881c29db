use std::io::{self, Write};

use russet::batch::{Batch, Code, Dictionary};
use russet::feature::Names;
use xxhash_rust::xxh3::xxh3_64;

use super::{CACHE_VERSION, CacheHeader, MAGIC, payload};
use crate::write::NameBook;

/// Writes a cache, batch by batch, in the order the examples are to be read in.
pub struct CacheWriter<W> {
    out: W,
    dictionary: Dictionary,
    /// The readers number features differently from the cache.
    book: NameBook,
    batch: Batch,
    bytes: Vec<u8>,
    examples: u64,
}

impl<W: Write> CacheWriter<W> {
    /// Begins a cache.
    pub fn new(mut out: W, header: &CacheHeader) -> io::Result<CacheWriter<W>> {
        let header = serde_json::to_vec(header)?;
        let mut start = MAGIC.to_vec();
        start.extend_from_slice(&CACHE_VERSION.to_le_bytes());
        start.extend_from_slice(&(header.len() as u32).to_le_bytes());
        start.extend_from_slice(&header);
        let checksum = xxh3_64(&start);
        start.extend_from_slice(&checksum.to_le_bytes());
        out.write_all(&start)?;
        let (dictionary, batch) = (Dictionary::new(0), Batch::default());
        Ok(CacheWriter { out, dictionary, book: NameBook::default(), batch, bytes: Vec::new(), examples: 0 })
    }

    /// Adds all examples of a batch; it fails if there are more than 2^20.
    pub fn write(&mut self, batch: &Batch) -> io::Result<()> {
        if batch.len() > payload::MOST_EXAMPLES {
            let message = format!("a batch has {} examples; a block of a cache has room for 2^20", batch.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.renumber(batch);
        payload::encode(&self.batch, &mut self.bytes);
        self.out.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        self.out.write_all(&xxh3_64(&self.bytes).to_le_bytes())?;
        self.out.write_all(&self.bytes)?;
        self.examples += batch.len() as u64;
        Ok(())
    }

    /// Copies the batch with its features numbered by the cache's own dictionary.
    fn renumber(&mut self, batch: &Batch) {
        let page = self.book.page(batch);
        self.batch.start(&mut self.dictionary);
        for example in batch.iter() {
            let mut ends = example.namespace_ends.iter().peekable();
            for position in 0..=example.codes.len() {
                while ends.next_if(|end| **end as usize == position).is_some() {
                    self.batch.end_namespace();
                }
                let Some((&code, &value)) = example.codes.get(position).zip(example.values.get(position)) else {
                    break;
                };
                if let Code::Number(number) = Code::unpack(code) {
                    self.batch.push_number(number, value);
                } else {
                    let name = |names: &mut Names| names.push(&page.name(code));
                    let index = self.dictionary.index(&mut self.batch, page.id(code), name);
                    self.batch.push(index, value);
                }
            }
            self.batch.end_example(example.label, example.tag, example.line);
        }
    }

    /// Writes the end; a cache without it is known to be incomplete.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 4])?;
        self.out.write_all(&self.examples.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}
