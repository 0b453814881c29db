use std::io::{self, Write};

use russet::batch::{Batch, Dictionary};
use russet::feature::{FeatureId, Names};
use xxhash_rust::xxh3::xxh3_64;

use super::{CACHE_VERSION, CacheHeader, MAGIC, payload};

/// Writes a cache, batch by batch, in the order the examples are to be read in.
pub struct CacheWriter<W> {
    out: W,
    dictionary: Dictionary,
    /// What the readers' dictionaries have declared; they number features differently from the cache.
    readers: Vec<Declared>,
    batch: Batch,
    bytes: Vec<u8>,
    examples: u64,
}

#[derive(Default)]
struct Declared {
    ids: Vec<FeatureId>,
    names: Names,
}

impl<W: Write> CacheWriter<W> {
    /// Begins a cache.
    pub fn new(mut out: W, header: &CacheHeader) -> io::Result<CacheWriter<W>> {
        let header = serde_json::to_vec(header)?;
        out.write_all(MAGIC)?;
        out.write_all(&CACHE_VERSION.to_le_bytes())?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)?;
        let (dictionary, batch) = (Dictionary::new(0), Batch::default());
        Ok(CacheWriter { out, dictionary, readers: Vec::new(), batch, bytes: Vec::new(), examples: 0 })
    }

    /// Adds all examples of a batch.
    pub fn write(&mut self, batch: &Batch) -> io::Result<()> {
        self.note_declared(batch);
        self.renumber(batch);
        payload::encode(&self.batch, &mut self.bytes);
        self.out.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        self.out.write_all(&xxh3_64(&self.bytes).to_le_bytes())?;
        self.out.write_all(&self.bytes)?;
        self.examples += batch.len() as u64;
        Ok(())
    }

    fn note_declared(&mut self, batch: &Batch) {
        let number = batch.dictionary() as usize;
        if self.readers.len() <= number {
            self.readers.resize_with(number + 1, Declared::default);
        }
        let declared = &mut self.readers[number];
        if batch.starts_dictionary() {
            *declared = Declared::default();
        }
        declared.ids.extend_from_slice(batch.declared_ids());
        batch.declared_names().iter().for_each(|name| declared.names.push(name));
    }

    /// Copies the batch with its features numbered by the cache's own dictionary.
    fn renumber(&mut self, batch: &Batch) {
        let declared = &self.readers[batch.dictionary() as usize];
        self.batch.start(&mut self.dictionary);
        for example in batch.iter() {
            let mut ends = example.namespace_ends.iter().peekable();
            for position in 0..=example.indices.len() {
                while ends.next_if(|end| **end as usize == position).is_some() {
                    self.batch.end_namespace();
                }
                if let Some(&index) = example.indices.get(position) {
                    let id = declared.ids[index as usize];
                    let name = |names: &mut Names| names.push(declared.names.get(index as usize));
                    let index = self.dictionary.index(&mut self.batch, id, name);
                    self.batch.push(index, example.values[position]);
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
