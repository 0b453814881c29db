//! The quantities that make data sets comparable, as the paper defines them.
//!
//! With `l`, `q`, `c` the test errors of linear, quadratic and cubic on a data set:
//!
//! ```text
//! relative error = (error - min(l, q, c)) / (max(l, q, c) - min(l, q, c))
//! relative time  = seconds / seconds of linear
//! ```
//!
//! Relative error is 0 at the best baseline and 1 at the worst; below 0 a method beats all three. Two cases that the
//! paper leaves open: a baseline that was not run is left out of the minimum and maximum, as long as linear and one of
//! the others are there; and where all baselines are equal, the same error counts as 0, a lower one as minus infinity, a
//! higher one as infinity.

use super::series::{LIN, QUAD, Series};
use crate::study::{Method, Program, Results, SetResults};

/// What a program's methods are measured against on one data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Baselines {
    /// The lowest error of linear, quadratic and cubic.
    pub(super) lowest: f64,
    /// The highest.
    pub(super) highest: f64,
    /// Linear's error.
    pub(super) linear: f64,
    /// Linear's seconds of training.
    pub(super) linear_seconds: f64,
    /// How many of the other two there are.
    pub(super) products: usize,
}

impl Baselines {
    /// From linear's error and seconds and the errors of the others that were run.
    pub(super) fn new(linear: f64, linear_seconds: f64, products: &[f64]) -> Baselines {
        let lowest = products.iter().copied().fold(linear, f64::min);
        let highest = products.iter().copied().fold(linear, f64::max);
        Baselines { lowest, highest, linear, linear_seconds, products: products.len() }
    }

    /// A program's own baselines on a data set, if linear was run.
    pub(super) fn of(set: &SetResults, program: Program) -> Option<Baselines> {
        let run = |method| set.runs.iter().find(|run| run.program == program && run.method == method);
        let linear = run(Method::Lin)?;
        let products: Vec<f64> =
            [Method::Quad, Method::Cubic].into_iter().filter_map(run).map(|run| run.test_error).collect();
        Some(Baselines::new(linear.test_error, linear.train_seconds, &products))
    }

    /// Whether all of them have the same error.
    pub(super) fn tie(&self) -> bool {
        self.products > 0 && self.lowest == self.highest
    }

    /// Where an error lies between the best baseline (0) and the worst (1); none without a baseline beside linear.
    pub(super) fn relative_error(&self, error: f64) -> Option<f64> {
        match self.products {
            0 => None,
            _ if error == self.lowest => Some(0.0),
            _ => Some((error - self.lowest) / (self.highest - self.lowest)),
        }
    }

    /// How many times as long as linear something took.
    pub(super) fn relative_time(&self, seconds: f64) -> Option<f64> {
        Some(seconds / self.linear_seconds).filter(|time| time.is_finite())
    }
}

/// A quantity of one run that figures show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The relative error.
    Error,
    /// The relative time.
    Time,
    /// The average number of active features of a training example.
    Features,
}

impl Measure {
    /// Its value for a series on a data set, if it can be told.
    pub(super) fn value(self, series: &Series, set: &SetResults) -> Option<f64> {
        let run = series.run(set)?;
        match self {
            Measure::Error => Baselines::of(set, series.program)?.relative_error(run.test_error),
            Measure::Time => Baselines::of(set, series.program)?.relative_time(run.train_seconds),
            Measure::Features => run.features_per_example,
        }
    }

    /// The data sets on which it can be told for a series, with its values, lowest first.
    pub(super) fn sorted<'a>(self, series: &Series, sets: &[&'a SetResults]) -> Vec<(f64, &'a SetResults)> {
        let values = sets.iter().filter_map(|set| Some((self.value(series, set)?, *set)));
        let mut values: Vec<_> = values.collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values
    }
}

/// The data sets that count: those without a problem.
pub(super) fn counted(results: &Results) -> Vec<&SetResults> {
    results.sets.iter().filter(|set| set.problem.is_none()).collect()
}

/// Those on which products cost: quadratic takes (or, not run, was estimated to take) twice as long as linear or more.
pub(super) fn costly<'a>(sets: &[&'a SetResults]) -> Vec<&'a SetResults> {
    let is_costly = |set: &SetResults| {
        let skipped = set.skipped.iter().find(|run| run.program == Program::Russet && run.method == Method::Quad);
        let quad = QUAD.run(set).map(|run| run.train_seconds).or(skipped.and_then(|run| run.estimated_seconds));
        LIN.run(set).zip(quad).is_some_and(|(lin, quad)| quad >= 2.0 * lin.train_seconds)
    };
    sets.iter().copied().filter(|set| is_costly(set)).collect()
}

/// The sets with the most base features an example, most first.
pub(super) fn widest<'a>(sets: &[&'a SetResults], count: usize) -> Vec<&'a SetResults> {
    let mut sets = sets.to_vec();
    sets.sort_by(|a, b| b.features_per_example.total_cmp(&a.features_per_example));
    sets.truncate(count);
    sets
}

/// The value below which a share of the ascending `values` lies, interpolated between neighbours.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let place = share * values.len().checked_sub(1)? as f64;
    let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
    // Equal infinities would make a NaN.
    Some(if below == above { below } else { below + (above - below) * place.fract() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{full_set, set};
    use crate::report::series::APPLE;
    use crate::study::Skipped;

    #[test]
    fn relative_error_is_0_at_the_best_baseline_and_1_at_the_worst() {
        let baselines = Baselines::new(0.3, 2.0, &[0.2, 0.1]);
        assert_eq!(baselines.relative_error(0.1), Some(0.0));
        assert_eq!(baselines.relative_error(0.3), Some(1.0));
        assert!((baselines.relative_error(0.05).unwrap() + 0.25).abs() < 1e-12);
        assert_eq!(baselines.relative_time(5.0), Some(2.5));
    }

    #[test]
    fn without_cubic_the_others_do_and_linear_alone_does_not() {
        assert_eq!(Baselines::new(0.25, 1.0, &[0.75]).relative_error(0.5), Some(0.5));
        assert_eq!(Baselines::new(0.25, 1.0, &[]).relative_error(0.5), None);
    }

    #[test]
    fn equal_baselines_tell_better_worse_and_equal() {
        let baselines = Baselines::new(0.25, 0.0, &[0.25, 0.25]);
        assert!(baselines.tie());
        assert_eq!(baselines.relative_error(0.25), Some(0.0));
        assert_eq!(baselines.relative_error(0.5), Some(f64::INFINITY));
        assert_eq!(baselines.relative_error(0.125), Some(f64::NEG_INFINITY));
        assert_eq!(baselines.relative_time(0.0), None);
    }

    #[test]
    fn measures_of_a_set() {
        let set = full_set("a", [0.4, 0.2, 0.3, 0.1], [1.0, 3.0, 9.0, 2.0]);
        assert_eq!(Measure::Error.value(&APPLE, &set), Some(-0.5));
        assert_eq!(Measure::Time.value(&APPLE, &set), Some(2.0));
        assert_eq!(Measure::Features.value(&APPLE, &set), None);
    }

    #[test]
    fn quantiles_interpolate_and_bear_infinities() {
        let values = [1.0, 2.0, 4.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(quantile(&values, 0.5), Some(4.0));
        assert_eq!(quantile(&values, 0.125), Some(1.5));
        assert_eq!(quantile(&values, 0.875), Some(f64::INFINITY));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn costly_sets_are_told_by_quadratic_or_its_estimate() {
        let cheap = full_set("cheap", [0.1; 4], [1.0, 1.9, 9.0, 2.0]);
        let dear = full_set("dear", [0.1; 4], [1.0, 2.0, 9.0, 2.0]);
        let mut skipped = set("skipped", vec![dear.runs[0].clone()]);
        let (program, method) = (Program::Russet, Method::Quad);
        let estimated_seconds = Some(600.0);
        skipped.skipped.push(Skipped { program, method, alpha: None, estimated_seconds, reason: String::new() });
        let names: Vec<_> = costly(&[&cheap, &dear, &skipped]).iter().map(|set| set.name.clone()).collect();
        assert_eq!(names, ["dear", "skipped"]);
    }
}
