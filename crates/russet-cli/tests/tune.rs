//! `tune` tries several learning rates at once, and each as if it had been alone.

mod common;

use common::Folder;
use common::made_up::{regression, sparse, tabular};

#[test]
fn every_rate_has_the_errors_of_a_training_of_its_own() {
    let folder = Folder::with("data.vw", sparse(12_000, 1));
    folder.write("data.csv", tabular(3000, 1));
    for data in ["data.vw", "data.vw --expansion quadratic --loss logistic", "data.csv --label bought"] {
        let json = folder.run(&format!("tune {data} --grid 0.1,0.5,2 -q --json")).succeeds().json();
        let candidates = json["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 3);
        for candidate in candidates {
            let alone = folder.train_json(&format!("{data} --learning-rate {}", candidate["learning_rate"]));
            for field in ["progressive_error", "progressive_loss"] {
                assert_eq!(candidate[field], alone[field], "{data} {candidate}");
            }
        }
    }
}

#[test]
fn the_best_rate_of_the_grid_wins() {
    let folder = Folder::with("data.vw", regression(2000, 1));
    let json = folder.run("tune data.vw -q --json").succeeds().json();
    let candidates = json["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 8);
    let error = |candidate: &serde_json::Value| candidate["progressive_error"].as_f64().unwrap();
    let best = candidates.iter().min_by(|a, b| error(a).total_cmp(&error(b))).unwrap();
    for field in ["learning_rate", "progressive_error", "progressive_loss"] {
        assert_eq!(json[field], best[field]);
    }
    assert_eq!(json["examples"], 2000);
}

#[test]
fn the_best_model_is_saved_as_train_would_have() {
    let folder = Folder::with("data.csv", tabular(3000, 1));
    let json = folder.run("tune data.csv --label bought -q --json -o best").succeeds().json();
    let flags = format!("data.csv --label bought --learning-rate {}", json["learning_rate"]);
    assert!(folder.read("best") == folder.train(&flags));
}

#[test]
fn the_report_marks_the_best() {
    let folder = Folder::with("data.vw", regression(500, 1));
    let run = folder.run("tune data.vw --grid 0.001,0.5").succeeds();
    assert_eq!(run.stdout.lines().count(), 3);
    let best: Vec<&str> = run.stdout.lines().filter(|line| line.ends_with("best")).collect();
    assert!(matches!(best[..], [line] if line.starts_with("0.5 ")), "{}", run.stdout);
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    let folder = Folder::with("data.vw", "1 | a\n");
    folder.run("tune data.vw --grid 0.5,0").refuses("--grid is 0; it must be above 0");
    folder.run("tune data.vw --grid 0.5,x").refuses("invalid value 'x' for '--grid <RATES>': invalid float literal");
    let run = folder.run("tune data.vw --learning-rate 1 --grid 0.5");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn data_from_standard_input_can_be_tuned_on() {
    let text = sparse(3000, 1);
    let folder = Folder::with("data.vw", &text);
    let [file, pipe] =
        ["data.vw", "-"].map(|data| folder.feed(&format!("tune {data} --expansion linear --json -q"), text.clone()));
    assert_eq!(file.succeeds().stdout, pipe.succeeds().stdout);
}
