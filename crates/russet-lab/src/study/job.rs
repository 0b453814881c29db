//! A run to do: what it reads and how it is called.

use super::candidate::{Candidate, Files};
use super::split::{Part, Prepared};
use super::{Method, Program, Settings};

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Purpose {
    /// To estimate what a whole one takes.
    Estimate,
    /// To know its errors.
    Errors,
    /// To know its time and memory, alone on the machine; which one of several.
    Time(usize),
}

/// A run to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) set: &'a Prepared,
    pub(super) candidate: Candidate,
    pub(super) rate: Option<f64>,
    pub(super) purpose: Purpose,
    /// It is stopped after so many seconds.
    pub(super) limit: f64,
    /// Its share of the study's time, as far as that is known.
    pub(super) seconds: f64,
}

impl Job<'_> {
    /// What it learns from, and what it is tested with.
    pub(super) fn parts(&self) -> [Option<&Part>; 2] {
        match self.purpose {
            Purpose::Estimate => [Some(&self.set.pilot), None],
            Purpose::Errors => [Some(&self.set.train), Some(&self.set.test)],
            Purpose::Time(_) => [Some(&self.set.train), None],
        }
    }

    pub(super) fn path(&self, part: &Part) -> String {
        let path = match self.candidate.method {
            Method::Default => self.set.svmlight(part),
            _ => part.path.clone(),
        };
        path.to_string_lossy().into_owned()
    }

    /// The run's arguments with these names of files.
    pub(super) fn arguments(&self, train: &str, test: Option<&str>, settings: &Settings) -> Vec<String> {
        let examples = self.parts()[0].map_or(0, |part| part.examples);
        let files = Files { train, test, task: self.set.task, examples };
        let mut arguments = self.candidate.arguments(self.rate, &files, settings.paper);
        // Side by side with others, each has one core; alone, it has all, as for a user.
        if self.candidate.program == Program::Russet && !matches!(self.purpose, Purpose::Time(_)) {
            arguments.extend(["--readers".to_owned(), "1".to_owned()]);
        }
        arguments
    }

    /// Such as `titanic: apple 0.5 at rate 1`.
    pub(super) fn title(&self) -> String {
        let Job { set, candidate, .. } = self;
        match self.rate {
            Some(rate) => format!("{}: {candidate} at rate {rate}", set.name),
            None => format!("{}: {candidate}", set.name),
        }
    }
}
