//! One run: looked up, or done and kept.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::child::{self, Call, Ended};
use super::job::Job;
use super::peers::Peer;
use super::queue::Ledger;
use super::store::{self, Outcome, Report, Store};
use super::{Event, Observer, Settings, StudyError};

/// How a run came out, which includes that it failed.
#[derive(Clone, Debug)]
pub(super) enum Ran {
    /// It ended well.
    Finished {
        report: Report,
        wall_seconds: f64,
        cpu_seconds: f64,
        /// All that it took, also what is not counted as training, such as Python's start.
        whole_seconds: f64,
    },
    /// It was stopped after this many seconds.
    OverTime(f64),
    /// What it said.
    Failed(String),
}

/// What all runs share.
pub(super) struct Bench<'a> {
    pub(super) settings: &'a Settings,
    pub(super) observer: &'a dyn Observer,
    pub(super) cancelled: &'a AtomicBool,
    store: Store,
    russet: String,
    peers: Vec<Peer>,
    ledger: Mutex<Option<Ledger>>,
    /// How many runs were done, and how many were known.
    pub(super) done: AtomicUsize,
    pub(super) known: AtomicUsize,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        observer: &'a dyn Observer,
        cancelled: &'a AtomicBool,
        peers: Vec<Peer>,
    ) -> Result<Bench<'a>, StudyError> {
        Ok(Bench {
            settings,
            observer,
            cancelled,
            store: Store::open(settings.out.join("runs"))?,
            russet: store::identity(&settings.russet)?,
            peers,
            ledger: Mutex::new(None),
            done: AtomicUsize::new(0),
            known: AtomicUsize::new(0),
        })
    }

    /// From now on, tells how much is left of so many estimated seconds.
    pub(super) fn expect(&self, seconds: f64) {
        *self.ledger.lock().unwrap_or_else(PoisonError::into_inner) = Some(Ledger::new(seconds));
    }

    /// Looks a run up, or does it.
    pub(super) fn run(&self, job: &Job<'_>) -> Result<Ran, StudyError> {
        let what = self.what(job);
        let title = job.title();
        let kept =
            self.store.find(&what).filter(|outcome| !matches!(outcome, Outcome::OverTime(limit) if *limit < job.limit));
        if let Some(outcome) = kept {
            self.tell(&title, true, job.seconds);
            return Ok(outcome.into());
        }
        self.observer.notice(Event::Started { run: &title });
        let ran = match outcome(self.call(&self.command(job), job.limit)?, job.limit) {
            Ok(outcome) => {
                self.store.keep(&what, &outcome)?;
                outcome.into()
            }
            Err(words) => Ran::Failed(words),
        };
        self.tell(&title, false, job.seconds);
        Ok(ran)
    }

    /// Looks up something that other calls of programs give, or computes it and keeps it, if there is something to keep.
    pub(super) fn once<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        job: &Job<'_>,
        name: &str,
        compute: impl FnOnce() -> Result<Option<T>, StudyError>,
    ) -> Result<Option<T>, StudyError> {
        let what = format!("{name}\n{}", self.what(job));
        let title = format!("{}: {name}", job.set.name);
        if let Some(found) = self.store.find(&what) {
            self.tell(&title, true, job.seconds);
            return Ok(Some(found));
        }
        self.observer.notice(Event::Started { run: &title });
        let computed = compute()?;
        computed.iter().try_for_each(|computed| self.store.keep(&what, computed))?;
        self.tell(&title, false, job.seconds);
        Ok(computed)
    }

    /// Runs a program, unless the study is cancelled.
    pub(super) fn call(&self, call: &Call, limit: f64) -> Result<Ended, StudyError> {
        let limit = limit.is_finite().then_some(limit);
        let ended = child::run(call, limit, self.cancelled)
            .map_err(|cause| StudyError::Program { path: call.program.clone(), cause })?;
        // An interrupt from the terminal reaches the child too, which may be the first to end.
        match ended {
            _ if self.cancelled.load(Ordering::Relaxed) => Err(StudyError::Interrupted),
            Ended::Cancelled => Err(StudyError::Interrupted),
            ended => Ok(ended),
        }
    }

    fn tell(&self, run: &str, known: bool, seconds: f64) {
        if known { &self.known } else { &self.done }.fetch_add(1, Ordering::Relaxed);
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let left = ledger.as_mut().and_then(|ledger| {
            ledger.cross_off(seconds, known);
            ledger.left()
        });
        drop(ledger);
        self.observer.notice(Event::Ended { run, known, left });
    }

    /// Everything that decides how a run comes out.
    fn what(&self, job: &Job<'_>) -> String {
        let [train, test] = job.parts().map(|part| part.map(|part| format!("{:016x}", part.hash)));
        let arguments = job.arguments(train.as_deref().unwrap_or_default(), test.as_deref(), self.settings);
        let identity = self.peer(job).map_or(self.russet.as_str(), |peer| peer.identity.as_str());
        let purpose = job.purpose;
        format!("{identity}\n{}\n{purpose:?}", arguments.join(" "))
    }

    fn command(&self, job: &Job<'_>) -> Call {
        let [train, test] = job.parts().map(|part| part.map(|part| job.path(part)));
        let arguments = job.arguments(train.as_deref().unwrap_or_default(), test.as_deref(), self.settings);
        match self.peer(job) {
            None => Call { program: self.settings.russet.clone(), arguments },
            Some(peer) => Call { program: peer.python.clone(), arguments: [peer.first.clone(), arguments].concat() },
        }
    }

    fn peer(&self, job: &Job<'_>) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.program == job.candidate.program)
    }
}

/// What a child's end means; otherwise what it said.
fn outcome(ended: Ended, limit: f64) -> Result<Outcome, String> {
    match ended {
        Ended::Well(measured) => {
            let report: Report = serde_json::from_str(&measured.output)
                .map_err(|error| format!("it printed something else than its report: {error}"))?;
            Ok(Outcome::Finished {
                wall_seconds: report.seconds.unwrap_or(measured.wall_seconds),
                cpu_seconds: report.cpu_seconds.unwrap_or(measured.cpu_seconds),
                whole_seconds: measured.wall_seconds,
                report,
            })
        }
        Ended::OverTime | Ended::Cancelled => Ok(Outcome::OverTime(limit)),
        Ended::Badly(words) => Err(words),
    }
}

impl From<Outcome> for Ran {
    fn from(outcome: Outcome) -> Ran {
        match outcome {
            Outcome::Finished { report, wall_seconds, cpu_seconds, whole_seconds } => {
                Ran::Finished { report, wall_seconds, cpu_seconds, whole_seconds }
            }
            Outcome::OverTime(seconds) => Ran::OverTime(seconds),
        }
    }
}
