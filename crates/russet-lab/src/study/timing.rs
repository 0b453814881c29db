//! Time and memory of the chosen runs, one at a time.

use super::bench::{Bench, Ran};
use super::candidate::Candidate;
use super::choose::{Chosen, progressive_error, test_error};
use super::estimate::Entry;
use super::job::{Job, Purpose};
use super::{Event, Placed, Run, Skipped, Stage, StudyError};

/// A run shorter than this many seconds is measured several times...
const SHORT: f64 = 1.0;
/// ... and the best counts: what else the machine does can only slow it down.
const REPEATS: usize = 3;

/// Seconds that the timings are estimated to take.
pub(super) fn expected(entries: &[Entry<'_>]) -> f64 {
    entries.iter().map(|entry| repeats(entry) as f64 * (entry.seconds + entry.beside)).sum()
}

/// How often a run is measured, by its estimate.
fn repeats(entry: &Entry<'_>) -> usize {
    if entry.seconds < SHORT { REPEATS } else { 1 }
}

/// The finished runs, by the places of their sets, or why there is none.
pub(super) fn all(bench: &Bench<'_>, chosen: &[Chosen<'_>]) -> Result<Vec<Placed<Result<Run, Skipped>>>, StudyError> {
    let runs = chosen.iter().map(|chosen| repeats(&chosen.entry)).sum();
    bench.observer.notice(Event::Begins { stage: Stage::Time, runs });
    chosen.iter().map(|chosen| Ok((chosen.entry.place, timed(bench, chosen)?))).collect()
}

/// The least that each of the figures was.
#[derive(Clone, Copy)]
struct Least {
    wall_seconds: f64,
    cpu_seconds: f64,
    memory: Option<u64>,
}

fn timed(bench: &Bench<'_>, chosen: &Chosen<'_>) -> Result<Result<Run, Skipped>, StudyError> {
    let mut least: Option<Least> = None;
    for repeat in 0..REPEATS {
        if least.is_some_and(|least| least.wall_seconds >= SHORT) {
            break;
        }
        let (report, wall_seconds, cpu_seconds) = match bench.run(&job(chosen, repeat))? {
            Ran::Finished { report, wall_seconds, cpu_seconds, .. } => (report, wall_seconds, cpu_seconds),
            Ran::OverTime(_) => break,
            Ran::Failed(words) => return Ok(Err(skipped(chosen, words))),
        };
        let memory = report.peak_memory_bytes;
        let one = Least { wall_seconds, cpu_seconds, memory };
        least = Some(least.map_or(one, |least| Least {
            wall_seconds: least.wall_seconds.min(wall_seconds),
            cpu_seconds: least.cpu_seconds.min(cpu_seconds),
            memory: least.memory.min(memory),
        }));
    }
    let without = || skipped(chosen, "it could not be timed".to_owned());
    Ok(least.and_then(|least| finished(chosen, least)).ok_or_else(without))
}

fn job<'a>(chosen: &Chosen<'a>, repeat: usize) -> Job<'a> {
    let entry = chosen.entry;
    Job {
        set: entry.set,
        candidate: entry.candidate,
        rate: chosen.rate,
        purpose: Purpose::Time(repeat),
        limit: f64::INFINITY,
        seconds: entry.seconds + entry.beside,
    }
}

fn finished(chosen: &Chosen<'_>, least: Least) -> Option<Run> {
    let Chosen { entry, rate, report } = chosen;
    let task = entry.set.task;
    Some(Run {
        program: entry.candidate.program,
        method: entry.candidate.method,
        alpha: entry.candidate.alpha,
        learning_rate: *rate,
        progressive_error: progressive_error(task, report),
        test_error: test_error(task, report)?,
        auc: report.auc,
        train_seconds: least.wall_seconds,
        cpu_seconds: least.cpu_seconds,
        features_per_example: report.features_per_example,
        peak_memory_bytes: least.memory,
    })
}

fn skipped(chosen: &Chosen<'_>, reason: String) -> Skipped {
    let Candidate { program, method, alpha } = chosen.entry.candidate;
    Skipped { program, method, alpha, estimated_seconds: None, reason }
}
