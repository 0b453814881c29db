//! (c) With `fallback`, every monomial comes in at last, whatever the weights say.
//!
//! Each growth gives one of its `s` places to a non-parent of the smallest degree. So all monomials of degree up to `l - 1`
//! are parents, and all of degree `l` are in the feature set, after at most `sum_(j=1..l-1) C(d, j)` growths, which is
//! never more than `d^(l-1)`.
//!
//! The labels are noise, so the weights help by accident only. Features are 0/1, so no square is a monomial of its own.
//! `s` is 1 (nothing but the fallback) and 3 (two places by weight). The exponent of d is asked of `s = 1`: with more
//! places, small sets are complete before the fallback has much to do, and a curve with such a head start begins steeply.

use std::collections::BTreeSet;

use russet::batch::Label;
use russet::select::SelectKind;
use russet::settings::Settings;
use serde::Serialize;

use super::course::{Course, alpha_for};
use super::reading::{Monomial, feature_set};
use super::{Progress, Size, TheoryError};
use crate::fit;
use crate::random::Random;

/// The probability that a feature is 1.
const PROBABILITY: f64 = 0.5;

/// Examples an epoch: enough for every product of up to 3 features to appear in it.
const EPOCH: u64 = 200;

/// How far a fitted exponent may be above `l - 1`.
const TOLERANCE: f64 = 0.1;

/// One degree, s and d: the worst of the runs.
#[derive(Clone, Debug, Serialize)]
pub struct FallbackRow {
    /// l: the degree of the monomials that are waited for.
    pub degree: u32,
    /// s: how many monomials become parents at each growth.
    pub parents: u32,
    /// d: how many features there are.
    pub features: u32,
    /// How many monomials of degree l there are.
    pub monomials: u32,
    /// After how many growths all were in the feature set; none if twice `d^(l-1)` were not enough in some run.
    pub growths: Option<u32>,
    /// `sum_(j=1..l-1) C(d, j)`: how many monomials have a smaller degree.
    pub smaller: u32,
    /// `d^(l-1)`
    pub power: u32,
}

/// How the number of growths depends on d.
#[derive(Clone, Debug, Serialize)]
pub struct FallbackFit {
    /// l
    pub degree: u32,
    /// s
    pub parents: u32,
    /// The exponent of d in the number of growths; not a number if some were not enough.
    pub exponent: f64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct FallbackReport {
    /// How many runs each row is over.
    pub runs: u64,
    /// By degree, then by s, then by d.
    pub rows: Vec<FallbackRow>,
    /// For each degree and s.
    pub fits: Vec<FallbackFit>,
    /// What has to hold.
    pub criterion: String,
    /// Whether it does.
    pub passed: bool,
}

/// The runs of an experiment.
struct Plan<'a> {
    /// Each degree l with the numbers of features d.
    dimensions: &'a [(u32, &'a [u32])],
    parents: &'a [u32],
    runs: u64,
    select: SelectKind,
}

/// Runs the experiment.
pub(super) fn run(size: Size, seed: u64, progress: &mut Progress<'_>) -> Result<FallbackReport, TheoryError> {
    let (dimensions, runs): (&[(u32, &[u32])], u64) = match size {
        Size::Quick => (&[(2, &[8, 16, 32]), (3, &[5, 7, 9])], 2),
        Size::Full => (&[(2, &[8, 16, 32, 64]), (3, &[6, 8, 12, 16]), (4, &[6, 8, 10, 12])], 5),
    };
    measure(&Plan { dimensions, parents: &[1, 3], runs, select: SelectKind::Fallback }, seed, progress)
}

fn measure(plan: &Plan<'_>, seed: u64, progress: &mut Progress<'_>) -> Result<FallbackReport, TheoryError> {
    let mut rows: Vec<FallbackRow> = Vec::new();
    for (degree, dimensions) in plan.dimensions {
        for parents in plan.parents {
            for d in *dimensions {
                rows.push(FallbackRow::new(*degree, *parents, *d));
            }
        }
    }
    let all = rows.len() as u64;
    for (done, row) in rows.iter_mut().enumerate() {
        progress("fallback", done as u64, all);
        for run in 0..plan.runs {
            let random = Random::new(&[seed, 4, row.degree.into(), row.parents.into(), row.features.into(), run]);
            row.growths = row.growths.zip(wait(plan, row, random)?).map(|(worst, growths)| worst.max(growths));
        }
    }
    Ok(report(plan, rows))
}

impl FallbackRow {
    /// Before the first run.
    fn new(degree: u32, parents: u32, d: u32) -> FallbackRow {
        let (smaller, power) = ((1..degree).map(|degree| choose(d, degree)).sum(), d.pow(degree - 1));
        FallbackRow { degree, parents, features: d, monomials: choose(d, degree), growths: Some(0), smaller, power }
    }
}

/// `C(d, k)`: how many products of k different features there are.
fn choose(d: u32, k: u32) -> u32 {
    (1..=k).fold(1, |product, factor| product * (d + 1 - factor) / factor)
}

fn report(plan: &Plan<'_>, rows: Vec<FallbackRow>) -> FallbackReport {
    let mut fits = Vec::new();
    for of_kind in rows.chunk_by(|a, b| (a.degree, a.parents) == (b.degree, b.parents)) {
        let point = |row: &FallbackRow| (f64::from(row.features), row.growths.map_or(f64::NAN, f64::from));
        let exponent = fit::exponent(&of_kind.iter().map(point).collect::<Vec<_>>());
        fits.push(FallbackFit { degree: of_kind[0].degree, parents: of_kind[0].parents, exponent });
    }
    let soon = |row: &FallbackRow| row.growths.is_some_and(|growths| growths <= row.smaller);
    let slow = |fit: &FallbackFit| fit.parents > 1 || fit.exponent <= f64::from(fit.degree - 1) + TOLERANCE;
    let passed = rows.iter().all(soon) && fits.iter().all(slow);
    let criterion = format!(
        "in every run all monomials of degree l are in the feature set after at most sum_(j=1..l-1) C(d,j) <= d^(l-1) growths; \
         with s = 1, the exponent of d in their number is at most l - 1 + {TOLERANCE}"
    );
    FallbackReport { runs: plan.runs, rows, fits, criterion, passed }
}

/// How many growths it takes until every monomial of the degree is in the feature set.
fn wait(plan: &Plan<'_>, row: &FallbackRow, mut random: Random) -> Result<Option<u32>, TheoryError> {
    let (d, limit) = (row.features, 2 * row.power);
    let settings = Settings {
        select: plan.select,
        alpha: alpha_for(row.parents, f64::from(d) * PROBABILITY),
        headroom: 1.0,
        epochs: limit + 1,
        ..Settings::paper()
    };
    let mut course = Course::new(&settings, d, EPOCH * u64::from(limit + 1))?;
    let wanted = every_monomial(row.degree, d);
    let mut growths = 0;
    for _ in 0..EPOCH * u64::from(limit) {
        let features: Vec<u32> = (0..d).filter(|_| random.chance(PROBABILITY)).collect();
        let label = if random.chance(0.5) { 1.0 } else { -1.0 };
        if course.learn(&features, Label::new(label))? {
            growths += 1;
            if feature_set(course.model(), d)?.is_superset(&wanted) {
                return Ok(Some(growths));
            }
        }
    }
    Ok(None)
}

/// Every product of `degree` different features.
fn every_monomial(degree: u32, d: u32) -> BTreeSet<Monomial> {
    let mut monomials = BTreeSet::from([Monomial::new()]);
    for _ in 0..degree {
        let longer = monomials.iter().flat_map(|shorter| {
            let next = shorter.last().map_or(0, |last| last + 1);
            (next..d).map(|feature| shorter.iter().copied().chain([feature]).collect())
        });
        monomials = longer.collect();
    }
    monomials
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_monomial_comes_in() {
        let report = run(Size::Quick, 1, &mut |_, _, _| {}).unwrap();
        assert!(report.passed, "{report:?}");
        // With nothing but the fallback the number is exact. A product of l features is missing only while none of the l
        // products that it is one factor more than is a parent; so the last l - 1 need not become parents.
        for row in report.rows.iter().filter(|row| row.parents == 1) {
            assert_eq!(row.growths, Some(row.smaller - (row.degree - 1)), "{row:?}");
        }
    }

    #[test]
    fn monomials_are_counted() {
        for (d, k) in [(5, 1), (5, 2), (7, 3), (4, 4)] {
            let every = every_monomial(k, d);
            assert_eq!(every.len() as u32, choose(d, k));
            assert!(every.iter().all(|monomial| monomial.windows(2).all(|pair| pair[0] < pair[1])));
        }
        assert_eq!(choose(10, 3), 120);
    }

    /// The experiment can fail: by weight alone, noise keeps some monomials out for longer than that.
    #[test]
    fn without_fallback_they_do_not() {
        let plan = Plan { dimensions: &[(2, &[8, 16])], parents: &[1], runs: 2, select: SelectKind::Weight };
        let report = measure(&plan, 1, &mut |_, _, _| {}).unwrap();
        assert!(!report.passed, "{report:?}");
    }
}
