//! The paper's table of learning in parallel: linear and n-gram features, each with and without apple, on several ranks.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::child::{self, Call, Ended};
use super::sets::Source;
use super::split::{NotReady, Prepared};
use super::{Settings, StudyError};

/// What the table is asked to show.
#[derive(Clone, Debug)]
pub struct ParallelSettings {
    /// The data set.
    pub data: PathBuf,
    /// What to test with; the last fifth of the data if none.
    pub test: Option<PathBuf>,
    /// The program russet, which does the training.
    pub russet: PathBuf,
    /// Numbers of ranks.
    pub ranks: Vec<usize>,
    /// Passes over the data.
    pub passes: u32,
    /// The exponent of apple's growth.
    pub alpha: f64,
    /// What starts ranks as processes connected by MPI, with its arguments; threads learn if it is empty.
    pub launcher: Vec<String>,
}

/// The table.
#[derive(Clone, Debug, Serialize)]
pub struct ParallelTable {
    /// The data set.
    pub data: String,
    /// Passes over the data.
    pub passes: u32,
    /// The exponent of apple's growth.
    pub alpha: f64,
    /// Whether ranks were processes connected by MPI.
    pub mpi: bool,
    /// A row for each way to learn and number of ranks.
    pub rows: Vec<ParallelRow>,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct ParallelRow {
    /// The way to learn, as the paper calls it.
    pub method: &'static str,
    /// How many ranks learned.
    pub ranks: usize,
    /// The area under the curve on the test examples, for two classes.
    pub auc: Option<f64>,
    /// The error on the test examples.
    pub test_error: Option<f64>,
    /// The time that reading and learning took.
    pub seconds: f64,
    /// How much of it a rank spent on the others.
    pub seconds_communicating: f64,
    /// What all ranks sent.
    pub bytes_sent: u64,
    /// The paper's AUC, on 100 nodes and data of its own.
    pub paper_auc: f64,
    /// The paper's time.
    pub paper_seconds: f64,
}

/// A way to learn: its name, flags, and the paper's AUC and seconds.
type Method = (&'static str, &'static [&'static str], f64, f64);

const METHODS: [Method; 4] = [
    ("lin", &["--expansion", "linear"], 0.81664, 1282.0),
    ("lin+apple", &["--expansion", "apple"], 0.81712, 2727.0),
    ("bigram", &["--expansion", "linear", "--ngram", "2"], 0.81757, 2755.0),
    ("bigram+apple", &["--expansion", "apple", "--ngram", "2"], 0.81796, 7378.0),
];

/// What of a run's result is used.
#[derive(Deserialize)]
struct Outcome {
    auc: Option<f64>,
    test_error: Option<f64>,
    train_seconds: f64,
    seconds_communicating: f64,
    bytes_sent: u64,
}

/// Makes the table, run by run; `tell` is called with the title of each.
pub fn table(
    settings: &ParallelSettings,
    tell: &mut dyn FnMut(&str),
    cancelled: &AtomicBool,
) -> Result<ParallelTable, StudyError> {
    let folder = tempfile::tempdir().map_err(StudyError::write(Path::new("a temporary folder")))?;
    let (train, test) = match &settings.test {
        Some(test) => (settings.data.clone(), test.clone()),
        None => split(settings, folder.path(), cancelled)?,
    };
    let mut rows = Vec::new();
    for method in METHODS {
        for ranks in &settings.ranks {
            tell(&format!("{} on {ranks} rank{}", method.0, if *ranks == 1 { "" } else { "s" }));
            rows.push(row(settings, method, *ranks, (&train, &test), cancelled)?);
        }
    }
    let data = settings.data.display().to_string();
    let mpi = !settings.launcher.is_empty();
    Ok(ParallelTable { data, passes: settings.passes, alpha: settings.alpha, mpi, rows })
}

/// Writes the first four fifths and the rest of the data, as a study does.
fn split(settings: &ParallelSettings, folder: &Path, cancelled: &AtomicBool) -> Result<(PathBuf, PathBuf), StudyError> {
    let unusable = |problem| StudyError::Unusable { path: settings.data.clone(), problem };
    let study = Settings {
        data: Vec::new(),
        out: folder.to_owned(),
        russet: settings.russet.clone(),
        rates: Vec::new(),
        alphas: Vec::new(),
        budget: f64::MAX,
        jobs: 1,
        shuffle: None,
        only: Vec::new(),
        paper: false,
        peers: Vec::new(),
        environment: None,
    };
    std::fs::create_dir_all(study.work()).map_err(StudyError::write(&study.work()))?;
    let name = settings.data.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name = name.split('.').next().unwrap_or_default().to_owned();
    let source = Source { name, path: settings.data.clone(), others: Vec::new() };
    match Prepared::new(&source, &study, cancelled) {
        Ok(prepared) => Ok((prepared.train.path, prepared.test.path)),
        Err(NotReady::Problem(problem)) => Err(unusable(problem)),
        Err(NotReady::Fatal(error)) => Err(error),
    }
}

/// How a training is started on so many ranks.
fn call(settings: &ParallelSettings, ranks: usize, mut arguments: Vec<String>) -> Call {
    let Some((launcher, flags)) = settings.launcher.split_first() else {
        arguments.extend(["--threads".to_owned(), ranks.to_string()]);
        return Call { program: settings.russet.clone(), arguments };
    };
    let russet = settings.russet.to_string_lossy().into_owned();
    let launched = flags.iter().cloned().chain(["-n".to_owned(), ranks.to_string(), russet]).chain(arguments);
    Call { program: launcher.into(), arguments: launched.collect() }
}

fn row(
    settings: &ParallelSettings,
    (method, flags, paper_auc, paper_seconds): Method,
    ranks: usize,
    (train, test): (&Path, &Path),
    cancelled: &AtomicBool,
) -> Result<ParallelRow, StudyError> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut arguments = vec!["train".to_owned(), text(train), "--test".to_owned(), text(test)];
    arguments.extend(["--json", "--quiet", "--passes"].map(str::to_owned));
    arguments.push(settings.passes.to_string());
    arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    if flags.contains(&"apple") {
        arguments.extend(["--alpha".to_owned(), settings.alpha.to_string()]);
    }
    let call = call(settings, ranks, arguments);
    let failed = |problem: String| StudyError::Run { title: format!("{method} on {ranks} ranks"), problem };
    let cannot = |cause| StudyError::Program { path: call.program.clone(), cause };
    match child::run(&call, None, cancelled).map_err(cannot)? {
        Ended::Well(measured) => {
            let result: Outcome = serde_json::from_str(&measured.output).map_err(|error| failed(error.to_string()))?;
            let Outcome { auc, test_error, train_seconds: seconds, seconds_communicating, bytes_sent } = result;
            let row = ParallelRow {
                method,
                ranks,
                auc,
                test_error,
                seconds,
                seconds_communicating,
                bytes_sent,
                paper_auc,
                paper_seconds,
            };
            Ok(row)
        }
        Ended::Badly(words) => Err(failed(words)),
        Ended::OverTime | Ended::Cancelled => Err(StudyError::Interrupted),
    }
}
