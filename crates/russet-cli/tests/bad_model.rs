//! Files that are no model, or none that this build can load.

mod common;

use common::Folder;
use common::made_up::sparse;

fn folder_with_model() -> Folder {
    let folder = Folder::with("data.vw", sparse(500, 1));
    folder.run("train data.vw -q -o model").succeeds();
    folder
}

/// All commands that read a model say the same.
#[track_caller]
fn every_command_fails(folder: &Folder, message: &str) {
    for command in
        ["predict -m model data.vw", "evaluate -m model data.vw", "inspect model", "train data.vw --resume model"]
    {
        folder.run(command).fails(message);
    }
}

#[test]
fn a_missing_model_is_named() {
    every_command_fails(&Folder::with("data.vw", "1 | a\n"), "model: no such file");
}

#[test]
fn a_foreign_file_is_no_model() {
    let folder = Folder::with("data.vw", "1 | a\n");
    for content in ["", "1 | a\n", "russet is an apple\n"] {
        folder.write("model", content);
        every_command_fails(&folder, "model: this is not a russet model");
    }
}

#[test]
fn a_truncated_model_is_damaged() {
    let folder = folder_with_model();
    let model = folder.read("model");
    folder.write("model", &model[..12]);
    every_command_fails(&folder, "model: this model is damaged: it ends too early");
    for length in [20, model.len() / 2, model.len() - 1] {
        folder.write("model", &model[..length]);
        every_command_fails(
            &folder,
            "model: this model is damaged: its checksum is wrong, so it was cut short or changed",
        );
    }
}

#[test]
fn a_model_of_a_newer_version_is_refused_as_such() {
    let folder = folder_with_model();
    let mut model = folder.read("model");
    model[8..12].copy_from_slice(&7u32.to_le_bytes());
    folder.write("model", model);
    every_command_fails(&folder, "model: this model has format 7, from a newer russet; this one reads up to format 2");
}

#[test]
fn a_flipped_byte_is_found_wherever_it_is() {
    let folder = folder_with_model();
    let model = folder.read("model");
    for place in [13, 100, model.len() / 2, model.len() - 20, model.len() - 1] {
        let mut changed = model.clone();
        changed[place] ^= 0x10;
        folder.write("model", changed);
        folder
            .run("predict -m model data.vw")
            .fails("model: this model is damaged: its checksum is wrong, so it was cut short or changed");
    }
}
