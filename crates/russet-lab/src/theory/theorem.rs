//! (a) The theorem: plain gradient steps keep up with a feature set that grows.
//!
//! In the paper's symbols: let `f(w) = E[l(w . x y)] + lambda |w|^2 / 2` with a twice differentiable convex loss
//! `l >= 0`, `max(l', l'') <= 1` (here the logistic loss). Let `w_(t+1) = w_t - eta_t [g_t]` on the features of `S_t`,
//! from `w_1 = 0`, with `eta_t = 1 / (lambda (t+1))`; `g_t` is the gradient at the t-th example, drawn independently, and the
//! feature sets `S_1, S_2, ...` only grow. Then for any comparators `u_t` in `S_t` and any `T >= 1`
//!
//! ```text
//!                    sum_(t=1..T) (t+2) f(u_t)          1     (X^2 + lambda) (X + lambda D)^2
//! E[ f(w_(T+1))  -  --------------------------- ]  <=  --- * ---------------------------------
//!                       sum_(t=1..T) (t+2)             T+1             2 lambda^2
//! ```
//!
//! with `X >= |x_t y_t|` and `D >= |w_t|, |u_t|` for all t. The factors of the bound are the smoothness of f,
//! `beta <= X^2 + lambda`, and the length of its gradients, `G <= X + lambda D`.
//!
//! What is measured:
//! - `u_t` minimises f over the whole of `S_t`: the hardest comparators. The distribution is finite, so the minima are exact;
//! - `X` is the longest example over the largest feature set of all runs;
//! - `D = X / lambda`, which always holds: `w_(t+1)` is `1 / (lambda (t+1))` times a sum of t vectors no longer than `X`, and
//!   `lambda u_t` is an average of such vectors. With it the bound is `2 X^2 (X^2 + lambda) / (lambda^2 (T+1))`;
//! - the expectation is a mean over runs, with its standard error.
//!
//! When does the left side fall like 1/T? Where the set grows at fixed times (*early*), the first stages weigh `O(1/T^2)` in
//! the comparator, and what is left is the distance to the last stage's minimum. Where the growths are spread over the whole
//! course (*spread*, as in practice), a fixed share of the comparator is of the poorer first sets; the learner ends up below
//! that, and the left side is negative. Against the last minimum alone the theorem promises nothing then, and indeed the
//! distance does not vanish: weights that came in after 5/6 of the course are still on their way at its end. So the
//! slope is asked of the early schedule, and the bound of both.

use std::ops::RangeInclusive;

use russet::loss::LossKind;
use russet::settings::{Settings, StepKind};
use serde::Serialize;

use super::growing::{Measured, Problem};
use super::{Progress, Size, TheoryError};
use crate::fit;
use crate::random::Random;

/// `lambda`: so large that the bound says something within the course.
const LAMBDA: f64 = 0.5;

/// The course that the epochs of the early schedule are spaced over: growths after 40, 80, ... 200 examples.
const EARLY: u64 = 240;

/// The exponents of T that count as "falls like 1/T".
const SLOPES: RangeInclusive<f64> = -1.15..=-0.85;

/// One T: means over the runs.
#[derive(Clone, Debug, Serialize)]
pub struct TheoremRow {
    /// T: how many examples were learned from.
    pub examples: u64,
    /// `f(w_(T+1))` less the weighted comparator.
    pub suboptimality: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The theorem's bound on its expectation.
    pub bound: f64,
    /// `f(w_(T+1))` less the minimum over the last feature set, on which the theorem says nothing.
    pub above_last: f64,
    /// `f(w_1)` less the weighted comparator: what a learner that learns nothing has.
    pub at_start: f64,
    /// By how much the minimum over the last feature set is below that over the first.
    pub gained: f64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct TheoremReport {
    /// The regularisation parameter.
    pub lambda: f64,
    /// `X`
    pub norm: f64,
    /// How many runs each mean is over.
    pub runs: u64,
    /// After how many examples the feature set of the early schedule was complete.
    pub complete_after: u64,
    /// The feature set grows at fixed times.
    pub early: Vec<TheoremRow>,
    /// The feature set grows at equal distances over the whole course.
    pub spread: Vec<TheoremRow>,
    /// The exponent of T in the suboptimality of the early schedule; not a number if some is not positive.
    pub slope: f64,
    /// What has to hold.
    pub criterion: String,
    /// Whether it does.
    pub passed: bool,
}

/// Runs the experiment.
pub(super) fn run(size: Size, seed: u64, progress: &mut Progress<'_>) -> Result<TheoremReport, TheoryError> {
    let (runs, doublings) = match size {
        Size::Quick => (24, 6),
        Size::Full => (100, 8),
    };
    let checkpoints: Vec<u64> = (0..doublings).map(|doubling| 1000 << doubling).collect();
    measure(&settings(), &checkpoints, runs, seed, progress)
}

/// The theorem's setting: plain gradient steps on the regularised logistic loss; three new parents after each epoch.
fn settings() -> Settings {
    Settings { loss: LossKind::Logistic, step: StepKind::Sgd, l2: LAMBDA as f32, ..Settings::paper() }
}

fn measure(
    settings: &Settings,
    checkpoints: &[u64],
    runs: u64,
    seed: u64,
    progress: &mut Progress<'_>,
) -> Result<TheoremReport, TheoryError> {
    let problem = Problem::new(LAMBDA);
    let (mut early, mut spread) = (Vec::new(), Vec::new());
    for run in 0..runs {
        progress("theorem", run, runs);
        early.push(problem.follow(settings, EARLY, checkpoints, &mut Random::new(&[seed, 1, run]))?);
        let mut courses = Vec::new();
        for length in checkpoints {
            let mut random = Random::new(&[seed, 2, run, *length]);
            courses.extend(problem.follow(settings, *length, &[*length], &mut random)?);
        }
        spread.push(courses);
    }
    let norm = early.iter().chain(&spread).flatten().map(|measured| measured.norm).fold(0.0, f64::max);
    let complete_after = early.iter().flatten().map(|measured| measured.last_growth).max().unwrap_or(0);
    let (early, spread) = (rows(checkpoints, &early, norm), rows(checkpoints, &spread, norm));
    Ok(report(norm, runs, complete_after, early, spread))
}

fn report(norm: f64, runs: u64, complete_after: u64, early: Vec<TheoremRow>, spread: Vec<TheoremRow>) -> TheoremReport {
    let points: Vec<(f64, f64)> = early.iter().map(|row| (row.examples as f64, row.suboptimality)).collect();
    let slope = fit::exponent(&points);
    let within = early.iter().chain(&spread).all(|row| row.suboptimality + 2.0 * row.standard_error <= row.bound);
    let says_something = early.last().is_some_and(|row| row.bound < row.at_start);
    let passed = within && says_something && SLOPES.contains(&slope);
    let criterion = format!(
        "for every T and both schedules, suboptimality + 2 standard errors <= bound; early schedule: the slope of log \
         suboptimality against log T is within {} .. {}, and the bound at the largest T is below the suboptimality of w_1",
        SLOPES.start(),
        SLOPES.end()
    );
    TheoremReport { lambda: LAMBDA, norm, runs, complete_after, early, spread, slope, criterion, passed }
}

/// `(X^2 + lambda) (X + lambda D)^2 / (2 lambda^2 (T + 1))` with `D = X / lambda`.
fn bound(norm: f64, lambda: f64, examples: u64) -> f64 {
    let diameter = norm / lambda;
    let (smoothness, gradient) = (norm * norm + lambda, norm + lambda * diameter);
    smoothness * gradient * gradient / (2.0 * lambda * lambda) / (examples + 1) as f64
}

/// Means over runs, for each T.
fn rows(checkpoints: &[u64], runs: &[Vec<Measured>], norm: f64) -> Vec<TheoremRow> {
    let count = runs.len() as f64;
    let row = |(place, examples): (usize, &u64)| {
        let mean = |what: &dyn Fn(&Measured) -> f64| runs.iter().map(|run| what(&run[place])).sum::<f64>() / count;
        let suboptimality = mean(&|m| m.value - m.comparator);
        let variance = mean(&|m| (m.value - m.comparator - suboptimality).powi(2)) * count / (count - 1.0);
        TheoremRow {
            examples: *examples,
            suboptimality,
            standard_error: (variance / count).sqrt(),
            bound: bound(norm, LAMBDA, *examples),
            above_last: mean(&|m| m.value - m.minima[1]),
            at_start: mean(&|m| m.start - m.comparator),
            gained: mean(&|m| m.minima[0] - m.minima[1]),
        }
    };
    checkpoints.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_the_theorem() {
        // X = 2, lambda = 1/2: D = 4, (4 + 1/2) (2 + 2)^2 / (2/4) = 144.
        assert_eq!(bound(2.0, 0.5, 15), 144.0 / 16.0);
    }

    #[test]
    fn the_last_weights_keep_within_the_bound_and_fall_like_one_over_t() {
        let report = run(Size::Quick, 1, &mut |_, _, _| {}).unwrap();
        assert!(report.passed, "{report:?}");
        assert_eq!(report.complete_after, EARLY / 6 * 5);
        // The sets grow to something, and the spread schedule ends up below what it is compared to.
        let last = report.spread.last().unwrap();
        assert!(last.gained > 1e-3 && last.suboptimality < 0.0, "{report:?}");
    }

    /// The experiment can fail: a learner of another objective comes to rest at some distance, and the slope tells.
    #[test]
    fn another_regularisation_misses() {
        let settings = Settings { l2: 0.4, ..settings() };
        let report = measure(&settings, &[1000, 4000, 16_000, 32_000], 8, 1, &mut |_, _, _| {}).unwrap();
        assert!(!report.passed && report.slope > *SLOPES.end(), "{report:?}");
    }
}
