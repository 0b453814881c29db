//! How the page opens: what came of the study, beside the paper and Vowpal Wabbit, and how it was made.

use super::headline::{Counts, Headline, headline};
use super::series::{CUBIC, LIN, QUAD};
use super::text::{count, duration, escape, list, ratio};
use crate::study::{Results, SetResults};

/// The headline, the counts, what they mean and how they came about.
pub(super) fn opening(results: &Results, sets: &[&SetResults]) -> String {
    let headline = headline(results);
    format!(
        "<header id=\"top\">\n<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n</header>\n\
         <section id=\"headline\" aria-label=\"in short\">\n{}{}{}</section>\n",
        escape(&results.program),
        statement(&headline.russet),
        comparison(&headline),
        notes(&headline, sets),
        made(results, sets)
    )
}

fn statement(counts: &Counts) -> String {
    let Counts { sets, below_half, negative, .. } = counts;
    let time = counts.median_relative_time.map_or(String::new(), |time| {
        format!(" In the median it takes <strong>{}</strong> times as long as linear.", ratio(time))
    });
    let above = match counts.above_linear.as_slice() {
        [] => "It is never more than 5% above linear.".to_owned(),
        names => {
            format!("It is more than 5% above linear on {} ({}).", count(names.len(), "set"), escape(&list(names)))
        }
    };
    format!(
        "apple (α = 1) covers more than half of the gap between the worst and the best of linear, quadratic and cubic on \
         <strong>{below_half} of {sets}</strong> data sets, and beats all three on <strong>{negative} of {sets}</strong>. \
         {above}{time}"
    )
}

fn comparison(headline: &Headline) -> String {
    let mut rows = comparison_row("russet", &headline.russet, "russet");
    rows += &comparison_row("the paper", &headline.paper, "paper");
    if let Some(vw) = &headline.vw {
        rows += &comparison_row("Vowpal Wabbit", vw, "vw");
    }
    format!(
        "<div class=\"scroll\"><table id=\"counts\" class=\"counts\"><thead><tr><th scope=\"col\">apple, α = 1</th>\
         <th scope=\"col\">relative error below 0.5</th><th scope=\"col\">negative</th>\
         <th scope=\"col\">median relative time</th><th scope=\"col\">more than 5% above linear</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn comparison_row(name: &str, counts: &Counts, key: &str) -> String {
    let share = |part: usize| {
        let percent = if counts.sets == 0 { 0.0 } else { 100.0 * part as f64 / counts.sets as f64 };
        format!("{part} of {} <span class=\"share\">{percent:.0}%</span>", counts.sets)
    };
    let time = counts.median_relative_time.map_or("–".to_owned(), ratio);
    let above = counts.above_linear.len();
    let names = if above == 0 {
        String::new()
    } else {
        format!(" <span class=\"share\">{}</span>", escape(&list(&counts.above_linear)))
    };
    format!(
        "<tr data-row=\"{key}\"><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td>{time}</td><td>{above}{names}</td></tr>\n",
        share(counts.below_half),
        share(counts.negative)
    )
}

fn notes(headline: &Headline, sets: &[&SetResults]) -> String {
    let mut notes = Vec::new();
    let partial: Vec<String> = sets.iter().filter(|set| lacks_a_baseline(set)).map(|set| set.name.clone()).collect();
    if !partial.is_empty() {
        notes.push(format!(
            "On {} not all of linear, quadratic and cubic were run; relative error there goes by those that were.",
            escape(&list(&partial))
        ));
    }
    let tied = &headline.russet.tied;
    if !tied.is_empty() {
        notes.push(format!(
            "On {} the baselines have one and the same error: an equal error counts as 0, a lower one as −∞, a higher one as ∞.",
            escape(&list(tied))
        ));
    }
    notes.push(PAPER.to_owned());
    if headline.vw.is_some() {
        notes.push("Vowpal Wabbit is measured against its own linear, quadratic and cubic runs.".to_owned());
    }
    let notes: String = notes.iter().map(|note| format!("<li>{note}</li>\n")).collect();
    format!("<p class=\"note\">{DEFINITIONS}</p>\n<ul class=\"note\">\n{notes}</ul>\n")
}

const DEFINITIONS: &str = "<b>Relative error</b> is (error − best) / (worst − best), best and worst being those of linear, \
    quadratic and cubic on the same data set: 0 equals the best of the three, 1 the worst, and below 0 all three are beaten. \
    <b>Relative time</b> is training time over linear’s.";
const PAPER: &str = "The paper’s counts are from its tables, their α columns read in the order that its text and times \
    require (the printed labels are reversed); it does not count kddcup2009, where all errors are equal, as below 0.5.";

fn lacks_a_baseline(set: &SetResults) -> bool {
    [LIN, QUAD, CUBIC].iter().any(|series| series.run(set).is_none())
}

fn made(results: &Results, sets: &[&SetResults]) -> String {
    let problems = match results.sets.len() - sets.len() {
        0 => String::new(),
        some => format!(", and <a href=\"#left-out\">{some} with a problem</a>"),
    };
    let skipped = match results.sets.iter().map(|set| set.skipped.len()).sum() {
        0 => "; no run was left out".to_owned(),
        some => format!("; <a href=\"#left-out\">{} left out</a>", count(some, "run")),
    };
    let rates: Vec<String> = results.rates.iter().map(f64::to_string).collect();
    let budget = results
        .budget_seconds
        .map_or("no limit".to_owned(), |seconds| format!("{} a run, by estimate", duration(seconds)));
    let facts = [
        ("data sets", format!("{}{problems}", sets.len())),
        ("split", escape(&results.split)),
        ("learning rate", format!("of {}, the one with the lowest progressive validation error", list(&rates))),
        ("trained on", "squared loss; timed alone on the machine, reading included".to_owned()),
        ("machine", escape(&results.machine)),
        ("budget", format!("{budget}{skipped}")),
    ];
    let facts: String =
        facts.iter().map(|(name, fact)| format!("<div><dt>{name}</dt><dd>{fact}</dd></div>\n")).collect();
    format!("<dl class=\"made\">\n{facts}</dl>\n")
}
