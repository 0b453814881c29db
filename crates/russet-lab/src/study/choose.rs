//! The learning rate of each candidate: the one with the lowest progressive error.

use super::bench::{Bench, Ran};
use super::candidate::Candidate;
use super::estimate::Entry;
use super::job::{Job, Purpose};
use super::queue::in_parallel;
use super::store::Report;
use super::{Event, Placed, Skipped, Stage, StudyError, Task};

/// A run may take longer than it was estimated to, but not by more than this factor over the budget.
const GRACE: f64 = 4.0;

/// Testing takes a little time too.
const WITH_TEST: f64 = 1.1;

/// A candidate with its learning rate.
#[derive(Clone, Debug)]
pub(super) struct Chosen<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) rate: Option<f64>,
    /// What it came to at that rate.
    pub(super) report: Report,
}

/// All runs that the choice needs, the longest first: so that none is left alone at the end.
pub(super) fn jobs<'a>(bench: &Bench<'_>, entries: &[Entry<'a>]) -> Vec<(usize, Job<'a>)> {
    let mut jobs = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let has_rate = entry.candidate.has_rate();
        let rates = bench.settings.rates.iter().map(|rate| Some(*rate)).filter(|_| has_rate);
        jobs.extend(rates.chain((!has_rate).then_some(None)).map(|rate| (number, job(bench, entry, rate))));
    }
    jobs.sort_by(|(_, a), (_, b)| b.seconds.total_cmp(&a.seconds));
    jobs
}

fn job<'a>(bench: &Bench<'_>, entry: &Entry<'a>, rate: Option<f64>) -> Job<'a> {
    let Entry { set, candidate, seconds, beside, .. } = *entry;
    let grace = if candidate.has_rate() { GRACE } else { 1.0 };
    let seconds = (seconds * WITH_TEST + beside) / bench.settings.jobs as f64;
    Job { set, candidate, rate, purpose: Purpose::Errors, limit: grace * bench.settings.budget, seconds }
}

/// Runs everything and chooses; a candidate none of whose runs came to an end is skipped.
pub(super) fn rates<'a>(
    bench: &Bench<'_>,
    entries: &[Entry<'a>],
    jobs: &[(usize, Job<'a>)],
) -> Result<(Vec<Chosen<'a>>, Vec<Placed<Skipped>>), StudyError> {
    bench.observer.notice(Event::Begins { stage: Stage::Tune, runs: jobs.len() });
    let ran = in_parallel(bench.settings.jobs, jobs, |(_, job)| bench.run(job))?;
    let mut tried: Vec<Vec<(Option<f64>, Ran)>> = vec![Vec::new(); entries.len()];
    for ((number, job), ran) in jobs.iter().zip(ran) {
        tried[*number].push((job.rate, ran));
    }
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for (entry, tried) in entries.iter().zip(tried) {
        match best(entry.set.task, &tried) {
            Some((rate, report)) => chosen.push(Chosen { entry: *entry, rate, report }),
            None => skipped.push((entry.place, failed(entry.candidate, &tried))),
        }
    }
    Ok((chosen, skipped))
}

/// The run with the lowest progressive error; of several, the one with the lowest loss, then the lowest rate.
fn best(task: Task, tried: &[(Option<f64>, Ran)]) -> Option<(Option<f64>, Report)> {
    let finished = tried.iter().filter_map(|(rate, ran)| match ran {
        Ran::Finished { report, .. } if test_error(task, report).is_some() => Some((*rate, report)),
        _ => None,
    });
    let key = |(rate, report): &(Option<f64>, &Report)| {
        let error = progressive_error(task, report).filter(|error| error.is_finite());
        [error, report.progressive_loss, *rate].map(|figure| figure.unwrap_or(f64::MAX))
    };
    let lowest = finished.min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    lowest.map(|(rate, report)| (rate, report.clone()))
}

/// What the data set's task is judged by, whatever the program takes it for.
pub(super) fn test_error(task: Task, report: &Report) -> Option<f64> {
    match task {
        Task::Classification => report.test_error,
        Task::Regression => report.test_loss.or(report.test_error),
    }
}

/// The same of progressive validation.
pub(super) fn progressive_error(task: Task, report: &Report) -> Option<f64> {
    match task {
        Task::Classification => report.progressive_error,
        Task::Regression => report.progressive_loss.or(report.progressive_error),
    }
}

fn failed(candidate: Candidate, tried: &[(Option<f64>, Ran)]) -> Skipped {
    let Candidate { program, method, alpha } = candidate;
    let reason = tried.iter().find_map(|(_, ran)| match ran {
        Ran::Failed(words) => Some(words.clone()),
        Ran::OverTime(seconds) => Some(format!("it was stopped after {seconds:.0} s")),
        Ran::Finished { .. } => None,
    });
    let reason = reason.unwrap_or_else(|| "it gave no test error".to_owned());
    Skipped { program, method, alpha, estimated_seconds: None, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(progressive_error: f64, progressive_loss: f64) -> Ran {
        let report = Report {
            progressive_error: Some(progressive_error),
            progressive_loss: Some(progressive_loss),
            test_error: Some(0.5),
            test_loss: Some(0.25),
            ..Report::default()
        };
        Ran::Finished { report, wall_seconds: 1.0, cpu_seconds: 1.0, whole_seconds: 1.0 }
    }

    #[test]
    fn the_lowest_progressive_error_wins_and_failures_do_not_count() {
        let mut tried = vec![
            (Some(1.0), finished(0.2, 0.9)),
            (Some(2.0), Ran::Failed("no".to_owned())),
            (Some(4.0), finished(0.1, 0.8)),
            (Some(8.0), finished(0.1, 0.7)),
            (Some(9.0), finished(f64::NAN, 0.1)),
        ];
        let rate = |task, tried: &[(Option<f64>, Ran)]| best(task, tried).and_then(|(rate, _)| rate);
        assert_eq!(rate(Task::Classification, &tried), Some(8.0));
        assert_eq!(rate(Task::Regression, &tried), Some(9.0));
        tried.truncate(1);
        assert_eq!(rate(Task::Regression, &tried), Some(1.0));
        assert_eq!(rate(Task::Regression, &[]), None);
    }
}
