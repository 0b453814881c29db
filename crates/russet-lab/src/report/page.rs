//! The page: everything in one file, in the order a reader asks.

use super::figure::Figures;
use super::measures::{Baselines, costly, counted};
use super::svg::Figure;
use super::tables::{Table, table};
use super::text::count;
use super::{interactions, opening, palette, troubles};
use crate::study::{Program, Results, SetResults};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
pub(super) fn page(results: &Results, figures: &Figures) -> String {
    let sets = counted(results);
    let sections = [
        opening::opening(results, &sets),
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
const WIDEST: &str = "The data sets with the most base features an example (at most six), where products are dearest. Relative \
    error above, relative time below (logarithmic). A cross marks what was not run, an arrow what goes on beyond the axis.";
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
