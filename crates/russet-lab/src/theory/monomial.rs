//! (b) The paper's example: a target that is a single monomial.
//!
//! `E[y|x]` is `m(x)`, the product of the features in `M`, and `x` has d independent features of 0/1, each 1 with the
//! same probability `p <= 1/2`. If every growth expands the one monomial of the largest weight, that is a factor of `m`
//! each time, one degree higher than the last: after |M| stages `m` itself is in the feature set, which has about d|M|
//! monomials, where all products of |M| features are about d^|M|.
//!
//! The paper argues with regressions on one feature at a time. Here the learner does what it always does: all weights
//! at once, with its default step. Each run has a monomial of its own; what is reported is the worst of them.

use std::ops::RangeInclusive;

use russet::batch::Label;
use russet::settings::Settings;
use serde::Serialize;

use super::course::{Course, alpha_for};
use super::reading::{Monomial, feature_set, weights};
use super::{Progress, Size, TheoryError};
use crate::fit;
use crate::random::Random;

/// `p`
const PROBABILITY: f64 = 0.5;

/// How many examples an epoch has for each feature: the more features, the stronger the noise among their weights.
const EXAMPLES_A_FEATURE: u64 = 200;

/// The exponents of d that count as "in proportion to d".
const EXPONENTS: RangeInclusive<f64> = 0.9..=1.15;

/// One d and |M|: the worst of the runs.
#[derive(Clone, Debug, Serialize)]
pub struct MonomialRow {
    /// |M|: how many features the target multiplies.
    pub degree: u32,
    /// d: how many features there are.
    pub features: u32,
    /// After how many growths the target was in the feature set; none if some run did not find it.
    pub growths: Option<u32>,
    /// How many weights the model had at the end of the epoch that followed.
    pub weights: usize,
    /// In how many runs the target had the largest weight by then.
    pub strongest: u64,
    /// d |M|
    pub linear: u64,
    /// d^|M|
    pub power: u64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct MonomialReport {
    /// How many runs each row is over.
    pub runs: u64,
    /// By degree, then by d.
    pub rows: Vec<MonomialRow>,
    /// For each degree: the exponent of d in the number of weights.
    pub exponents: Vec<(u32, f64)>,
    /// What has to hold.
    pub criterion: String,
    /// Whether it does.
    pub passed: bool,
}

/// The runs of an experiment.
struct Plan<'a> {
    degrees: &'a [u32],
    dimensions: &'a [u32],
    runs: u64,
    /// Tells the labels from the features; the experiment's is the monomial.
    label: fn(&[u32], &Monomial, &mut Random) -> bool,
}

/// Runs the experiment.
pub(super) fn run(size: Size, seed: u64, progress: &mut Progress<'_>) -> Result<MonomialReport, TheoryError> {
    let label = |features: &[u32], target: &Monomial, _: &mut Random| target.iter().all(|f| features.contains(f));
    let plan = match size {
        Size::Quick => Plan { degrees: &[2, 3], dimensions: &[10, 20, 40], runs: 4, label },
        Size::Full => Plan { degrees: &[2, 3, 4], dimensions: &[10, 20, 50, 100], runs: 20, label },
    };
    measure(&plan, seed, progress)
}

fn measure(plan: &Plan<'_>, seed: u64, progress: &mut Progress<'_>) -> Result<MonomialReport, TheoryError> {
    let mut rows: Vec<MonomialRow> = Vec::new();
    let all = (plan.degrees.len() * plan.dimensions.len()) as u64 * plan.runs;
    for &degree in plan.degrees {
        for &d in plan.dimensions {
            let mut found = Vec::new();
            for run in 0..plan.runs {
                progress("monomial", rows.len() as u64 * plan.runs + run, all);
                found.push(Search::new(plan, d, degree, Random::new(&[seed, 3, degree.into(), d.into(), run]))?.run()?);
            }
            rows.push(worst(degree, d, &found));
        }
    }
    Ok(report(plan, rows))
}

fn worst(degree: u32, d: u32, found: &[Found]) -> MonomialRow {
    MonomialRow {
        degree,
        features: d,
        growths: found.iter().map(|run| run.growths).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max()),
        weights: found.iter().map(|run| run.weights).max().unwrap_or(0),
        strongest: found.iter().filter(|run| run.is_strongest).count() as u64,
        linear: u64::from(d) * u64::from(degree),
        power: u64::from(d).pow(degree),
    }
}

fn report(plan: &Plan<'_>, rows: Vec<MonomialRow>) -> MonomialReport {
    let exponent = |degree: &u32| {
        let of_degree = rows.iter().filter(|row| row.degree == *degree);
        let points: Vec<_> = of_degree.map(|row| (f64::from(row.features), row.weights as f64)).collect();
        (*degree, fit::exponent(&points))
    };
    let exponents: Vec<(u32, f64)> = plan.degrees.iter().map(exponent).collect();
    let soon = |row: &MonomialRow| row.growths.is_some_and(|growths| growths <= row.degree);
    // The constant has a weight too.
    let small = |row: &MonomialRow| row.weights as u64 <= row.linear + 1;
    let in_proportion = |(_, exponent): &(u32, f64)| EXPONENTS.contains(exponent);
    let passed = rows.iter().all(|row| soon(row) && small(row)) && exponents.iter().all(in_proportion);
    let criterion = format!(
        "in every run the monomial is in the feature set after at most |M| growths, and the model has at most d|M| + 1 \
         weights; the exponent of d in their number is within {} .. {}",
        EXPONENTS.start(),
        EXPONENTS.end()
    );
    MonomialReport { runs: plan.runs, rows, exponents, criterion, passed }
}

/// What one run shows.
struct Found {
    growths: Option<u32>,
    weights: usize,
    is_strongest: bool,
}

/// One run: a course with a target of its own.
struct Search<'a> {
    plan: &'a Plan<'a>,
    d: u32,
    target: Monomial,
    /// How often the set may grow: twice as often as it should have to.
    limit: u32,
    course: Course,
    random: Random,
}

impl<'a> Search<'a> {
    fn new(plan: &'a Plan<'a>, d: u32, degree: u32, mut random: Random) -> Result<Search<'a>, TheoryError> {
        let limit = 2 * degree;
        let alpha = alpha_for(1, f64::from(d) * PROBABILITY);
        let settings = Settings { alpha, headroom: 1.0, epochs: limit + 1, ..Settings::paper() };
        let length = EXAMPLES_A_FEATURE * u64::from(d) * u64::from(limit + 1);
        let mut course = Course::new(&settings, d, length)?;
        // Labels beyond those of the target, of no importance: where predictions are clipped to 0 and 1, the sum of the
        // features of M less |M| - 1 does as well as their product, and there is nothing to find.
        for label in [-2.0, 2.0] {
            course.learn(&[], Label { value: Some(label), importance: 0.0, base: 0.0 })?;
        }
        Ok(Search { plan, d, target: random.subset(degree as usize, d), limit, course, random })
    }

    fn run(mut self) -> Result<Found, TheoryError> {
        let epoch = EXAMPLES_A_FEATURE * u64::from(self.d);
        let (mut growths, mut is_found) = (0, false);
        for _ in 0..epoch * u64::from(self.limit) {
            if self.learn_one()? {
                growths += 1;
                is_found = feature_set(self.course.model(), self.d)?.contains(&self.target);
            }
            if is_found {
                break;
            }
        }
        // An example less than an epoch: the set does not grow again before its weights are counted.
        for _ in 1..epoch {
            self.learn_one()?;
        }
        let model = self.course.model();
        let (base, products) = model.weight_counts();
        let strongest = weights(model)?.into_iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Ok(Found {
            growths: is_found.then_some(growths),
            weights: base + products,
            is_strongest: strongest.is_some_and(|(monomial, _)| monomial == self.target),
        })
    }

    /// True if the feature set has grown.
    fn learn_one(&mut self) -> Result<bool, TheoryError> {
        let features: Vec<u32> = (0..self.d).filter(|_| self.random.chance(PROBABILITY)).collect();
        let label = (self.plan.label)(&features, &self.target, &mut self.random);
        self.course.learn(&features, Label::new(f32::from(label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_monomial_is_found_with_few_weights() {
        let report = run(Size::Quick, 1, &mut |_, _, _| {}).unwrap();
        assert!(report.passed, "{report:?}");
        assert!(report.rows.iter().all(|row| row.strongest == report.runs), "{report:?}");
    }

    /// The experiment can fail: where labels say nothing of the monomial, it is not found in time.
    #[test]
    fn what_labels_do_not_say_is_not_found() {
        let label = |_: &[u32], _: &Monomial, random: &mut Random| random.chance(0.5);
        let plan = Plan { degrees: &[3], dimensions: &[10, 20], runs: 4, label };
        let report = measure(&plan, 1, &mut |_, _, _| {}).unwrap();
        assert!(!report.passed, "{report:?}");
    }
}
