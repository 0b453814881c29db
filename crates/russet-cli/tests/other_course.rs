//! A checkpoint is continued on the data and in the way it began with, or not at all.

mod common;

use common::Folder;
use common::made_up::{sparse, tabular};
use common::process::{catch_models, checkpoints};

const OTHER: &str = "this is not the data that the checkpoint began with";

/// A checkpoint after 6,000 of 8,000 examples, in `checkpoint`.
fn folder_with_checkpoint(flags: &str) -> Folder {
    let folder = Folder::with("data.vw", sparse(8000, 1));
    let models = checkpoints(&folder, &format!("data.vw {flags} --checkpoint-every 6000"));
    folder.write("checkpoint", &models[0]);
    folder
}

#[track_caller]
fn refuses_data(folder: &Folder, words: &str) {
    let run = folder.run("train data.vw --resume checkpoint -q -o model");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains(OTHER) && run.stderr.contains(words), "{}", run.stderr);
    assert!(!folder.path("model").exists());
}

#[test]
fn other_content_of_the_same_size_is_refused() {
    let folder = folder_with_checkpoint("");
    let text = sparse(8000, 1);
    let changed = text.replacen("1 | f", "1 | g", 1);
    assert_eq!(changed.len(), text.len());
    folder.write("data.vw", changed);
    refuses_data(&folder, "differ");
}

#[test]
fn longer_data_is_refused() {
    let folder = folder_with_checkpoint("");
    folder.write("data.vw", sparse(8001, 1));
    refuses_data(&folder, "size");
}

#[test]
fn shorter_data_is_refused() {
    let folder = folder_with_checkpoint("");
    folder.write("data.vw", sparse(100, 1));
    refuses_data(&folder, "size");
}

#[test]
fn another_number_of_files_is_refused() {
    let folder = folder_with_checkpoint("");
    folder.write("more.vw", "1 | a\n");
    let run = folder.run("train data.vw more.vw --resume checkpoint");
    run.fails(&format!("{OTHER}: the files differ in number or size"));
}

#[test]
fn standard_input_that_ends_too_early_or_differs_is_refused() {
    let (folder, text) = (Folder::new(), sparse(16_000, 1));
    let models =
        catch_models(&folder, "caught", || folder.feed("train - -q --checkpoint-every 15000 -o caught", text.as_str()));
    folder.write("checkpoint", &models[0]);
    let resume = |text: &str| folder.feed("train - -q --resume checkpoint -o model", text);
    resume(&text[..100_000]).fails(&format!("{OTHER}: it ends before the checkpoint's place"));
    resume(&text.replacen("1 | f", "1 | g", 1)).fails(&format!("{OTHER}: its first 11 blocks differ"));
    resume(&text).succeeds();
    assert!(folder.read("model") == models[1]);
}

#[test]
fn data_that_changes_after_the_place_is_not_noticed_but_the_part_before_it_is() {
    let folder = Folder::with("data.vw", sparse(16_000, 1));
    let models = checkpoints(&folder, "data.vw --checkpoint-every 1000");
    folder.write("checkpoint", &models[0]);
    let text = sparse(16_000, 1);
    let (start, last) = text.trim_end().rsplit_once('\n').unwrap();
    let last = last.replacen(" f", " g", 1);
    folder.write("data.vw", format!("{start}\n{last}\n"));
    folder.run("train data.vw --resume checkpoint -q -o model").succeeds();
    folder.write("checkpoint", &models[models.len() - 2]);
    let run = folder.run("train data.vw --resume checkpoint -q");
    assert!(run.code == Some(1) && run.stderr.contains(OTHER), "{}", run.stderr);
}

#[test]
fn other_data_is_refused_in_later_passes_too() {
    let folder = Folder::with("data.vw", sparse(4000, 1));
    let models = checkpoints(&folder, "data.vw --passes 3 --checkpoint-every 3000");
    folder.write("data.vw", sparse(4000, 1).replacen("1 | f", "1 | g", 1));
    for checkpoint in &models[..models.len() - 1] {
        folder.write("checkpoint", checkpoint);
        refuses_data(&folder, "differ");
    }
}

#[test]
fn another_way_of_learning_is_a_usage_error() {
    let folder = folder_with_checkpoint("");
    folder.run("train data.vw --resume checkpoint --loss logistic").refuses(
        "checkpoint: the model was trained with other settings: --loss logistic is asked for, but it has squared",
    );
}

#[test]
fn another_course_is_a_usage_error() {
    let folder = folder_with_checkpoint("");
    folder
        .run("train data.vw --resume checkpoint --passes 3")
        .refuses("the checkpoint is of another course: --passes 3 is asked for, but it has 1");
    folder
        .run("train data.vw --resume checkpoint --holdout 0.2")
        .refuses("the checkpoint is of another course: --holdout 0.2 is asked for, but it has none");
    let folder = folder_with_checkpoint("--holdout 0.2");
    folder
        .run("train data.vw --resume checkpoint --holdout 0.1")
        .refuses("the checkpoint is of another course: --holdout 0.1 is asked for, but it has 0.2");
}

#[test]
fn another_column_to_predict_is_refused() {
    let folder = Folder::with("data.csv", tabular(4000, 1));
    let models = checkpoints(&folder, "data.csv --label bought --checkpoint-every 3000");
    folder.write("checkpoint", &models[0]);
    let run = folder.run("train data.csv --label size --resume checkpoint -q");
    assert_eq!(run.code, Some(2), "the model was trained to predict another column: {}", run.stderr);
}

#[test]
fn a_checkpoint_predicts_as_any_model_does() {
    let folder = folder_with_checkpoint("");
    assert_eq!(folder.run("predict -m checkpoint data.vw").succeeds().stdout.lines().count(), 8000);
    folder.run("inspect checkpoint").succeeds();
}
