//! The two large tables: a row for each data set, a column for each method, the paper's figures under ours.

use super::paper;
use super::series::{COLUMNS, Series};
use super::text::{decimals, escape, fixed};
use crate::study::{Method, Program, SetResults, Task};

/// Which of the two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Test errors.
    Error,
    /// Seconds of training.
    Seconds,
}

/// The table over the data sets; columns that nobody ran are left out.
pub(super) fn table(table: Table, sets: &[&SetResults]) -> String {
    let columns: Vec<&Series> =
        COLUMNS.iter().filter(|series| sets.iter().any(|set| series.run(set).is_some())).collect();
    let rows: String = sets.iter().map(|set| row(table, set, &columns)).collect();
    let (id, caption) = match table {
        Table::Error => ("table-error", "Test error: share of mistakes; for regression, mean squared error"),
        Table::Seconds => ("table-time", "Training time in seconds"),
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table id=\"{id}\" class=\"figures sortable\">\n\
         <caption>{caption}</caption>\n<thead>\n{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        head(&columns)
    )
}

fn head(columns: &[&Series]) -> String {
    let mut groups = String::from("<tr class=\"groups\"><td></td><td></td>");
    for chunk in columns.chunk_by(|a, b| group(a) == group(b)) {
        groups += &format!("<th scope=\"colgroup\" colspan=\"{}\"><span>{}</span></th>", chunk.len(), group(chunk[0]));
    }
    let mut names = sortable("data set", "data set", "text");
    names += &sortable("s", "s, base features an example", "number");
    for series in columns {
        names += &sortable(short(series), series.label, "number");
    }
    format!("{groups}</tr>\n<tr>{names}</tr>\n")
}

fn sortable(text: &str, label: &str, kind: &str) -> String {
    format!(
        "<th scope=\"col\" class=\"{kind}\"><button type=\"button\" aria-label=\"{label}: sort\">{text}</button></th>"
    )
}

fn group(series: &Series) -> &'static str {
    match (series.program, series.method) {
        (Program::Russet, Method::Lin | Method::Quad | Method::Cubic) => "fixed",
        (Program::Russet, Method::Apple) => "apple, α =",
        (Program::Russet, Method::Ssm) => "ssm, α =",
        (Program::Russet, _) => "variants, α = 1",
        (Program::Vw, _) => "Vowpal Wabbit",
        _ => "others",
    }
}

/// A column's name where its group is written above it.
fn short(series: &Series) -> &'static str {
    let label = series.label;
    let label = label.split_once('=').map_or(label, |(_, alpha)| alpha);
    label.strip_prefix("VW ").or_else(|| label.split_once("-best").map(|_| "best")).unwrap_or(label)
}

/// Our figure and the paper's.
type Cell = (Option<f64>, Option<f64>);

fn row(table: Table, set: &SetResults, columns: &[&Series]) -> String {
    let cells: Vec<Cell> = columns.iter().map(|series| cell(table, set, series)).collect();
    let own = columns.iter().zip(&cells).filter(|(series, _)| !series.is_derived()).filter_map(|(_, cell)| cell.0);
    let best = own.clone().fold(f64::INFINITY, f64::min);
    let places = places(table, &cells);
    let written: String = columns.iter().zip(&cells).map(|(series, cell)| write(cell, series, best, &places)).collect();
    let task = if set.task == Task::Regression { " <span class=\"tag\">regression</span>" } else { "" };
    let (name, s) = (escape(&set.name), set.features_per_example);
    let source = set.source.as_deref().map_or(String::new(), |source| format!(" title=\"{}\"", escape(source)));
    format!(
        "<tr data-set=\"{name}\"><th scope=\"row\" data-sort=\"{name}\"{source}>{name}{task}</th>\
         <td data-sort=\"{s}\">{}</td>{written}</tr>\n",
        fixed(s, 1)
    )
}

fn cell(table: Table, set: &SetResults, series: &Series) -> Cell {
    let theirs = paper::tables().figures(&set.name, series);
    match table {
        Table::Error => (series.run(set).map(|run| run.test_error), theirs.map(|figures| figures.0)),
        Table::Seconds => (series.run(set).map(|run| run.train_seconds), theirs.map(|figures| figures.1)),
    }
}

/// How many decimals a value gets: of errors, what four digits of the row's largest need, so that a row lines up.
fn places(table: Table, cells: &[Cell]) -> impl Fn(f64) -> usize {
    let largest = cells.iter().flat_map(|(ours, theirs)| [*ours, *theirs]).flatten().fold(0.0, f64::max);
    let row = if largest > 0.0 { decimals(largest, 4) } else { 3 };
    move |value| match table {
        Table::Error => row,
        Table::Seconds if value >= 1.0 => decimals(value, 3),
        Table::Seconds => 3,
    }
}

/// An error of exactly 0 is not a rounded one.
fn written(value: f64, places: usize) -> String {
    if value == 0.0 { "0".to_owned() } else { fixed(value, places) }
}

fn write((ours, theirs): &Cell, series: &Series, best: f64, places: impl Fn(f64) -> usize) -> String {
    let key = series.key;
    let paper = theirs.map_or(String::new(), |value| {
        format!("<small title=\"the paper’s\">{}</small>", written(value, places(value)))
    });
    let Some(value) = *ours else {
        return format!("<td class=\"none\" data-method=\"{key}\">–{paper}</td>");
    };
    let class = if value == best && !series.is_derived() { " class=\"best\"" } else { "" };
    format!("<td{class} data-method=\"{key}\" data-sort=\"{value}\">{}{paper}</td>", written(value, places(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{full_set, set};

    #[test]
    fn the_best_of_a_row_is_marked_and_the_paper_stands_beside_it() {
        let letter = full_set("letter", [0.3, 0.2, 0.25, 0.125], [1.0, 3.0, 9.0, 2.0]);
        let html = table(Table::Error, &[&letter]);
        assert!(html.contains(
            "<td class=\"best\" data-method=\"apple-1\" data-sort=\"0.125\">0.1250<small title=\"the paper’s\">0.1638</small>"
        ));
        assert_eq!(html.matches("class=\"best\"").count(), 1);
        assert!(!html.contains("vw-lin"), "columns without a run are left out");
    }

    #[test]
    fn what_was_not_run_is_a_dash() {
        let full = full_set("a", [0.3, 0.2, 0.25, 0.125], [1.0, 3.0, 9.0, 2.0]);
        let part = set("b", full.runs[..2].to_vec());
        assert!(table(Table::Seconds, &[&full, &part]).contains("<td class=\"none\" data-method=\"cubic\">–</td>"));
    }

    #[test]
    fn columns_have_short_names_under_their_group() {
        let shorts: Vec<&str> = COLUMNS.iter().map(short).collect();
        assert_eq!(shorts[7..12], ["1", "best", "1", "best", "fallback"]);
        assert_eq!(shorts[17..], ["apple", "LightGBM", "scikit-learn SGD"]);
    }
}
