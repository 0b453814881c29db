//! The course of a study, from files to results.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bench::Bench;
use super::candidate::{self, Candidate};
use super::estimate::{self, Entry};
use super::peers::{self, Peer};
use super::queue::in_parallel;
use super::sets::{self, Source};
use super::split::{NotReady, Prepared};
use super::{Event, Observer, Program, Results, SetResults, Settings, Skipped, StudyError, Task};
use super::{choose, interactions, timing};

/// A study that is done.
#[derive(Clone, Debug)]
pub struct Study {
    /// What it found.
    pub results: Results,
    /// How many runs were done for it.
    pub done: usize,
    /// How many were known from before.
    pub known: usize,
}

/// A peer that cannot be run, and why.
type Missing = (Program, String);

/// Does a study. `cancelled` stops it in good order: what was finished is known the next time.
pub fn run(settings: &Settings, observer: &dyn Observer, cancelled: &AtomicBool) -> Result<Study, StudyError> {
    let sources = sets::find(&settings.data, &settings.out, &settings.only)?;
    let work = settings.work();
    std::fs::create_dir_all(&work).map_err(StudyError::write(&work))?;
    let (peers, missing) = prepare_peers(settings, observer, cancelled)?;
    let sets = in_parallel(settings.jobs, &sources, |source| prepare(source, settings, observer, cancelled))?;
    let bench = Bench::new(settings, observer, cancelled, peers)?;
    let is_there = |candidate: &Candidate| missing.iter().all(|(peer, _)| *peer != candidate.program);
    let (there, not_there): (Vec<_>, Vec<_>) = candidate::all(settings).into_iter().partition(is_there);
    let mut results: Vec<SetResults> = sources.iter().zip(&sets).map(|(source, set)| blank(source, set)).collect();
    for set in results.iter_mut().filter(|set| set.problem.is_none()) {
        set.skipped = not_there.iter().map(|candidate| not_installed(*candidate, &missing)).collect();
    }
    fill(&bench, &sets, &there, &mut results)?;
    let (done, known) = (bench.done.into_inner(), bench.known.into_inner());
    Ok(Study { results: describe(settings, results), done, known })
}

fn describe(settings: &Settings, sets: Vec<SetResults>) -> Results {
    Results {
        version: 1,
        program: program(settings),
        machine: machine(),
        split: settings.split(),
        rates: settings.rates.clone(),
        budget_seconds: Some(settings.budget),
        sets,
    }
}

/// Runs every candidate on every set that is ready.
fn fill(
    bench: &Bench<'_>,
    sets: &[Result<Prepared, String>],
    candidates: &[Candidate],
    results: &mut [SetResults],
) -> Result<(), StudyError> {
    let ready = sets.iter().enumerate().filter_map(|(place, set)| set.as_ref().ok().map(|set| (place, set)));
    let entry =
        |place, set, candidate: &Candidate| Entry { place, set, candidate: *candidate, seconds: 0.0, beside: 0.0 };
    let entries = ready.flat_map(|(place, set)| candidates.iter().map(move |candidate| entry(place, set, candidate)));
    let (entries, too_long) = estimate::within_budget(bench, entries.collect())?;
    let jobs = choose::jobs(bench, &entries);
    let tuning: f64 = jobs.iter().map(|(_, job)| job.seconds).sum();
    bench.expect(tuning + timing::expected(&entries));
    let (chosen, failed) = choose::rates(bench, &entries, &jobs)?;
    for (place, found) in interactions::all(bench, &chosen)? {
        results[place].interactions = found;
    }
    for (place, run) in timing::all(bench, &chosen)? {
        match run {
            Ok(run) => results[place].runs.push(run),
            Err(skipped) => results[place].skipped.push(skipped),
        }
    }
    for (place, skipped) in too_long.into_iter().chain(failed) {
        results[place].skipped.push(skipped);
    }
    Ok(())
}

fn prepare_peers(
    settings: &Settings,
    observer: &dyn Observer,
    cancelled: &AtomicBool,
) -> Result<(Vec<Peer>, Vec<Missing>), StudyError> {
    let (mut peers, mut missing) = (Vec::new(), Vec::new());
    for program in &settings.peers {
        match peers::prepare(*program, settings, observer, cancelled) {
            _ if cancelled.load(Ordering::Relaxed) => return Err(StudyError::Interrupted),
            Ok(peer) => peers.push(peer),
            Err(problem) => {
                observer.notice(Event::Missing { peer: *program, problem: &problem });
                missing.push((*program, problem));
            }
        }
    }
    Ok((peers, missing))
}

/// A set that is ready, or what is wrong with it.
fn prepare(
    source: &Source,
    settings: &Settings,
    observer: &dyn Observer,
    cancelled: &AtomicBool,
) -> Result<Result<Prepared, String>, StudyError> {
    if cancelled.load(Ordering::Relaxed) {
        return Err(StudyError::Interrupted);
    }
    observer.notice(Event::Reading { set: &source.name });
    match Prepared::new(source, settings, cancelled) {
        _ if cancelled.load(Ordering::Relaxed) => Err(StudyError::Interrupted),
        Ok(set) => {
            if settings.peers.iter().any(|peer| *peer != Program::Vw) {
                set.write_svmlight()?;
            }
            Ok(Ok(set))
        }
        Err(NotReady::Fatal(error)) => Err(error),
        Err(NotReady::Problem(problem)) => {
            observer.notice(Event::Unusable { set: &source.name, problem: &problem });
            Ok(Err(problem))
        }
    }
}

/// What is known of a set before anything is run on it.
fn blank(source: &Source, set: &Result<Prepared, String>) -> SetResults {
    let ready = set.as_ref().ok();
    let examples = |count: Option<usize>| count.unwrap_or_default() as u64;
    SetResults {
        name: source.name.clone(),
        source: ready.and_then(|set| set.metadata.source.clone()),
        task: ready.map_or(Task::Classification, |set| set.task),
        train_examples: examples(ready.map(|set| set.train.examples)),
        test_examples: examples(ready.map(|set| set.test.examples)),
        features_per_example: ready.map_or(0.0, |set| set.features_per_example),
        distinct_features: ready.map_or(0, |set| set.distinct_features),
        problem: set.as_ref().err().cloned(),
        runs: Vec::new(),
        skipped: Vec::new(),
        interactions: Vec::new(),
    }
}

fn not_installed(candidate: Candidate, missing: &[Missing]) -> Skipped {
    let Candidate { program, method, alpha } = candidate;
    let problem = missing.iter().find(|(peer, _)| *peer == program).map(|(_, problem)| problem.as_str());
    let reason = format!("{program} could not be made ready: {}", problem.unwrap_or_default());
    Skipped { program, method, alpha, estimated_seconds: None, reason }
}

fn program(settings: &Settings) -> String {
    let preset = if settings.paper { ", growing methods with --preset paper" } else { "" };
    format!("russet {}{preset}", env!("CARGO_PKG_VERSION"))
}

/// The processor and the number of cores, as far as the system tells.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let described = std::fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let model = described.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {cores} core{}", if cores == 1 { "" } else { "s" })
}
