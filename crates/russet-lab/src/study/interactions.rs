//! What apple found, by name.

use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::child::{Call, Ended};
use super::choose::Chosen;
use super::job::{Job, Purpose};
use super::queue::in_parallel;
use super::{Interaction, Method, Placed, Program, StudyError};

/// How many interactions of a data set are told.
const TOLD: usize = 10;
/// Among how many terms they are looked for.
const TERMS: &str = "10000";

/// What `russet inspect --json` prints, as far as it is of interest.
#[derive(Deserialize)]
struct Inspected {
    terms: Vec<Term>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Term {
    name: String,
    effect: f64,
    degree: Option<u32>,
    epoch: Option<u32>,
    active: Option<f64>,
}

/// The strongest interactions of apple with alpha 1, by the places of their sets.
pub(super) fn all(bench: &Bench<'_>, chosen: &[Chosen<'_>]) -> Result<Vec<Placed<Vec<Interaction>>>, StudyError> {
    let is_apple = |chosen: &&Chosen<'_>| {
        let candidate = chosen.entry.candidate;
        (candidate.program, candidate.method, candidate.alpha) == (Program::Russet, Method::Apple, Some(1.0))
    };
    let apples: Vec<_> = chosen.iter().filter(is_apple).collect();
    in_parallel(bench.settings.jobs, &apples, |chosen| Ok((chosen.entry.place, of_one(bench, chosen)?)))
}

fn of_one(bench: &Bench<'_>, chosen: &Chosen<'_>) -> Result<Vec<Interaction>, StudyError> {
    let (set, seconds) = (chosen.entry.set, 0.0);
    let limit = f64::INFINITY;
    let job =
        Job { set, candidate: chosen.entry.candidate, rate: chosen.rate, purpose: Purpose::Time(0), limit, seconds };
    let terms = bench.once(&job, "interactions", || {
        let model = set.train.path.with_file_name(format!("{}.model", set.name)).to_string_lossy().into_owned();
        let mut train = job.arguments(&set.train.path.to_string_lossy(), None, bench.settings);
        train.extend(["--output".to_owned(), model.clone()]);
        let inspect = ["inspect", &model, "--json", "--top", TERMS].map(str::to_owned).to_vec();
        if output(bench, train)?.is_none() {
            return Ok(None);
        }
        let inspected = output(bench, inspect)?.and_then(|text| serde_json::from_str::<Inspected>(&text).ok());
        Ok(inspected.map(|inspected| strongest(inspected.terms)))
    })?;
    let interaction = |term: Term| Interaction {
        name: set.metadata.translate(&term.name),
        weight: term.effect,
        degree: term.degree.unwrap_or_default(),
        epoch: term.epoch.unwrap_or_default(),
        active: term.active.unwrap_or_default(),
    };
    Ok(terms.into_iter().flatten().map(interaction).collect())
}

/// What russet prints with these arguments; nothing if it fails, for this is a supplement.
fn output(bench: &Bench<'_>, arguments: Vec<String>) -> Result<Option<String>, StudyError> {
    let call = Call { program: bench.settings.russet.clone(), arguments };
    Ok(match bench.call(&call, f64::INFINITY)? {
        Ended::Well(measured) => Some(measured.output),
        _ => None,
    })
}

fn strongest(mut terms: Vec<Term>) -> Vec<Term> {
    terms.retain(|term| term.degree.is_some_and(|degree| degree >= 2) && term.effect != 0.0);
    terms.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
    terms.truncate(TOLD);
    terms
}
