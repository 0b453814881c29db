//! What a run will take: measured on the first examples.

use super::bench::{Bench, Ran};
use super::candidate::Candidate;
use super::job::{Job, Purpose};
use super::queue::in_parallel;
use super::split::Prepared;
use super::{Event, Placed, Skipped, Stage, StudyError};

/// A run that is taken to be too long is not even tried for longer than this share of its budget.
const PATIENCE: f64 = 0.25;

/// A candidate on a data set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// The data set's place among all.
    pub(super) place: usize,
    pub(super) set: &'a Prepared,
    pub(super) candidate: Candidate,
    /// Seconds that one run is estimated to take.
    pub(super) seconds: f64,
    /// Seconds that go by beside them, such as for Python's start.
    pub(super) beside: f64,
}

#[derive(Default)]
struct Estimate {
    seconds: f64,
    beside: f64,
    /// Whether it takes more than these seconds.
    at_least: bool,
}

/// The entries that fit into the budget, and those that do not, by the places of their sets.
pub(super) fn within_budget<'a>(
    bench: &Bench<'_>,
    entries: Vec<Entry<'a>>,
) -> Result<(Vec<Entry<'a>>, Vec<Placed<Skipped>>), StudyError> {
    bench.observer.notice(Event::Begins { stage: Stage::Estimate, runs: entries.iter().filter(needs_one).count() });
    let estimates = in_parallel(bench.settings.jobs, &entries, |entry| estimate(bench, entry))?;
    let (mut within, mut beyond) = (Vec::new(), Vec::new());
    for (entry, Estimate { seconds, beside, at_least }) in entries.into_iter().zip(estimates) {
        if seconds <= bench.settings.budget {
            within.push(Entry { seconds, beside, ..entry });
        } else {
            beyond.push((entry.place, too_long(&entry, seconds, at_least, bench.settings.budget)));
        }
    }
    Ok((within, beyond))
}

/// Peers without a learning rate are run once: to try is as good as to estimate.
fn needs_one(entry: &&Entry<'_>) -> bool {
    entry.candidate.has_rate()
}

fn estimate(bench: &Bench<'_>, entry: &Entry<'_>) -> Result<Estimate, StudyError> {
    if !needs_one(&entry) {
        return Ok(Estimate::default());
    }
    let limit = PATIENCE * bench.settings.budget;
    let (set, candidate) = (entry.set, entry.candidate);
    let job = Job { set, candidate, rate: Some(0.5), purpose: Purpose::Estimate, limit, seconds: 0.0 };
    let factor = set.train.examples as f64 / set.pilot.examples as f64;
    Ok(match bench.run(&job)? {
        Ran::Finished { wall_seconds, whole_seconds, .. } => {
            Estimate { seconds: wall_seconds * factor, beside: whole_seconds - wall_seconds, at_least: false }
        }
        Ran::OverTime(seconds) => Estimate { seconds: seconds * factor, at_least: true, ..Estimate::default() },
        // The run itself will tell.
        Ran::Failed(_) => Estimate::default(),
    })
}

fn too_long(entry: &Entry<'_>, seconds: f64, at_least: bool, budget: f64) -> Skipped {
    let Candidate { program, method, alpha } = entry.candidate;
    let more = if at_least { " at least" } else { "" };
    let reason = format!("one run would take an estimated {seconds:.0} s{more}, and the budget is {budget} s");
    Skipped { program, method, alpha, estimated_seconds: Some(seconds), reason }
}
