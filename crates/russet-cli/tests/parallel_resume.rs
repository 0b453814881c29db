//! `--checkpoint` and `--resume` on several ranks.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, made_up, process};
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::with("data.vw", made_up::sparse(3000, 1));
    for part in 0..4 {
        folder.write(&format!("part-{part}.vw"), made_up::sparse(700 + 10 * part, part));
    }
    folder.write("test.vw", made_up::sparse(1000, 9));
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The checkpoint that a training of four passes has left at the end of its third.
fn interrupted(folder: &Folder, flags: &str) {
    folder.run(&format!("train {flags} --passes 4 --checkpoint saved -q")).succeeds();
}

#[test]
fn as_many_ranks_go_on_as_if_nothing_had_happened() {
    let folder = folder();
    for flags in [
        "data.vw --threads 3",
        "data.vw --threads 2 --sync-every 200 --loss logistic",
        "part-*.vw --threads 4 --l2 1e-6 --ngram 2",
        "part-*.vw --threads 2 --expansion linear --average plain",
        "data.vw --threads 2 --cache kept.cache",
        // One rank is no different.
        "data.vw",
        "data.vw --cache kept.cache --expansion linear",
    ] {
        let whole = folder.train(&format!("{flags} --passes 4"));
        interrupted(&folder, flags);
        let resumed = folder.train(&format!("{flags} --resume saved"));
        assert!(resumed == whole, "{flags}");
        assert!(folder.train(&format!("{flags} --resume saved/checkpoint.model --passes 4")) == whole, "{flags}");
    }
}

/// Every checkpoint of a training.
fn all_checkpoints(folder: &Folder, flags: &str) -> Vec<Vec<u8>> {
    std::fs::create_dir_all(folder.path("saved")).unwrap();
    let _ = std::fs::remove_file(folder.path("saved/checkpoint.model"));
    let run = || folder.run(&format!("train {flags} --checkpoint saved -q"));
    process::catch_models(folder, "saved/checkpoint.model", run)
}

#[test]
fn every_pass_has_its_checkpoint() {
    let folder = folder();
    for flags in ["data.vw --threads 2", "data.vw"] {
        let whole = folder.train(&format!("{flags} --passes 4"));
        let checkpoints = all_checkpoints(&folder, &format!("{flags} --passes 4"));
        assert_eq!(checkpoints.len(), 3, "the last pass ends with the model itself");
        for checkpoint in checkpoints {
            folder.write("checkpoint", checkpoint);
            assert!(folder.train(&format!("{flags} --resume checkpoint")) == whole, "{flags}");
        }
    }
}

#[test]
fn what_goes_on_with_another_number_of_ranks_has_checkpoints_too() {
    let folder = folder();
    folder.write("first", &all_checkpoints(&folder, "data.vw --threads 3 --passes 4")[0]);
    let whole = folder.train("data.vw --threads 2 --resume first");
    let checkpoints = all_checkpoints(&folder, "data.vw --threads 2 --resume first");
    assert_eq!(checkpoints.len(), 2);
    for checkpoint in checkpoints {
        folder.write("second", checkpoint);
        assert!(folder.train("data.vw --threads 2 --resume second") == whole);
    }
}

#[test]
fn another_number_of_ranks_goes_on_too() {
    let folder = folder();
    for expansion in ["linear", "apple"] {
        interrupted(&folder, &format!("data.vw --threads 3 --expansion {expansion}"));
        let three = folder.train_json("data.vw --threads 3 --resume saved --test test.vw");
        for ranks in [1, 2, 5] {
            let json = folder.train_json(&format!("data.vw --threads {ranks} --resume saved --test test.vw"));
            assert_eq!(json["examples"], 12_000, "{ranks}");
            assert_eq!(json["parents"], three["parents"], "the feature set stays as it is");
            let (found, expected) = (number(&json["test_error"]), number(&three["test_error"]));
            assert!(found < expected + 0.03, "{expansion}: {found} on {ranks} ranks, {expected} on three");
            // Progressive validation goes on over all that was learned before.
            let (found, expected) = (number(&json["progressive_loss"]), number(&three["progressive_loss"]));
            assert!((found - expected).abs() < 0.05 * expected, "{found} {expected}");
        }
    }
}

#[test]
fn one_rank_hands_over_to_several() {
    let folder = folder();
    interrupted(&folder, "data.vw");
    let one = folder.train_json("data.vw --resume saved --test test.vw");
    let json = folder.train_json("data.vw --threads 3 --resume saved --test test.vw");
    assert_eq!((&json["examples"], &json["ranks"]), (&one["examples"], &Value::from(3)));
    assert!(number(&json["test_error"]) < number(&one["test_error"]) + 0.03, "{json} {one}");
}

#[test]
fn a_finished_model_learns_from_new_data() {
    let folder = folder();
    folder.run("train data.vw -q -o model --passes 2").succeeds();
    let json = folder.train_json("test.vw --resume model --threads 2 --passes 2 -o model");
    assert_eq!(json["examples"], 8000);
    folder.run("evaluate -m model test.vw").succeeds();
}

#[test]
fn what_cannot_be_resumed_is_said() {
    let folder = folder();
    folder.write("middle", &process::checkpoints(&folder, "data.vw --checkpoint-every 500 --passes 2")[0]);
    folder
        .run("train data.vw --threads 2 --resume middle -q")
        .refuses("this checkpoint is of the middle of a pass, from which one rank alone can go on");
    interrupted(&folder, "data.vw --threads 2");
    folder
        .run("train test.vw --threads 2 --resume saved -q")
        .fails("this is not the data that the checkpoint began with: the files differ in number or size");
    folder
        .run("train data.vw --threads 2 --resume saved --passes 9 -q")
        .refuses("the checkpoint is of another course: --passes 9 is asked for, but it has 4");
    folder.run("train data.vw --threads 2 --resume nowhere -q").fails("nowhere: no such file");
    assert_eq!(folder.run("train data.vw --threads 2 --checkpoint data.vw -q").code, Some(1));
}
