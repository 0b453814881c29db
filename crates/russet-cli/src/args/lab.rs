use clap::{Args, Subcommand};

#[derive(Args, Debug)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) experiment: LabCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum LabCommand {
    /// Check by experiment what the paper says of the adaptive expansion; the exit code is 1 if something misses
    Theory(TheoryArgs),
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
