//! The command line, declared once: parsing, help, completions and the man page all come from here.

mod choices;
mod data;
mod lab;
mod learn;

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use choices::AverageChoice;
pub(crate) use data::DataArgs;
pub(crate) use lab::{LabArgs, LabCommand, ParallelArgs, StudyArgs, TheoryArgs};
pub(crate) use learn::LearnArgs;

/// Learns nonlinear models of large sparse and tabular data, online.
///
/// DATA is files, patterns such as 'part-*.vw.zst', or - for standard input: VW text, svmlight or CSV, plain, gzip or zstd.
#[derive(Parser, Debug)]
#[command(name = "russet", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Learn a model from data
    Train(TrainArgs),
    /// Predict with a model: one prediction a line
    Predict(PredictArgs),
    /// Measure how well a model predicts labelled data
    Evaluate(EvaluateArgs),
    /// Show what a model has learned, by name
    Inspect(InspectArgs),
    /// Find a good learning rate (and alpha) by progressive validation, all candidates in one pass
    Tune(TuneArgs),
    /// Write data in another format, or as a cache that loads faster
    Convert(ConvertArgs),
    /// Experiments: the paper's study on folders of data sets, and its theory
    Lab(LabArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) learn: LearnArgs,

    /// Where to save the model
    #[arg(short, long = "output", value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,

    /// Evaluate the final model on this file
    #[arg(long, value_name = "FILE", conflicts_with = "holdout")]
    pub(crate) test: Option<String>,

    /// Keep the last part of the data to evaluate the final model on, such as 0.2
    #[arg(long, value_name = "FRACTION", value_parser = fraction, allow_negative_numbers = true)]
    pub(crate) holdout: Option<f64>,

    /// How often to go through the data [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) passes: Option<u32>,

    /// Learn on N ranks at once, each with its part of the data, as threads of this process; mpirun starts more elsewhere
    #[arg(long, value_name = "N", default_value = "1", help_heading = "In parallel")]
    pub(crate) threads: NonZero<usize>,

    /// Ranks average their weights every N examples of each [default: at the end of each pass]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "In parallel")]
    pub(crate) sync_every: Option<u64>,

    /// How weights are averaged [default: adaptive]
    #[arg(long, help_heading = "In parallel")]
    pub(crate) average: Option<AverageChoice>,

    /// Apple: how many examples the whole course has, all passes together [default: counted, where files allow it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) examples: Option<u64>,

    /// Go on with a model: a finished one learns from new data, a checkpoint (or the folder it is in) continues where it stopped
    #[arg(long, value_name = "MODEL")]
    pub(crate) resume: Option<PathBuf>,

    /// Save the unfinished model to the output every N examples
    #[arg(long, value_name = "N", requires = "output", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: Option<u64>,

    /// Save the unfinished model in this folder at the end of each pass; go on with --resume FOLDER, on any number of ranks
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Keep the parsed data in this file; it is used when it fits the data, and made anew when not
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,

    /// How many of the strongest terms to show at the end
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,

    /// Print the result as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing but errors (and the JSON, if asked for)
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    /// The model
    #[arg(short, long)]
    pub(crate) model: PathBuf,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Where to write predictions [default: standard output]
    #[arg(short, long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print the probability of the positive class
    #[arg(long, conflicts_with = "explain")]
    pub(crate) probability: bool,

    /// Show the terms that made each prediction, the largest first; with N, at most N of them one by one
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub(crate) explain: Option<Option<usize>>,

    /// With --explain: print one JSON object a line
    #[arg(long, requires = "explain")]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    /// The model
    #[arg(short, long)]
    pub(crate) model: PathBuf,

    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// The model
    pub(crate) model: PathBuf,

    /// How many terms to show, the strongest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// Print the model's description and terms as one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the terms as a table with the columns name, weight, effect, degree, epoch, active
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Show how the parents of an adaptive expansion grew from each other
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) tree: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    #[command(flatten)]
    pub(crate) learn: LearnArgs,

    /// Learning rates to try
    #[arg(
        long,
        value_name = "RATES",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_values_t = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0],
        conflicts_with = "learning_rate"
    )]
    pub(crate) grid: Vec<f32>,

    /// Apple: values of alpha to try, each with every learning rate [default: that of --alpha]
    #[arg(long, value_name = "ALPHAS", value_delimiter = ',', allow_negative_numbers = true, conflicts_with = "alpha")]
    pub(crate) alphas: Vec<f32>,

    /// Where to save the best model
    #[arg(short, long = "output", value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,

    /// Print the result as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing but errors (and the JSON, if asked for)
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// Where to write; the ending tells the format (.vw, .svm, .csv, .tsv, .cache) and compression (.gz, .zst)
    #[arg(short, long = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write the pages of all commands to this folder instead
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

fn fraction(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|value| *value > 0.0 && *value < 1.0);
    valid.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
