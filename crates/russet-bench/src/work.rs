//! What the phases work on: a file, its batches, a model that was trained on them.

use std::io::Write;

use russet::batch::Batch;
use russet::phases::Phases;
use russet::settings::{ExpansionKind, GuardKind, Settings};
use russet::{Learner, Model};
use russet_data::cache::{CacheHeader, CacheWriter};
use russet_data::{Inputs, Parsed, ReadOptions, Stream};
use tempfile::NamedTempFile;

use crate::data::Shape;

/// A file that is deleted at last.
pub struct File {
    file: NamedTempFile,
    /// Its length.
    pub bytes: usize,
}

impl File {
    /// A file with this content; the name tells its format.
    pub fn new(content: &[u8], ending: &str) -> File {
        let mut file = tempfile::Builder::new().suffix(ending).tempfile().unwrap();
        file.write_all(content).unwrap();
        File { file, bytes: content.len() }
    }

    /// Reads all of it with one thread. Gives how many examples there are.
    pub fn parse(&self) -> usize {
        let (mut stream, mut examples) = (self.stream(), 0);
        while let Some(parsed) = stream.next().unwrap() {
            examples += parsed.batch.len();
            stream.recycle(parsed);
        }
        examples
    }

    fn stream(&self) -> Stream {
        Stream::open(&Inputs::file(self.file.path()), ReadOptions::default()).unwrap()
    }

    /// All batches of it, kept.
    #[allow(clippy::vec_box)] // As the stream gives them out.
    pub fn batches(&self) -> Vec<Box<Parsed>> {
        let mut stream = self.stream();
        std::iter::from_fn(|| stream.next().unwrap()).collect()
    }

    /// The same examples as a cache.
    pub fn cache(&self) -> File {
        let mut writer = CacheWriter::new(Vec::new(), &CacheHeader::default()).unwrap();
        self.batches().iter().for_each(|parsed| writer.write(&parsed.batch).unwrap());
        File::new(&writer.finish().unwrap(), ".cache")
    }
}

/// Examples of one shape and what is learned from them.
pub struct Trained {
    /// The batches.
    #[allow(clippy::vec_box)]
    pub parsed: Vec<Box<Parsed>>,
    /// The model, without a guard.
    pub model: Model,
}

impl Trained {
    /// Learns from `bytes` bytes of examples.
    pub fn new(shape: Shape, expansion: ExpansionKind, bytes: usize) -> Trained {
        let parsed = File::new(shape.text(bytes).as_bytes(), ".vw").batches();
        let settings = Settings { expansion, guard: GuardKind::Off, ..Settings::default() };
        let mut learner = Learner::new(settings.check().unwrap());
        learner.set_course_length(parsed.iter().map(|parsed| parsed.batch.len() as u64).sum());
        parsed.iter().for_each(|parsed| learner.learn(&parsed.batch).unwrap());
        Trained { parsed, model: learner.into_model() }
    }

    /// The batches alone.
    pub fn batches(&self) -> impl Iterator<Item = &Batch> {
        self.parsed.iter().map(|parsed| &parsed.batch)
    }

    /// The model with the first `examples` examples, to go through phases. Where weights are few, few examples are wanted too: what was listed
    /// for them should be as close at hand as it is in learning.
    pub fn phases(&self, examples: usize) -> Phases {
        Phases::new(self.model.clone(), self.batches(), examples)
    }
}

/// How many examples a benchmark of the loops goes through: see [`Trained::phases`].
pub fn examples_at_hand(shape: Shape) -> usize {
    match shape {
        Shape::Dense => 16,
        Shape::Mixed => 64,
        Shape::Sparse => 2000,
    }
}

/// How many features all examples of some batches have.
pub fn feature_count<'a>(batches: impl IntoIterator<Item = &'a Batch>) -> usize {
    batches.into_iter().flat_map(Batch::iter).map(|example| example.codes.len()).sum()
}
