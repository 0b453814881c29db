use std::path::PathBuf;

use super::Program;

/// What a study is asked to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the data sets are: folders, or single files.
    pub data: Vec<PathBuf>,
    /// The folder for everything that the study writes.
    pub out: PathBuf,
    /// The program russet, which does the training.
    pub russet: PathBuf,
    /// Learning rates to choose from.
    pub rates: Vec<f64>,
    /// Exponents of the growth for apple and ssm.
    pub alphas: Vec<f64>,
    /// Seconds that one run may take, by its estimate.
    pub budget: f64,
    /// How many runs go on at a time while rates are chosen.
    pub jobs: usize,
    /// The seed to shuffle examples with before the split; file order if none.
    pub shuffle: Option<u64>,
    /// Only the data sets of these names; all if empty.
    pub only: Vec<String>,
    /// Whether growing methods use the settings of the paper instead of the defaults.
    pub paper: bool,
    /// Which other programs to run.
    pub peers: Vec<Program>,
    /// The Python environment for the peers; one in `out` if none is named.
    pub environment: Option<PathBuf>,
}

impl Settings {
    /// How data sets are split, for a person.
    pub(super) fn split(&self) -> String {
        match self.shuffle {
            None => "80/20 in file order".to_owned(),
            Some(seed) => format!("80/20 after a shuffle with seed {seed}"),
        }
    }

    /// Where the parts of the data sets are.
    pub(super) fn work(&self) -> PathBuf {
        self.out.join("work")
    }
}
