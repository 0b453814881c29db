//! Places that cannot be written to.

mod common;

use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use common::made_up::sparse;
use common::{Folder, RUSSET};

fn folder_with_model() -> Folder {
    let folder = Folder::with("data.vw", sparse(500, 1));
    folder.run("train data.vw -q -o model").succeeds();
    folder
}

const WRITERS: [&str; 4] =
    ["train data.vw -q -o", "tune data.vw -q -o", "predict -m model data.vw -o", "train data.vw -q --cache"];

#[test]
fn an_output_folder_must_be_there() {
    let folder = folder_with_model();
    for command in WRITERS {
        folder.run(&format!("{command} nowhere/file")).fails("cannot write nowhere/file: no such file or directory");
    }
    folder
        .run("convert data.vw -o nowhere/file.cache")
        .fails("cannot write nowhere/file.cache: no such file or directory");
}

#[test]
fn an_output_folder_must_be_a_folder() {
    let folder = folder_with_model();
    for command in WRITERS {
        folder.run(&format!("{command} model/file")).fails("cannot write model/file: not a directory");
    }
}

#[test]
fn an_output_must_not_be_a_folder() {
    let folder = folder_with_model();
    fs::create_dir(folder.path("folder")).unwrap();
    for command in WRITERS {
        folder.run(&format!("{command} folder")).fails("cannot write folder: is a directory");
    }
}

#[test]
fn a_read_only_output_folder_is_found_before_training() {
    let folder = folder_with_model();
    let closed = folder.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    if File::create(closed.join("probe")).is_ok() {
        println!("skipped: permissions do not bind this user");
        return;
    }
    for command in WRITERS {
        folder.run(&format!("{command} closed/file")).fails("cannot write closed/file: permission denied");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let folder = folder_with_model();
    for command in WRITERS {
        folder.run(&format!("{command} /dev/full")).fails("cannot write /dev/full: no space left on device");
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_on_the_disk_is_a_failure() {
    let folder = folder_with_model();
    folder
        .run("train data.vw -q --checkpoint-every 100 -o /dev/full")
        .fails("cannot write /dev/full: no space left on device");
}

#[test]
fn a_failed_training_leaves_the_old_model_and_no_other_file() {
    let folder = folder_with_model();
    let before = (folder.read("model"), folder.names());
    folder.write("data.vw", "1 | a\nx | b\n");
    folder.run("train data.vw -q -o model").fails("data.vw:2:1: label is `x`; expected a finite number");
    assert_eq!((folder.read("model"), folder.names()), before);
}

#[test]
fn a_failed_prediction_leaves_no_half_file() {
    let folder = folder_with_model();
    folder.write("data.vw", "1 | a\nx | b\n");
    folder.run("predict -m model data.vw -o predictions").fails("data.vw:2:1: label is `x`; expected a finite number");
    assert_eq!(folder.names(), ["data.vw", "model"]);
}

#[test]
fn a_full_standard_output_is_a_failure_not_a_panic() {
    let folder = folder_with_model();
    for command in [
        "predict -m model data.vw",
        "evaluate -m model data.vw",
        "evaluate -m model data.vw --json",
        "inspect model",
        "inspect model --json",
        "train data.vw -q --json",
        "tune data.vw -q --json",
        "completions bash",
        "man",
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut process = Command::new(RUSSET);
        process.args(command.split_whitespace()).current_dir(folder.path("")).env_remove("RUST_BACKTRACE");
        let output = process.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, "error: cannot write to standard output: no space left on device\n", "{command}");
        assert_eq!(output.status.code(), Some(1), "{command}");
    }
}
