//! Input that is far larger than input should be: learned from in reasonable time, or refused with words that say why. No run may
//! take a minute (see `common`).
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write;

use common::Folder;

/// Trains linearly, and gives the predictions for the same data, which are numbers.
#[track_caller]
fn learns_from(folder: &Folder, data: &str, flags: &str) -> Vec<f32> {
    folder.run(&format!("train {data} {flags} --expansion linear -q -o model")).succeeds();
    let predictions = folder.run(&format!("predict -m model {data}")).succeeds().stdout;
    let numbers: Vec<f32> =
        predictions.lines().map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect();
    assert!(numbers.iter().all(|number| number.is_finite()), "{numbers:?}");
    numbers
}

#[test]
fn a_line_of_more_than_64_mebibytes_is_refused() {
    let folder = Folder::with("data.vw", format!("1 | a\n1 | {}\n", "b ".repeat((1 << 25) + 10)));
    folder.run("train data.vw -q").fails("data.vw:2:1: this line is longer than 64 MiB; expected an end of line");
}

#[test]
fn a_million_features_in_a_line() {
    let mut line = "| ".to_owned();
    (0..1_000_000).for_each(|number| write!(line, " {number}:0.5").unwrap());
    let folder = Folder::with("data.vw", format!("1 {line}\n-1 | 7\n"));
    assert_eq!(learns_from(&folder, "data.vw", "").len(), 2);
    let refused = folder.run("train data.vw -q --expansion quadratic");
    refused.fails(
        "data.vw:1:1: the example has 1000000 features, whose products are more than 32 million; the expansion is too much for it",
    );
}

#[test]
fn a_hundred_thousand_namespaces() {
    let mut line = String::new();
    (0..100_000).for_each(|number| write!(line, "|space{number} a b:2 ").unwrap());
    let folder = Folder::with("data.vw", format!("1 {line}\n-1 {line}\n1 {line}\n"));
    assert_eq!(learns_from(&folder, "data.vw", "").len(), 3);
    assert_eq!(learns_from(&folder, "data.vw", "--ngram 3").len(), 3);
}

/// Each name was compared with all before it: 100,000 columns took minutes.
#[test]
fn a_table_of_a_hundred_thousand_columns() {
    let row = |field: &dyn Fn(u32) -> String| (0..100_000).map(field).collect::<Vec<_>>().join(",");
    let header = row(&|number| format!("column{number}"));
    let fields = row(&|number| (number % 5).to_string());
    let folder = Folder::with("data.csv", format!("{header},y\n{fields},1\n{fields},2\n"));
    assert_eq!(learns_from(&folder, "data.csv", "--label y").len(), 2);
    let unnamed = folder.run("train data.csv -q --label z");
    assert!(unnamed.stderr.len() < 1000 && unnamed.code == Some(1), "{}", unnamed.stderr);
}

/// Every name that the learner meets is kept, so memory is bounded by 2^bits of them.
#[test]
fn names_without_end_share_weights_once_the_table_is_full() {
    let mut text = String::new();
    (0..20_000).for_each(|number| writeln!(text, "1 | name{number} other{number}").unwrap());
    let folder = Folder::with("data.vw", text);
    assert_eq!(learns_from(&folder, "data.vw", "--bits 8").len(), 20_000);
    assert!(folder.read("model").len() < 20_000);
}
