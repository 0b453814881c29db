//! What a person sees: the first command of the README, the reports, silence when asked for.

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::made_up::{regression, sparse};
use common::{Folder, RUSSET, Run};

#[test]
fn the_first_command_trains_reports_and_names_the_strongest_terms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = assert_cmd::Command::new(RUSSET);
    command.args(["train", "data/titanic.csv", "--label", "survived"]).current_dir(root);
    let started = Instant::now();
    let run = Run::of(&mut command).succeeds();
    assert!(started.elapsed() < Duration::from_secs(1));
    for words in
        ["examples           2,201", "progressive error", "strongest terms", "sex=female", "class=1st", "age=child"]
    {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let header = run.stderr.lines().next().unwrap();
    for column in ["examples", "loss", "since last", "error", "features", "examples/s", "left"] {
        assert!(header.contains(column), "{header}");
    }
    assert_eq!(run.stderr.lines().count(), 6, "{}", run.stderr);
}

#[test]
fn quiet_is_silent() {
    let folder = Folder::with("data.vw", sparse(2000, 1) + "x | fault\n");
    for command in [
        "train data.vw -o model",
        "train data.vw --passes 2 --holdout 0.2 --cache kept.cache",
        "train data.vw --test data.vw",
        "tune data.vw -o model",
        "convert data.vw -o data.cache",
        "convert data.vw -o data.svm",
    ] {
        for quiet in ["--quiet", "-q"] {
            let run = folder.run(&format!("{command} --on-error skip {quiet}")).succeeds();
            assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{command}");
        }
    }
}

const FIELDS: [&str; 19] = [
    "examples",
    "task",
    "progressive_error",
    "progressive_loss",
    "test_error",
    "test_loss",
    "auc",
    "features_per_example",
    "base_features_per_example",
    "parents",
    "max_degree",
    "monomials",
    "learning_rate",
    "train_seconds",
    "total_seconds",
    "peak_memory_bytes",
    "ranks",
    "seconds_communicating",
    "bytes_sent",
];

#[test]
fn json_is_one_object_with_the_fixed_fields_and_nothing_else() {
    let folder = Folder::with("data.vw", sparse(2000, 1));
    for flags in ["", "-q", "--test data.vw", "--expansion cubic --holdout 0.5", "--step sgd --l2 0.1"] {
        let json = folder.run(&format!("train data.vw --json {flags}")).succeeds().json();
        let mut found: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let mut wanted = FIELDS.to_vec();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }
}

#[test]
fn json_says_what_applies_and_null_where_it_does_not() {
    let folder = Folder::with("data.vw", sparse(2000, 1));
    let linear = folder.train_json("data.vw --learning-rate 0.25 --expansion linear");
    assert_eq!((&linear["examples"], &linear["task"]), (&2000.into(), &"classification".into()));
    assert_eq!((&linear["max_degree"], &linear["monomials"]), (&1.into(), &0.into()));
    assert_eq!(linear["learning_rate"], 0.25);
    assert!(["test_error", "test_loss", "auc", "parents"].iter().all(|field| linear[field].is_null()), "{linear}");
    let cubic = folder.train_json("data.vw --expansion cubic --test data.vw");
    assert_eq!(cubic["max_degree"], 3);
    assert!(cubic["monomials"].as_u64() > Some(100), "{cubic}");
    assert!(["test_error", "test_loss", "auc"].iter().all(|field| cubic[field].is_number()), "{cubic}");
    assert!(cubic["features_per_example"].as_f64() > cubic["base_features_per_example"].as_f64());
    folder.write("data.vw", regression(500, 1));
    let numbers = folder.train_json("data.vw --test data.vw");
    assert_eq!(numbers["task"], "regression");
    assert!(numbers["auc"].is_null() && numbers["test_error"].is_number(), "{numbers}");
    assert!(numbers["train_seconds"].as_f64() <= numbers["total_seconds"].as_f64());
    assert!(folder.train_json("data.vw --step sgd --l2 0.1")["learning_rate"].is_null());
}

#[test]
fn inspect_lists_terms_by_name() {
    let folder = Folder::new();
    folder.copy("titanic.csv");
    folder.run("train titanic.csv --label survived -q -o model --expansion quadratic").succeeds();
    let all = folder.run("inspect model --top 1000").succeeds().stdout;
    for name in ["sex=female ", "class=1st * sex=female", "constant "] {
        assert!(all.contains(name), "{name}: {all}");
    }
    let three = folder.run("inspect model --top 3").succeeds().stdout;
    let rows: Vec<&str> = three.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    assert_eq!(rows.len(), 3, "{three}");
    let json = folder.run("inspect model --top 3 --json").succeeds().json();
    let terms = json["terms"].as_array().unwrap();
    assert_eq!(terms.len(), 3);
    for (term, row) in terms.iter().zip(rows) {
        assert!(row.starts_with(term["name"].as_str().unwrap()), "{row} {term}");
        assert!(term["weight"].is_number() && term["degree"].is_number() && term["active"].is_number());
    }
    assert_eq!((&json["settings"]["expansion"], &json["task"]), (&"quadratic".into(), &"classification".into()));
}

#[test]
fn inspect_tells_the_strongest_term_first() {
    let folder = Folder::with("data.vw", "3 | big a\n-3 | small a\n1 | a\n".repeat(100));
    folder.run("train data.vw --expansion linear -q -o model").succeeds();
    let json = folder.run("inspect model --json").succeeds().json();
    let effects: Vec<f64> =
        json["terms"].as_array().unwrap().iter().map(|term| term["effect"].as_f64().unwrap().abs()).collect();
    assert_eq!(effects.len(), 4);
    assert!(effects.is_sorted_by(|a, b| a >= b), "{effects:?}");
}
