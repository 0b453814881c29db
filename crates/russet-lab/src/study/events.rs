use super::Program;

/// What a study does in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Short runs on a part of the data, to estimate what whole ones take.
    Estimate,
    /// Whole runs, several at a time, to choose learning rates.
    Tune,
    /// The chosen runs again, one at a time.
    Time,
}

/// What happens in the course of a study.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A data set is read and split.
    Reading {
        /// Its name.
        set: &'a str,
    },
    /// A data set cannot be studied; the others are.
    Unusable {
        /// Its name.
        set: &'a str,
        /// Why not.
        problem: &'a str,
    },
    /// A peer is made ready, which may take a while.
    Installing {
        /// Which one.
        peer: Program,
    },
    /// A peer cannot be run; the others are.
    Missing {
        /// Which one.
        peer: Program,
        /// Why not.
        problem: &'a str,
    },
    /// A stage begins.
    Begins {
        /// Which one.
        stage: Stage,
        /// How many runs it has, those known from before included.
        runs: usize,
    },
    /// A run begins.
    Started {
        /// Which one, such as `titanic: apple 0.5 at rate 1`.
        run: &'a str,
    },
    /// A run has ended.
    Ended {
        /// Which one.
        run: &'a str,
        /// Whether its result was known from before.
        known: bool,
        /// Seconds until the study is done, if that can be told.
        left: Option<f64>,
    },
}

/// Someone who follows a study. Runs go on side by side, so it is told things from several threads.
pub trait Observer: Sync {
    /// Something happened.
    fn notice(&self, event: Event<'_>);
}

/// For those who only want the results.
impl Observer for () {
    fn notice(&self, _event: Event<'_>) {}
}
