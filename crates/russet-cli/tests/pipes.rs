//! Standard input, patterns, readers that go away, and memory that does not grow.

mod common;

use std::process::{Command, Output};

use common::made_up::{gzip, sparse, tabular, zstd};
use common::process::closed_pipe;
use common::{Folder, RUSSET};

#[test]
fn standard_input_trains_as_the_file_does() {
    let text = sparse(12_000, 1);
    let folder = Folder::with("data.vw", &text);
    folder.write("data.csv", tabular(3000, 1));
    for (data, flags, fed) in [
        ("data.vw", "--expansion linear", text.clone().into_bytes()),
        // The length of a pipe is not known, and apple's epochs hang on it unless it is given.
        ("data.vw", "--examples 12000", gzip(&text)),
        ("data.vw", "--examples 12000", zstd(&text)),
        ("data.vw", "--passes 3 --expansion linear", text.clone().into_bytes()),
        ("data.csv", "--label bought --expansion quadratic", folder.read("data.csv")),
    ] {
        let file = folder.train(&format!("{data} {flags}"));
        folder.feed(&format!("train - {flags} -q -o fed"), fed).succeeds();
        assert!(folder.read("fed") == file, "{data} {flags}");
    }
}

#[test]
fn a_pattern_names_files_in_the_order_of_their_names() {
    let text = sparse(900, 1);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let folder = Folder::with("part-1.vw", lines[..300].concat());
    folder.write("part-3.vw", lines[600..].concat());
    folder.write("part-2.vw", lines[300..600].concat());
    let one_by_one = folder.train("part-1.vw part-2.vw part-3.vw");
    assert!(folder.train("part-*.vw") == one_by_one);
    assert!(folder.train("part-[123].vw") == one_by_one);
    assert!(folder.train("part-1.vw part-?.vw") != one_by_one);
}

#[test]
fn a_file_whose_name_looks_like_a_pattern_is_that_file() {
    let folder = Folder::with("part-[1].vw", sparse(100, 1));
    folder.write("part-1.vw", sparse(100, 2));
    assert!(folder.train("part-[1].vw") != folder.train("part-1.vw"));
}

fn with_closed(folder: &Folder, arguments: &str, stdout: bool) -> Output {
    let mut command = Command::new(RUSSET);
    command.args(arguments.split_whitespace()).current_dir(folder.path("")).env_remove("RUST_BACKTRACE");
    if stdout {
        command.stdout(closed_pipe())
    } else {
        command.stderr(closed_pipe())
    };
    command.output().expect("the program runs")
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::with("data.vw", sparse(20_000, 1));
    folder.run("train data.vw -q -o model").succeeds();
    for command in [
        "predict -m model data.vw",
        "predict -m model data.vw --explain",
        "predict -m model data.vw --explain=3 --json",
        "evaluate -m model data.vw",
        "evaluate -m model data.vw --json",
        "inspect model --top 100000",
        "inspect model --json",
        "inspect model --csv --top 100000",
        "train data.vw",
        "train data.vw --json -q",
        "tune data.vw --grid 0.5,1",
        "tune data.vw --grid 0.5,1 --json -q",
        "completions zsh",
        "man",
        "--help",
        "train --help",
    ] {
        let output = with_closed(&folder, command, true);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked") && !stderr.contains("error:"), "{command}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{command}");
    }
}

#[test]
fn a_model_is_saved_even_if_nobody_watches() {
    let folder = Folder::with("data.vw", sparse(2000, 1));
    let wanted = folder.train("data.vw");
    for (name, stdout) in [("unread", true), ("unwatched", false)] {
        let output = with_closed(&folder, &format!("train data.vw -o {name}"), stdout);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(folder.read(name) == wanted, "{name}");
    }
}

#[test]
fn memory_does_not_grow_with_the_data() {
    let text = sparse(20_000, 1).repeat(50);
    assert!(text.len() > 40_000_000);
    let json = Folder::new().feed("train - -q --json", text).succeeds().json();
    let peak = json["peak_memory_bytes"].as_u64().unwrap();
    assert_eq!(json["examples"], 1_000_000);
    assert!(peak < 64 << 20, "{} MiB", peak >> 20);
}

#[test]
fn memory_does_not_grow_with_the_data_while_a_cache_is_written() {
    let folder = Folder::with("data.vw", sparse(20_000, 1).repeat(10));
    let json = folder.train_json("data.vw --passes 2 --cache kept.cache");
    let peak = json["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 64 << 20, "{} MiB", peak >> 20);
}
