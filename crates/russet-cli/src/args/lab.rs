use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::choices::PresetChoice;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) experiment: Option<LabCommand>,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum LabCommand {
    /// Check by experiment what the paper says of the adaptive expansion; the exit code is 1 if something misses
    Theory(TheoryArgs),
    /// The paper's table of learning in parallel: lin, lin+apple, bigram and bigram+apple on several ranks
    Parallel(ParallelArgs),
}

/// The paper's study on any data.
#[derive(Args, Debug)]
pub(crate) struct StudyArgs {
    /// Folders of data sets: NAME.vw, .svm or .csv, also .gz and .zst; NAME.json may tell task, source, label and names
    #[arg(required = true, value_name = "DIR")]
    pub(crate) data: Vec<PathBuf>,

    /// Where to write the results, and to keep finished runs: started again with the same folder, a study goes on
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    pub(crate) out: PathBuf,

    /// Learning rates to choose from, by progressive validation
    #[arg(
        long,
        value_name = "RATES",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_values_t = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0],
    )]
    pub(crate) rates: Vec<f64>,

    /// Values of alpha for apple and ssm
    #[arg(
        long,
        value_name = "ALPHAS",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_values_t = [0.125, 0.25, 0.5, 0.75, 1.0],
    )]
    pub(crate) alphas: Vec<f64>,

    /// Leave out what would take longer than this for one run, by its estimate
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", allow_negative_numbers = true)]
    pub(crate) budget: f64,

    /// Runs at a time while rates are chosen; timings are taken one at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,

    /// Shuffle the examples before the split, which is in file order otherwise
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,

    /// Only these data sets
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) sets: Vec<String>,

    /// Settings of the growing methods other than the defaults
    #[arg(long)]
    pub(crate) preset: Option<PresetChoice>,

    /// Compare with Vowpal Wabbit: a vw on the PATH, or from PyPI
    #[arg(long)]
    pub(crate) with_vw: bool,

    /// Compare with LightGBM from PyPI
    #[arg(long)]
    pub(crate) with_lightgbm: bool,

    /// Compare with scikit-learn's SGD from PyPI
    #[arg(long)]
    pub(crate) with_sklearn: bool,

    /// The Python environment for the others; made, or completed, where something is missing [default: .venv in --out]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) venv: Option<PathBuf>,

    /// Print a summary as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing but errors (and the JSON, if asked for)
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TheoryArgs {
    /// Run less: seconds instead of a minute
    #[arg(long)]
    pub(crate) quick: bool,

    /// What the random numbers begin with
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Print the result as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not tell how far it is
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ParallelArgs {
    /// The data set, of clicks or any other; the last fifth of its examples, in file order, is to test with
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,

    /// Test with this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,

    /// Numbers of ranks
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1,2,4")]
    pub(crate) ranks: Vec<NonZero<usize>>,

    /// How often to go through the data
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "5")]
    pub(crate) passes: u32,

    /// Apple: each growth makes s^ALPHA parents; the default is the paper's for this table
    #[arg(long, default_value = "0.25", allow_negative_numbers = true)]
    pub(crate) alpha: f64,

    /// Ranks are processes rather than threads, started by this program, which is given -n and their number
    #[arg(long, value_name = "LAUNCHER", num_args = 0..=1, require_equals = true, default_missing_value = "mpirun")]
    pub(crate) mpi: Option<String>,

    /// Print the table as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not tell how far it is
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    valid.ok_or_else(|| "expected a number above 0".to_owned())
}
