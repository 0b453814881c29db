//! `predict --explain`: what made a prediction, adding up to it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use common::made_up::{regression, sparse};
use serde_json::Value;

/// The JSON objects of all lines.
fn explained(folder: &Folder, flags: &str) -> Vec<Value> {
    let text = folder.run(&format!("predict -m model data.vw {flags} --json")).succeeds().stdout;
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn contributions_add_up_to_the_prediction_exactly() {
    let folder = Folder::with("sparse.vw", sparse(1500, 1));
    folder.write("numbers.vw", regression(1000, 1));
    for (data, flags) in [
        ("sparse.vw", ""),
        ("sparse.vw", "--expansion quadratic --loss logistic --l1 0.0001 --l2 0.001"),
        ("sparse.vw", "--expansion quadratic --bits 8"),
        ("sparse.vw", "--expansion cubic --loss hinge --indexing hashed"),
        ("sparse.vw", "--expansion apple --ngram 2 --learning-rate 4"),
        ("numbers.vw", "--expansion apple --l2 0.001"),
        ("numbers.vw", "--step sgd --l2 0.1"),
    ] {
        folder.write("data.vw", folder.read(data));
        folder.run(&format!("train data.vw {flags} -q -o model")).succeeds();
        let predictions = folder.run("predict -m model data.vw").succeeds().stdout;
        for most in ["", "=3"] {
            let lines = explained(&folder, &format!("--explain{most}"));
            assert_eq!(lines.len(), predictions.lines().count());
            for (line, prediction) in lines.iter().zip(predictions.lines()) {
                let parts = line["parts"].as_array().unwrap();
                let sum = parts.iter().fold(0.0, |sum, part| sum + part["contribution"].as_f64().unwrap());
                assert_eq!(Some(sum), line["prediction"].as_f64(), "{flags}: {line}");
                assert_eq!(sum as f32, prediction.parse::<f32>().unwrap(), "{flags}: {line}");
                assert!(most.is_empty() || parts.iter().filter(|part| part["kind"] == "term").count() <= 3);
            }
        }
    }
}

#[test]
fn a_prediction_is_followed_by_its_terms_the_largest_first() {
    let folder = Folder::with("train.vw", "1 | a b:0.5\n-1 | b:0.5\n".repeat(100));
    folder.write("data.vw", "1 'first| a b:0.5\n| b:0.25\n");
    folder.run("train train.vw -q -o model").succeeds();
    let plain = folder.run("predict -m model data.vw").succeeds().stdout;
    let run = folder.run("predict -m model data.vw --explain").succeeds();
    let lines: Vec<&str> = run.stdout.lines().collect();
    let predictions: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(predictions, plain.lines().collect::<Vec<_>>());
    assert!(lines[0].ends_with(" first"));
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    assert!(
        matches!(words[..], [contribution, "a", "value", "1", "weight", weight] if contribution == weight),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.contains(" b ") && line.contains("value 0.25")), "{lines:?}");
    folder.run("predict -m model data.vw --explain -o explained").succeeds();
    assert!(folder.read("explained") == run.stdout.as_bytes());
}

#[test]
fn with_a_number_the_others_are_one_line() {
    let folder = Folder::with("train.vw", "1 | a b c\n-1 | b\n".repeat(100));
    folder.write("data.vw", "| a b c\n");
    folder.run("train train.vw --expansion linear -q -o model").succeeds();
    let text = folder.run("predict -m model data.vw --explain=1").succeeds().stdout;
    assert_eq!(text.lines().filter(|line| line.contains("weight")).count(), 1, "{text}");
    assert!(text.lines().nth(2).unwrap().ends_with("others (3 terms)"), "{text}");
    let all = folder.run("predict -m model data.vw --explain=4").succeeds().stdout;
    assert!(!all.contains("others") && all == folder.run("predict -m model data.vw --explain").stdout, "{all}");
}

#[test]
fn the_base_and_what_was_clipped_are_told() {
    let folder = Folder::with("train.vw", "4 | a\n-4 | b\n".repeat(50));
    folder.write("data.vw", "0 1 6.5 'tag| a\n");
    folder.run("train train.vw -q -o model").succeeds();
    let text = folder.run("predict -m model data.vw --explain").succeeds().stdout;
    assert!(text.starts_with("4 tag\n"), "{text}");
    assert!(text.contains("+6.5000  base prediction\n") && text.contains("clipped to the range of labels"), "{text}");
    let line = &explained(&folder, "--explain")[0];
    assert_eq!((&line["tag"], &line["prediction"]), (&Value::from("tag"), &Value::from(4.0)));
}

#[test]
fn flags_that_do_not_go_with_it_are_refused() {
    let folder = Folder::with("data.vw", sparse(100, 1));
    folder.run("train data.vw -q -o model").succeeds();
    for flags in ["--json", "--explain --probability", "--explain=x", "--explain=-1"] {
        let run = folder.run(&format!("predict -m model data.vw {flags}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{flags}");
    }
}
