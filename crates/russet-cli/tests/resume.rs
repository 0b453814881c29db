//! A finished model goes on with new data as if it had never stopped.

mod common;

use common::Folder;
use common::made_up::{regression, sparse, tabular};

/// Training on a, then on b, gives the bytes of training on both. Linear unless the flags say otherwise: the epochs of apple
/// depend on the length of the course, and `tests/apple.rs` resumes it.
#[track_caller]
fn resumes_exactly(folder: &Folder, files: [&str; 2], flags: &str) {
    let [a, b] = files;
    let flags = &if flags.contains("--expansion") { flags.to_owned() } else { format!("{flags} --expansion linear") };
    let both = folder.train(&format!("{a} {b} {flags}"));
    folder.run(&format!("train {a} {flags} -q -o first.model")).succeeds();
    let resumed = folder.train(&format!("{b} --resume first.model"));
    assert!(resumed == both, "{a} {b} {flags}");
    let same_flags = folder.train(&format!("{b} --resume first.model {flags}"));
    assert!(same_flags == both, "{a} {b} {flags}, given again");
    assert!(folder.read("first.model") != both);
}

fn two_classes() -> Folder {
    let folder = Folder::with("a.vw", sparse(3000, 1));
    folder.write("b.vw", sparse(2000, 2));
    folder
}

fn numbers() -> Folder {
    let folder = Folder::with("a.vw", regression(3000, 1));
    folder.write("b.vw", regression(2000, 2));
    folder
}

const FILES: [&str; 2] = ["a.vw", "b.vw"];

#[test]
fn linear_models_resume_exactly_with_every_loss() {
    for loss in ["squared", "logistic", "hinge", "quantile"] {
        resumes_exactly(&two_classes(), FILES, &format!("--loss {loss}"));
    }
}

#[test]
fn quadratic_models_resume_exactly_with_every_loss() {
    for loss in ["squared", "logistic", "hinge", "quantile"] {
        resumes_exactly(&two_classes(), FILES, &format!("--loss {loss} --expansion quadratic"));
    }
}

#[test]
fn cubic_models_resume_exactly_with_every_loss() {
    for loss in ["squared", "logistic", "hinge", "quantile"] {
        resumes_exactly(&two_classes(), FILES, &format!("--loss {loss} --expansion cubic"));
    }
}

#[test]
fn models_of_numbers_resume_exactly() {
    for flags in ["", "--expansion quadratic", "--expansion cubic", "--loss quantile --quantile 0.9"] {
        resumes_exactly(&numbers(), FILES, flags);
    }
}

#[test]
fn the_pull_towards_zero_resumes_exactly() {
    for pull in ["--l1 0.0001", "--l2 0.0001", "--l1 0.0001 --l2 0.001"] {
        resumes_exactly(&two_classes(), FILES, pull);
        resumes_exactly(&two_classes(), FILES, &format!("{pull} --loss logistic --expansion quadratic"));
    }
}

#[test]
fn every_other_setting_resumes_exactly() {
    for flags in [
        "--ngram 2",
        "--ngram 3 --expansion quadratic",
        "--indexing hashed",
        "--indexing hashed --bits 5",
        "--bits 4",
        "--bits 6 --expansion cubic --seed 9",
        "--learning-rate 2",
        "--step sgd --l2 0.01",
        "--step sgd --l2 0.01 --l1 0.001 --loss hinge",
        "--step sgd --l2 0.01 --loss logistic --expansion quadratic",
    ] {
        resumes_exactly(&two_classes(), FILES, flags);
    }
}

#[test]
fn importance_base_and_empty_examples_resume_exactly() {
    let folder = Folder::with("a.vw", "1 2 | a b:3\n-1 0.5 0.25 | c\n1 0 | a\n1 |\n".repeat(50));
    folder.write("b.vw", "-1 3 -0.5 'tag| a c |x:2 q\n1 | b\n".repeat(50));
    for flags in ["", "--loss logistic --expansion cubic", "--l1 0.001"] {
        resumes_exactly(&folder, FILES, flags);
    }
}

#[test]
fn tables_resume_exactly() {
    let folder = Folder::with("a.csv", tabular(2000, 1));
    folder.write("b.csv", tabular(1000, 2));
    for flags in ["", "--expansion quadratic --loss logistic", "--expansion cubic", "--ignore age --categorical size"] {
        resumes_exactly(&folder, ["a.csv", "b.csv"], &format!("--label bought {flags}"));
    }
}

#[test]
fn resuming_works_a_second_time_and_with_any_number_of_threads() {
    let folder = two_classes();
    folder.write("c.vw", sparse(1000, 3));
    let all = folder.train("a.vw b.vw c.vw --readers 1 --expansion linear");
    folder.run("train a.vw -q -o model --readers 4 --expansion linear").succeeds();
    folder.run("train b.vw -q --resume model -o model --readers 1").succeeds();
    folder.run("train c.vw -q --resume model -o model --readers 2").succeeds();
    assert!(folder.read("model") == all);
}

#[test]
fn other_settings_are_refused() {
    let folder = two_classes();
    folder.run("train a.vw -q -o model").succeeds();
    let run = |flags: &str| folder.run(&format!("train b.vw --resume model {flags}"));
    run("--loss logistic")
        .refuses("model: the model was trained with other settings: --loss logistic is asked for, but it has squared");
    run("--bits 20").refuses("model: the model was trained with other settings: --bits 20 is asked for, but it has 18");
    run("--expansion cubic")
        .refuses("model: the model was trained with other settings: --expansion cubic is asked for, but it has apple");
    run("--learning-rate 0.1")
        .refuses("model: the model was trained with other settings: --learning-rate 0.1 is asked for, but it has 0.5");
}

#[test]
fn a_table_without_a_column_that_the_model_knows_is_refused() {
    let folder = Folder::with("a.csv", tabular(200, 1));
    folder.run("train a.csv --label bought -q -o model").succeeds();
    folder.write("b.csv", "colour,size,bought\nred,1,yes\n");
    folder.run("train b.csv --resume model").fails("b.csv: there is no column `age`, which the model was trained with");
}
