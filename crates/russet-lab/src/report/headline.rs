//! The study in a few counts.

use serde::Serialize;

use super::measures::{Baselines, counted, quantile};
use super::paper;
use super::series::{APPLE, Series, VW_APPLE};
use super::text::{list, ratio};
use crate::study::Results;

/// What apple with alpha 1 comes to, beside the paper and Vowpal Wabbit. Each is measured against its own baselines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// russet's apple.
    pub russet: Counts,
    /// The paper's, from its tables; `below_half` as its text counts it.
    pub paper: Counts,
    /// Vowpal Wabbit's, where it was run.
    pub vw: Option<Counts>,
    /// Number of data sets that could not be run.
    pub problems: usize,
}

/// Over how many data sets apple with alpha 1 is how good.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Number of data sets with a relative error.
    pub sets: usize,
    /// On how many of them it is below 0.5.
    pub below_half: usize,
    /// On how many it is negative: apple beats linear, quadratic and cubic.
    pub negative: usize,
    /// The median of time over linear's time.
    pub median_relative_time: Option<f64>,
    /// The sets on which the test error is above linear's by more than 5%.
    pub above_linear: Vec<String>,
    /// The sets on which all baselines have the same error, so that relative error is 0 or infinite.
    pub tied: Vec<String>,
}

/// What is counted of one data set.
struct Case<'a> {
    name: &'a str,
    baselines: Baselines,
    error: f64,
    seconds: f64,
}

/// How far above linear's error is too far.
const ABOVE_LINEAR: f64 = 1.05;

/// What the paper's text says: on one set (kddcup2009) everything has the same error, and it is not counted as below.
const PAPER_BELOW_HALF: usize = 26;

/// The study in a few counts.
pub fn headline(results: &Results) -> Headline {
    let russet = Counts::of(&cases(results, &APPLE));
    let vw = Counts::of(&cases(results, &VW_APPLE));
    let problems = results.sets.iter().filter(|set| set.problem.is_some()).count();
    Headline { russet, paper: paper_counts(), vw: Some(vw).filter(|vw| vw.sets > 0), problems }
}

fn cases<'a>(results: &'a Results, series: &Series) -> Vec<Case<'a>> {
    let case = |set: &'a crate::study::SetResults| {
        let run = series.run(set)?;
        let baselines = Baselines::of(set, series.program)?;
        Some(Case { name: &set.name, baselines, error: run.test_error, seconds: run.train_seconds })
    };
    counted(results).into_iter().filter_map(case).collect()
}

fn paper_counts() -> Counts {
    let tables = paper::tables();
    let Some(apple) = tables.column(&APPLE) else { return Counts::default() };
    let case = |(name, row): (&'static String, &paper::Row)| Case {
        name,
        baselines: row.baselines(),
        error: row.error[apple],
        seconds: row.seconds[apple],
    };
    Counts { below_half: PAPER_BELOW_HALF, ..Counts::of(&tables.sets.iter().map(case).collect::<Vec<_>>()) }
}

impl Counts {
    fn of(cases: &[Case]) -> Counts {
        let errors: Vec<f64> = cases.iter().filter_map(|case| case.baselines.relative_error(case.error)).collect();
        let mut times: Vec<f64> = cases.iter().filter_map(|case| case.baselines.relative_time(case.seconds)).collect();
        times.sort_by(f64::total_cmp);
        let names = |chosen: fn(&Case) -> bool| {
            cases.iter().filter(|case| chosen(case)).map(|case| case.name.to_owned()).collect()
        };
        Counts {
            sets: errors.len(),
            below_half: errors.iter().filter(|error| **error < 0.5).count(),
            negative: errors.iter().filter(|error| **error < 0.0).count(),
            median_relative_time: quantile(&times, 0.5),
            above_linear: names(|case| case.error > ABOVE_LINEAR * case.baselines.linear),
            tied: names(|case| case.baselines.tie()),
        }
    }

    /// The counts in words.
    pub fn sentence(&self) -> String {
        let Counts { sets, below_half, negative, .. } = self;
        let time = self.median_relative_time.map_or("unknown".to_owned(), ratio);
        let above = match self.above_linear.len() {
            0 => "none".to_owned(),
            count => format!("{count} ({})", list(&self.above_linear)),
        };
        format!(
            "apple (alpha 1): relative error below 0.5 on {below_half} of {sets} sets, negative on {negative} of \
             {sets}, median relative time {time}, more than 5% above linear on {above}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{fixture, full_set, study};

    #[test]
    fn counts_by_hand() {
        let sets = vec![
            full_set("better", [0.4, 0.2, 0.3, 0.1], [1.0, 3.0, 9.0, 2.0]),
            full_set("half way", [0.5, 0.25, 0.25, 0.375], [1.0, 3.0, 9.0, 4.0]),
            full_set("worse", [0.25, 0.5, 0.75, 0.5], [1.0, 3.0, 9.0, 8.0]),
            full_set("tie", [0.25; 4], [1.0, 1.0, 1.0, 1.0]),
        ];
        let found = headline(&study(sets));
        let counts = &found.russet;
        assert_eq!((counts.sets, counts.below_half, counts.negative), (4, 2, 1));
        assert_eq!(counts.median_relative_time, Some(3.0));
        assert_eq!(
            (counts.above_linear.as_slice(), counts.tied.as_slice()),
            (&["worse".into()][..], &["tie".into()][..])
        );
        assert_eq!(
            counts.sentence(),
            "apple (alpha 1): relative error below 0.5 on 2 of 4 sets, negative on 1 of 4, median relative time 3.0, \
             more than 5% above linear on 1 (worse)"
        );
        assert_eq!((found.vw, found.problems), (None, 0));
    }

    #[test]
    fn the_paper_counts_as_its_text_does() {
        let paper = paper_counts();
        assert_eq!((paper.sets, paper.below_half, paper.negative), (30, 26, 13));
        assert_eq!(paper.tied, ["kddcup2009"]);
        assert_eq!(paper.above_linear, ["cal_housing"]);
        assert!((paper.median_relative_time.unwrap() - 2.708).abs() < 1e-3);
    }

    #[test]
    fn sets_with_a_problem_do_not_count() {
        let found = headline(&fixture());
        assert_eq!((found.russet.sets, found.problems), (10, 2));
        assert_eq!(found.vw.unwrap().sets, 10);
    }

    #[test]
    fn an_empty_study_has_a_headline() {
        let found = headline(&study(Vec::new()));
        assert_eq!(found.russet, Counts::default());
        assert!(found.russet.sentence().contains("0 of 0"));
    }
}
