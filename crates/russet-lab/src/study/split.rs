//! A data set in two files, one to learn from and one to test with, and what is known of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use russet_data::atomic::AtomicFile;
use russet_data::write::{ExampleWriter, SvmlightWriter};
use russet_data::{Inputs, ReadOptions, Stream};
use xxhash_rust::xxh3::Xxh3;

use super::metadata::Metadata;
use super::reading::Lines;
use super::sets::Source;
use super::{Settings, StudyError, Task};
use crate::random::Random;

/// Estimates are made from this share of the examples to learn from...
const PILOT_SHARE: usize = 16;
/// ... but from so many at least, if there are.
const PILOT_EXAMPLES: usize = 200;

/// A file of examples.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) examples: usize,
    /// A hash of its bytes: what runs are known again by.
    pub(super) hash: u64,
}

/// A data set that is ready for runs.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) name: String,
    pub(super) metadata: Metadata,
    pub(super) task: Task,
    pub(super) train: Part,
    pub(super) test: Part,
    /// The first examples to learn from.
    pub(super) pilot: Part,
    pub(super) features_per_example: f64,
    pub(super) distinct_features: u64,
}

/// Why a data set is not ready.
#[derive(Debug)]
pub(super) enum NotReady {
    /// It cannot be studied.
    Problem(String),
    /// The study as a whole cannot go on.
    Fatal(StudyError),
}

impl Prepared {
    /// Reads a data set and writes its parts.
    pub(super) fn new(source: &Source, settings: &Settings, cancelled: &AtomicBool) -> Result<Prepared, NotReady> {
        source.check_name().map_err(NotReady::Problem)?;
        let metadata = Metadata::read(&source.metadata()).map_err(NotReady::Problem)?;
        let mut lines = Lines::read(source, &metadata, cancelled).map_err(NotReady::Problem)?;
        let task = lines.task(&metadata).map_err(NotReady::Problem)?;
        if task == Task::Classification {
            lines.label_classes();
        }
        let order = order(lines.len(), settings.shuffle);
        let (train, test) = order.split_at(lines.len() * 4 / 5);
        check(&lines, train).map_err(NotReady::Problem)?;
        let pilot = &train[..(train.len() / PILOT_SHARE).max(PILOT_EXAMPLES).min(train.len())];
        let path = |part: &str| settings.work().join(format!("{}.{part}.vw", source.name));
        let write = |part: &str, places: &[usize]| write(&lines, places, &path(part)).map_err(NotReady::Fatal);
        Ok(Prepared {
            name: source.name.clone(),
            task,
            train: write("train", train)?,
            test: write("test", test)?,
            pilot: write("pilot", pilot)?,
            features_per_example: lines.features as f64 / lines.len() as f64,
            distinct_features: lines.distinct,
            metadata,
        })
    }

    /// Where a part is as svmlight, for programs that do not read VW text.
    pub(super) fn svmlight(&self, part: &Part) -> PathBuf {
        part.path.with_extension("svm")
    }

    /// Writes both parts as svmlight, their features numbered alike.
    pub(super) fn write_svmlight(&self) -> Result<(), StudyError> {
        let mut writer = SvmlightWriter::default();
        for part in [&self.train, &self.test] {
            let path = self.svmlight(part);
            let cannot = |cause| StudyError::Write { path: path.clone(), cause };
            let mut file = AtomicFile::create(&path).map_err(cannot)?;
            let stream = Stream::open(&Inputs::file(&part.path), ReadOptions::default());
            let unreadable = |error: russet_data::DataError| cannot(std::io::Error::other(error.to_string()));
            let mut stream = stream.map_err(unreadable)?;
            while let Some(parsed) = stream.next().map_err(unreadable)? {
                writer.write(&parsed.batch, &mut file).map_err(cannot)?;
                stream.recycle(parsed);
            }
            file.commit().map_err(cannot)?;
        }
        Ok(())
    }
}

/// The order of the examples: that of the file, or one drawn at random.
fn order(count: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    if let Some(seed) = seed {
        let mut random = Random::new(&[seed]);
        for place in (1..count).rev() {
            order.swap(place, random.below(place + 1));
        }
    }
    order
}

/// Refuses a part to learn from in which all labels are the same, or that leaves nothing to test with.
fn check(lines: &Lines, train: &[usize]) -> Result<(), String> {
    match train.split_first() {
        None => Err("there is only one example in it".to_owned()),
        Some((first, others)) if others.iter().all(|place| lines.label(*place) == lines.label(*first)) => {
            let label = lines.label(*first);
            Err(format!("all labels of the first 80% are {label}: there is nothing to learn; --shuffle may help"))
        }
        Some(_) => Ok(()),
    }
}

fn write(lines: &Lines, places: &[usize], path: &Path) -> Result<Part, StudyError> {
    let mut hasher = Xxh3::new();
    let mut file = AtomicFile::create(path).map_err(StudyError::write(path))?;
    for place in places {
        let line = lines.line(*place);
        hasher.update(line);
        file.write_all(line).map_err(StudyError::write(path))?;
    }
    file.commit().map_err(StudyError::write(path))?;
    Ok(Part { path: path.to_owned(), examples: places.len(), hash: hasher.digest() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_that_its_seed_decides() {
        assert_eq!(order(4, None), [0, 1, 2, 3]);
        let shuffled = order(100, Some(1));
        assert_ne!(shuffled, order(100, None));
        assert_eq!(shuffled, order(100, Some(1)));
        assert_ne!(shuffled, order(100, Some(2)));
        let mut sorted = shuffled;
        sorted.sort_unstable();
        assert_eq!(sorted, order(100, None));
    }
}
