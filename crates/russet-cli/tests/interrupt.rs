//! Ctrl-C stops in good order: it says what was done, and nothing is lost that could be kept.

mod common;

use std::thread::sleep;
use std::time::Duration;

use common::Folder;
use common::made_up::{sparse, wide};
use common::process::Child;

/// Several blocks of 64 KiB.
fn several_blocks() -> String {
    sparse(16_000, 1)
}

/// A training from a pipe that has given several blocks and stays open.
fn in_the_middle_of_a_pipe(folder: &Folder, flags: &str) -> Child {
    let mut child = Child::start(folder, &format!("train - {flags}"));
    child.feed(&several_blocks());
    child.wait_for_row("4,096");
    child
}

#[test]
fn it_exits_with_130_and_says_what_was_done() {
    let folder = Folder::new();
    let child = in_the_middle_of_a_pipe(&folder, "-o model");
    child.interrupt();
    let (code, said) = child.end();
    assert_eq!(code, Some(130));
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("interrupted after "), "{said}");
    assert!(last.ends_with(" examples; the checkpoint is in model: go on with --resume model"), "{said}");
}

#[test]
fn the_checkpoint_leads_to_the_same_end() {
    let folder = Folder::new();
    let text = several_blocks() + &sparse(3000, 2);
    folder.feed("train - -q -o undisturbed", text.as_str()).succeeds();
    for flags in ["--readers 2", "--readers 5"] {
        let child = in_the_middle_of_a_pipe(&folder, &format!("-o model {flags}"));
        child.interrupt();
        assert_eq!(child.end().0, Some(130));
        folder.feed("train - -q --resume model -o model", text.as_str()).succeeds();
        assert!(folder.read("model") == folder.read("undisturbed"), "{flags}");
    }
}

#[test]
fn it_leaves_no_other_files() {
    let folder = Folder::new();
    let child = in_the_middle_of_a_pipe(&folder, "-o model --passes 2 --checkpoint-every 1000");
    child.interrupt();
    assert_eq!(child.end().0, Some(130));
    assert_eq!(folder.names(), ["model"]);
}

#[test]
fn a_cache_that_is_not_complete_is_not_kept() {
    let folder = Folder::new();
    let child = in_the_middle_of_a_pipe(&folder, "-o model --cache kept.cache");
    child.interrupt();
    assert_eq!(child.end().0, Some(130));
    assert_eq!(folder.names(), ["model"]);
}

#[test]
fn without_an_output_it_says_that_nothing_is_saved() {
    let folder = Folder::new();
    let child = in_the_middle_of_a_pipe(&folder, "");
    child.interrupt();
    let (code, said) = child.end();
    assert_eq!(code, Some(130));
    assert!(said.ends_with(" examples; nothing is saved, as there was no --output\n"), "{said}");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_single_parsing_thread_does_not_wait_for_its_input() {
    let folder = Folder::new();
    let child = in_the_middle_of_a_pipe(&folder, "-o model --readers 1");
    child.interrupt();
    assert_eq!(child.end().0, Some(130));
}

#[test]
fn input_that_has_not_begun_is_not_waited_for() {
    for threads in [1, 2] {
        let folder = Folder::new();
        let mut child = Child::start(&folder, &format!("train - -o model --readers {threads}"));
        child.feed(&several_blocks()[..1000]);
        sleep(Duration::from_millis(300));
        child.interrupt();
        assert_eq!(child.end().0, Some(130), "--readers {threads}");
        folder.feed("train - -q --resume model -o model", several_blocks()).succeeds();
        folder.feed("train - -q -o undisturbed", several_blocks()).succeeds();
        assert!(folder.read("model") == folder.read("undisturbed"));
    }
}

#[test]
fn in_a_later_pass_the_checkpoint_leads_to_the_same_end() {
    let folder = Folder::with("data.vw", sparse(8000, 1));
    for (expansion, passes, threads) in [("quadratic", 100, 1), ("quadratic", 100, 2), ("linear", 500, 2)] {
        let flags = &format!("data.vw --passes {passes} --expansion {expansion}");
        let mut child = Child::start(&folder, &format!("train {flags} -o model --readers {threads}"));
        child.wait_for_row("32,768");
        child.interrupt();
        let (code, said) = child.end();
        assert_eq!(code, Some(130), "{said}");
        assert_eq!(folder.names(), ["data.vw", "model"]);
        folder.run(&format!("train {flags} -q --resume model -o model")).succeeds();
        assert!(folder.read("model") == folder.train(flags));
        std::fs::remove_file(folder.path("model")).unwrap();
        std::fs::remove_file(folder.path("trained.model")).unwrap();
    }
}

#[test]
fn with_many_features_the_checkpoint_leads_to_the_same_end() {
    let folder = Folder::with("data.vw", wide(20_000, 1));
    let flags = "data.vw --passes 40";
    let mut child = Child::start(&folder, &format!("train {flags} -o model --readers 2"));
    child.wait_for_row("65,536");
    child.interrupt();
    let (code, said) = child.end();
    assert_eq!(code, Some(130), "{said}");
    folder.run(&format!("train {flags} -q --resume model -o model --readers 2")).succeeds();
    assert!(folder.read("model") == folder.train(flags));
}

#[test]
fn a_run_that_was_interrupted_twice_leads_to_the_same_end() {
    let folder = Folder::with("data.vw", sparse(8000, 1));
    let flags = "data.vw --passes 60 --expansion quadratic";
    let mut child = Child::start(&folder, &format!("train {flags} -o model"));
    child.wait_for_row("16,384");
    child.interrupt();
    assert_eq!(child.end().0, Some(130));
    let mut child = Child::start(&folder, &format!("train {flags} --resume model -o model"));
    child.wait_for_row("131,072");
    child.interrupt();
    assert_eq!(child.end().0, Some(130));
    folder.run(&format!("train {flags} -q --resume model -o model")).succeeds();
    assert!(folder.read("model") == folder.train(flags));
}

#[test]
fn tune_stops_too() {
    let folder = Folder::new();
    let mut child = Child::start(&folder, "tune - -o model");
    child.feed(&several_blocks());
    sleep(Duration::from_millis(300));
    child.interrupt();
    let (code, said) = child.end();
    assert_eq!((code, said.as_str()), (Some(130), "interrupted\n"));
    assert_eq!(folder.names(), [""; 0]);
}
