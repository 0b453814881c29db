//! A checkpoint knows its place: the run that goes on from it ends with the bytes of the undisturbed run.

mod common;

use common::Folder;
use common::made_up::{gzip, regression, sparse, tabular};
use common::process::checkpoints;

/// Goes on from every checkpoint of a run; `again` are flags that may differ.
#[track_caller]
fn every_checkpoint_leads_to_the_same_end(folder: &Folder, flags: &str, every: u64, again: &str) {
    let mut models = checkpoints(folder, &format!("{flags} --checkpoint-every {every}"));
    let end = models.pop().expect("a finished model");
    assert!(end == folder.train(flags), "{flags}: checkpoints change the result");
    assert!(models.len() > 1, "{flags}");
    for (number, checkpoint) in models.iter().enumerate() {
        folder.write("checkpoint", checkpoint);
        let resumed = folder.train(&format!("{flags} --resume checkpoint {again}"));
        assert!(resumed == end, "{flags} {again}: checkpoint {} of {}", number + 1, models.len());
    }
}

/// Several blocks of 64 KiB, with features in later ones that earlier ones declared.
fn several_blocks() -> Folder {
    Folder::with("data.vw", sparse(16_000, 1))
}

#[test]
fn in_the_first_pass() {
    every_checkpoint_leads_to_the_same_end(&several_blocks(), "data.vw", 2500, "");
}

#[test]
fn at_the_end_of_each_of_several_files() {
    let folder = Folder::with("a.vw", sparse(1000, 1));
    folder.write("b.vw", sparse(1000, 1));
    folder.write("c.vw", sparse(2000, 1));
    every_checkpoint_leads_to_the_same_end(&folder, "a.vw b.vw c.vw", 1000, "");
    every_checkpoint_leads_to_the_same_end(&folder, "a.vw b.vw c.vw --readers 1", 500, "");
}

#[test]
fn in_every_pass() {
    every_checkpoint_leads_to_the_same_end(&several_blocks(), "data.vw --passes 3", 5000, "");
}

#[test]
fn at_the_border_of_passes() {
    let folder = Folder::with("data.vw", sparse(1000, 1));
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --passes 4", 500, "");
}

#[test]
fn with_a_part_of_the_data_held_out() {
    every_checkpoint_leads_to_the_same_end(&several_blocks(), "data.vw --holdout 0.2", 3200, "");
    every_checkpoint_leads_to_the_same_end(&several_blocks(), "data.vw --holdout 0.2 --passes 3", 6400, "");
}

#[test]
fn with_another_number_of_threads() {
    for (before, after) in [(1, 4), (3, 1), (2, 5)] {
        let flags = format!("data.vw --passes 2 --readers {before}");
        let folder = several_blocks();
        let mut models = checkpoints(&folder, &format!("{flags} --checkpoint-every 7000"));
        let end = models.pop().unwrap();
        for checkpoint in &models {
            folder.write("checkpoint", checkpoint);
            assert!(folder.train(&format!("data.vw --resume checkpoint --readers {after}")) == end, "{before} {after}");
        }
    }
}

#[test]
fn with_every_kind_of_model() {
    let folder = Folder::with("data.vw", sparse(6000, 1));
    for flags in [
        "--loss logistic --expansion quadratic",
        "--loss hinge --expansion cubic --bits 12",
        "--loss quantile --quantile 0.3 --l1 0.0001",
        "--l2 0.001 --ngram 2",
        "--indexing hashed --bits 6",
        "--step sgd --l2 0.01",
    ] {
        every_checkpoint_leads_to_the_same_end(&folder, &format!("data.vw {flags}"), 1700, "");
    }
}

#[test]
fn with_every_kind_of_input() {
    let folder = several_blocks();
    folder.write("data.vw.gz", gzip(folder.read("data.vw")));
    folder.run("convert data.vw -q -o data.cache").succeeds();
    folder.write("data.csv", tabular(20_000, 1));
    folder.write("numbers.vw", regression(8000, 1));
    for data in ["data.vw.gz", "data.cache", "data.csv --label bought", "numbers.vw"] {
        every_checkpoint_leads_to_the_same_end(&folder, &format!("{data} --passes 2"), 6000, "");
    }
}

#[test]
fn with_a_cache_that_is_kept() {
    let folder = several_blocks();
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --passes 2 --cache kept.cache", 6000, "");
    let mut models = checkpoints(&folder, "data.vw --passes 2 --checkpoint-every 6000");
    let end = models.pop().unwrap();
    for checkpoint in &models {
        folder.write("checkpoint", checkpoint);
        assert!(folder.train("data.vw --passes 2 --resume checkpoint --cache kept.cache") == end);
    }
}

#[test]
fn with_faulty_lines_to_skip() {
    let text = sparse(12_000, 1).replace("f7:", "f7:x");
    let folder = Folder::with("data.vw", text);
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --on-error skip --passes 2", 3000, "");
}

#[test]
fn in_a_run_that_resumed_a_finished_model() {
    let folder = several_blocks();
    folder.run("train data.vw -q -o before").succeeds();
    let mut models = checkpoints(&folder, "data.vw --resume before --checkpoint-every 5000");
    let end = models.pop().unwrap();
    for checkpoint in &models {
        folder.write("checkpoint", checkpoint);
        assert!(folder.train("data.vw --resume checkpoint") == end);
    }
}

#[test]
fn a_run_that_failed_goes_on_when_the_fault_is_repaired() {
    let folder = Folder::with("a.vw", sparse(5000, 1));
    let b = sparse(3000, 2);
    folder.write("b.vw", format!("1.0 | f1\n{b}"));
    let undisturbed = folder.train("a.vw b.vw");
    folder.write("b.vw", format!("nan | f1\n{b}"));
    let run = folder.run("train a.vw b.vw -q --checkpoint-every 2000 -o model");
    run.fails("b.vw:1:1: label is `nan`; expected a finite number");
    folder.write("b.vw", format!("1.0 | f1\n{b}"));
    folder.run("train a.vw b.vw -q --resume model -o model").succeeds();
    assert!(folder.read("model") == undisturbed);
}
