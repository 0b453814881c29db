//! `russet lab theory`: what the paper says, held against the learner, as tables.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use russet_lab::theory::{
    FallbackReport, FallbackRow, MonomialReport, MonomialRow, Report, Size, TheoremReport, TheoremRow,
    run as experiment,
};

use crate::args::TheoryArgs;
use crate::output::{note, say, table, thousands};

/// How often to tell how far it is.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &TheoryArgs) -> Result<ExitCode> {
    let size = if args.quick { Size::Quick } else { Size::Full };
    let mut told = Instant::now();
    let report = experiment(size, args.seed, &mut |name, done, all| {
        if !args.quiet && told.elapsed() >= PATIENCE {
            note(format_args!("{name}: {done} of {all}"));
            told = Instant::now();
        }
    })?;
    if args.json {
        say(&format!("{}\n", serde_json::to_string(&report)?))?;
    } else {
        say(&text(&report))?;
    }
    Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(report: &Report) -> String {
    [theorem(&report.theorem), monomial(&report.monomial), fallback(&report.fallback)].join("\n\n")
}

/// What an experiment's part begins and ends with.
fn part(title: &str, body: &str, criterion: &str, passed: bool) -> String {
    let verdict = if passed { "PASS" } else { "MISSED" };
    format!("{title}\n\n{body}\n{verdict}: {criterion}\n")
}

fn theorem(report: &TheoremReport) -> String {
    let header = ["T", "suboptimality", "std error", "bound", "ratio", "above last", "of w_1"];
    let row = |row: &TheoremRow| {
        let figures = [row.suboptimality, row.standard_error, row.bound, row.suboptimality / row.bound];
        let figures = figures.iter().chain([&row.above_last, &row.at_start]).map(|figure| format!("{figure:.2e}"));
        std::iter::once(thousands(row.examples)).chain(figures).collect()
    };
    let rows = |rows: &[TheoremRow]| table(&header, &rows.iter().map(row).collect::<Vec<_>>());
    let body = format!(
        "lambda {}, X {:.3}, means over {} runs\n\nearly growth: the feature set is complete after {} examples; slope of log suboptimality against log T: {:.3}\n{}\n\
         spread growth: five growths over the whole course\n{}",
        report.lambda,
        report.norm,
        report.runs,
        report.complete_after,
        report.slope,
        rows(&report.early),
        rows(&report.spread),
    );
    part("(a) The theorem: f(w_(T+1)) less the weighted comparator", &body, &report.criterion, report.passed)
}

fn monomial(report: &MonomialReport) -> String {
    let header = ["|M|", "d", "growths", "weights", "d|M|", "d^|M|", "strongest"];
    let row = |row: &MonomialRow| {
        vec![
            row.degree.to_string(),
            row.features.to_string(),
            or_missed(row.growths),
            row.weights.to_string(),
            thousands(row.linear),
            thousands(row.power),
            format!("{}/{}", row.strongest, report.runs),
        ]
    };
    let exponents = report.exponents.iter().map(|(degree, exponent)| format!("{exponent:.3} for |M| = {degree}"));
    let body = format!(
        "the worst of {} runs\n\n{}\nweights grow with d to the power {}\n",
        report.runs,
        table(&header, &report.rows.iter().map(row).collect::<Vec<_>>()),
        exponents.collect::<Vec<_>>().join(", "),
    );
    part("(b) A target that is a single monomial", &body, &report.criterion, report.passed)
}

fn fallback(report: &FallbackReport) -> String {
    let header = ["l", "s", "d", "monomials", "growths", "sum C(d,j)", "d^(l-1)", "growths/d^(l-1)"];
    let row = |row: &FallbackRow| {
        let numbers = [row.degree, row.parents, row.features, row.monomials].map(|number| number.to_string());
        let ratio = row.growths.map_or("-".to_owned(), |n| format!("{:.3}", f64::from(n) / f64::from(row.power)));
        let bounds = [row.smaller.to_string(), row.power.to_string(), ratio];
        numbers.into_iter().chain([or_missed(row.growths)]).chain(bounds).collect()
    };
    let exponents =
        report.fits.iter().map(|fit| format!("{:.3} for l = {}, s = {}", fit.exponent, fit.degree, fit.parents));
    let body = format!(
        "the worst of {} runs\n\n{}\ngrowths grow with d to the power {}\n",
        report.runs,
        table(&header, &report.rows.iter().map(row).collect::<Vec<_>>()),
        exponents.collect::<Vec<_>>().join("; "),
    );
    part("(c) Fallback reaches every monomial of degree l", &body, &report.criterion, report.passed)
}

fn or_missed(growths: Option<u32>) -> String {
    growths.map_or("missed".to_owned(), |growths| growths.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_told() {
        assert_eq!(part("title", "body\n", "it holds", false), "title\n\nbody\n\nMISSED: it holds\n");
        assert_eq!(or_missed(None), "missed");
    }
}
