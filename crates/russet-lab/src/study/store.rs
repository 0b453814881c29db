//! Finished runs, kept by what was run on what: a study that is started again finds them.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::StudyError;

/// What a training program printed as JSON; those that have no figure leave it out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    pub(super) progressive_error: Option<f64>,
    pub(super) progressive_loss: Option<f64>,
    pub(super) test_error: Option<f64>,
    pub(super) test_loss: Option<f64>,
    pub(super) auc: Option<f64>,
    pub(super) features_per_example: Option<f64>,
    pub(super) peak_memory_bytes: Option<u64>,
    /// Of programs within another: their own time.
    pub(super) seconds: Option<f64>,
    pub(super) cpu_seconds: Option<f64>,
}

/// How a run came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// It ended.
    Finished {
        /// What it printed.
        report: Report,
        wall_seconds: f64,
        cpu_seconds: f64,
        /// All that it took, also what is not counted as training.
        whole_seconds: f64,
    },
    /// It was stopped after this many seconds.
    OverTime(f64),
}

/// A finished run with what it was, for a person who looks into the file.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    what: String,
    outcome: T,
}

/// The folder of finished runs.
#[derive(Debug)]
pub(super) struct Store(PathBuf);

impl Store {
    pub(super) fn open(folder: PathBuf) -> Result<Store, StudyError> {
        std::fs::create_dir_all(&folder).map_err(StudyError::write(&folder))?;
        Ok(Store(folder))
    }

    /// A run's outcome, if it is known. `what` is all that decides it. A file that cannot be understood is none.
    pub(super) fn find<T: DeserializeOwned>(&self, what: &str) -> Option<T> {
        let kept: Kept<T> = serde_json::from_slice(&std::fs::read(self.path(what)).ok()?).ok()?;
        (kept.what == what).then_some(kept.outcome)
    }

    /// Keeps a run's outcome. Not flushed to the disk one by one, which would take longer than many a run: a file
    /// that a power cut leaves broken is a run to do again.
    pub(super) fn keep<T: Serialize>(&self, what: &str, outcome: &T) -> Result<(), StudyError> {
        let path = self.path(what);
        let kept = Kept { what: what.to_owned(), outcome };
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.0)?;
            file.write_all(&serde_json::to_vec(&kept)?)?;
            file.persist(&path).map(drop).map_err(|failed| failed.error)
        };
        write().map_err(StudyError::write(&path))
    }

    fn path(&self, what: &str) -> PathBuf {
        self.0.join(format!("{:032x}.json", xxh3_128(what.as_bytes())))
    }
}

/// What a program's file holds, as a short text: another build is another program.
pub(super) fn identity(program: &Path) -> Result<String, StudyError> {
    let bytes = std::fs::read(program).map_err(|cause| StudyError::Program { path: program.to_owned(), cause })?;
    Ok(format!("{:032x}", xxh3_128(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_ruins_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("runs")).unwrap();
        let report = Report { test_error: Some(0.1 + 0.2), ..Report::default() };
        let outcome = Outcome::Finished { report, wall_seconds: 1.5, cpu_seconds: 2.5, whole_seconds: 2.0 };
        assert_eq!(store.find::<Outcome>("a"), None);
        store.keep("a", &outcome).unwrap();
        store.keep("b", &Outcome::OverTime(3.0)).unwrap();
        assert_eq!(store.find("a"), Some(outcome));
        assert_eq!(store.find("b"), Some(Outcome::OverTime(3.0)));
        std::fs::write(store.path("a"), "{\"what\": \"a\", \"outc").unwrap();
        assert_eq!(store.find::<Outcome>("a"), None);
    }
}
