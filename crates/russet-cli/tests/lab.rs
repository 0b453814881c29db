//! `lab theory`: the experiments as the program runs and reports them.

mod common;

use common::Folder;
use serde_json::Value;

#[test]
fn the_theory_holds_in_json_and_in_tables() {
    let folder = Folder::new();
    let run = folder.run("lab theory --quick --json --quiet --seed 3").succeeds();
    assert_eq!(run.stderr, "");
    let json = run.json();
    assert_eq!((&json["passed"], &json["size"], &json["seed"]), (&Value::from(true), &"quick".into(), &3.into()));
    let rows = |part: &str, rows: &str| json[part][rows].as_array().unwrap().clone();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    for row in rows("theorem", "early").iter().chain(&rows("theorem", "spread")) {
        assert!(number(row, "suboptimality") < number(row, "bound"), "{row}");
    }
    for row in rows("monomial", "rows") {
        assert!(number(&row, "growths") <= number(&row, "degree"), "{row}");
        assert!(number(&row, "weights") < number(&row, "power"), "{row}");
    }
    for row in rows("fallback", "rows") {
        assert!(number(&row, "growths") <= number(&row, "power"), "{row}");
    }
    let text = folder.run("lab theory --quick --seed 3").succeeds().stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("PASS: ")).count(), 3, "{text}");
    let slope = format!("slope of log suboptimality against log T: {:.3}", number(&json["theorem"], "slope"));
    assert!(text.contains(&slope), "{slope}: {text}");
}

#[test]
fn an_experiment_must_be_named() {
    let run = Folder::new().run("lab");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("theory"), "{}", run.stderr);
    Folder::new()
        .run("lab theory --seed x")
        .refuses("invalid value 'x' for '--seed <N>': invalid digit found in string");
}
