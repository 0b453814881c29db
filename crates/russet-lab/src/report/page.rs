//! The page: everything in one file, in the order a reader asks.

use super::figure::Figures;
use super::headline::{Counts, Headline, headline};
use super::measures::{Baselines, costly, counted};
use super::series::{CUBIC, LIN, QUAD};
use super::svg::Figure;
use super::tables::{Table, table};
use super::text::{count, duration, escape, list, ratio};
use super::{interactions, palette, troubles};
use crate::study::{Program, Results, SetResults};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
pub(super) fn page(results: &Results, figures: &Figures) -> String {
    let sets = counted(results);
    let sections = [
        opening(results, &sets),
        section("tradeoff", "Error against time", TRADEOFF, &plot(&figures.tradeoff)),
        distributions(figures, &sets),
        section("widest", "The widest data sets", WIDEST, &figures.widest.iter().map(plot).collect::<String>()),
        all_sets(figures),
        tables(&sets),
        section("interactions", "What apple found", INTERACTIONS, &interactions::cards(&sets)),
        left_out(results),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>russet: the study</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n{NAVIGATION}<main>\n{}</main>\n\
         <div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        palette::page_style(),
        sections.concat()
    )
}

const NAVIGATION: &str = "<nav aria-label=\"sections\"><a href=\"#top\">russet</a><a href=\"#tradeoff\">Error and time</a>\
    <a href=\"#distributions\">Distributions</a><a href=\"#widest\">Widest sets</a><a href=\"#all\">All sets</a>\
    <a href=\"#tables\">Tables</a><a href=\"#interactions\">Interactions</a><a href=\"#left-out\">Left out</a></nav>\n";

const TRADEOFF: &str = "Each mark is a method at its median relative error and median relative time over the data sets; \
    the bars reach from the first quartile to the third. Lower is more accurate, further left is faster.";
const WIDEST: &str = "The six data sets with the most base features an example, where products are dearest. Relative error \
    above, relative time below (logarithmic). A cross marks what was not run, an arrow what goes on beyond the axis.";
const INTERACTIONS: &str = "The products with the largest weights under apple with α = 1: their factors, weight on the \
    product’s own scale, number of factors, the epoch in which they were first active, and the share of examples in which \
    they are.";

fn section(id: &str, title: &str, lead: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{title}</h2>\n<p class=\"lead\">{lead}</p>\n{body}</section>\n")
}

fn plot(figure: &Figure) -> String {
    format!("<figure class=\"scroll\">{}</figure>\n", figure.inline())
}

fn pair(figures: &[Figure; 2]) -> String {
    format!("<div class=\"pair\">{}</div>\n", figures.iter().map(plot).collect::<String>())
}

fn opening(results: &Results, sets: &[&SetResults]) -> String {
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
    let problems = results.sets.len() - sets.len();
    let skipped: usize = results.sets.iter().map(|set| set.skipped.len()).sum();
    let rates: Vec<String> = results.rates.iter().map(f64::to_string).collect();
    let budget = results
        .budget_seconds
        .map_or("no limit".to_owned(), |seconds| format!("{} a run, by estimate", duration(seconds)));
    let facts = [
        ("data sets", format!("{}, and {} with a problem", sets.len(), problems)),
        ("split", escape(&results.split)),
        ("learning rate", format!("of {}, the one with the lowest progressive validation error", list(&rates))),
        ("trained on", "squared loss, one pass; timed alone on the machine, reading included".to_owned()),
        ("machine", escape(&results.machine)),
        ("budget", format!("{budget}; <a href=\"#left-out\">{} left out</a>", count(skipped, "run"))),
    ];
    let facts: String =
        facts.iter().map(|(name, fact)| format!("<div><dt>{name}</dt><dd>{fact}</dd></div>\n")).collect();
    format!("<dl class=\"made\">\n{facts}</dl>\n")
}

fn distributions(figures: &Figures, sets: &[&SetResults]) -> String {
    let dear = costly(sets).len();
    let no_error =
        sets.iter().filter(|set| Baselines::of(set, Program::Russet).is_none_or(|one| one.products == 0)).count();
    let note = if no_error == 0 {
        String::new()
    } else {
        format!(" On {} there is no relative error, for want of baselines.", count(no_error, "set"))
    };
    let lead = format!(
        "At each point of a curve, the value was at most that on so many data sets: the more a curve lies to the upper left, the \
         better. <i>best</i> is the α with the lowest test error on each set, in hindsight, as in the paper. Values beyond an axis \
         stand at its end; a curve that stays lower has fewer runs.{note}"
    );
    let body = format!(
        "<h3>All {} data sets</h3>\n{}<h3>The {dear} on which quadratic takes at least twice as long as linear</h3>\n{}",
        sets.len(),
        pair(&figures.distributions),
        pair(&figures.costly)
    );
    section("distributions", "Distributions over data sets", &lead, &body)
}

fn all_sets(figures: &Figures) -> String {
    let titles = ["Relative error", "Relative time (logarithmic)", "Features an example (logarithmic)"];
    let body: String =
        titles.iter().zip(&figures.all).map(|(title, figure)| format!("<h3>{title}</h3>\n{}", plot(figure))).collect();
    let lead = "In the order of apple’s relative error at α = 1: from where it wins to where it loses.";
    section("all", "Every data set", lead, &body)
}

fn tables(sets: &[&SetResults]) -> String {
    let lead = "The lowest figure of a row is marked. Small figures are the paper’s, on its own machine, for data sets that it \
        has too (some of them prepared differently). Click a heading to sort.";
    let body = format!(
        "<label class=\"switch\"><input type=\"checkbox\" id=\"with-paper\" checked> show the paper’s figures</label>\n\
         <h3>Test error</h3>\n{}<h3>Training time</h3>\n{}",
        table(Table::Error, sets),
        table(Table::Seconds, sets)
    );
    section("tables", "Tables", lead, &body)
}

fn left_out(results: &Results) -> String {
    let body = format!(
        "<h3>Data sets with a problem</h3>\n{}<h3>Runs that were left out</h3>\n{}",
        troubles::problems(results),
        troubles::skipped(results)
    );
    section("left-out", "What was left out", "Data sets with a problem count in no figure and no table above.", &body)
}
