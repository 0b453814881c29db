//! Data that cannot be read, and models that are none: each with its exact message.

mod common;

use common::Folder;
use common::made_up::{gzip, sparse, zstd};

#[track_caller]
fn vw_fails(text: &str, message: &str) {
    Folder::with("data.vw", text).run("train data.vw").fails(message);
}

#[track_caller]
fn csv_fails(text: &str, message: &str) {
    Folder::with("data.csv", text).run("train data.csv --label y").fails(message);
}

#[test]
fn a_missing_file_is_named() {
    Folder::new().run("train missing.vw").fails("missing.vw: no such file");
}

#[test]
fn a_directory_is_no_data() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.run("train folder").fails("folder: this is a directory; expected a file");
}

#[test]
fn an_empty_file_is_no_data() {
    vw_fails("", "data.vw: the file is empty");
    Folder::new().feed("train -", "").fails("standard input: the file is empty");
}

#[test]
fn binary_garbage_has_no_format() {
    let garbage: Vec<u8> = (0..5000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let message =
        "garbage: cannot tell the format; expected VW text, svmlight, CSV or a russet cache (force one with --format)";
    Folder::with("garbage", &garbage).run("train garbage").fails(message);
}

#[test]
fn binary_garbage_does_not_reach_the_terminal_whatever_it_is_called() {
    let garbage: Vec<u8> = (0..5000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, flags) in [("garbage.vw", ""), ("garbage.svm", ""), ("garbage.csv", "--label y")] {
        let run = Folder::with(name, &garbage).run(&format!("train {name} {flags}"));
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.starts_with(&format!("error: {name}:")), "{}", run.stderr);
        assert!(run.stderr.len() < 400, "{name}: a message of {} bytes", run.stderr.len());
        assert!(!run.stderr.trim_end().contains(|letter: char| letter.is_control()), "{name}: {:?}", run.stderr);
    }
}

#[test]
fn a_label_must_be_there_and_finite() {
    vw_fails("1 | a\n| b\n", "data.vw:2:1: there is no label; expected a number before `|`");
    vw_fails("nan | a\n", "data.vw:1:1: label is `nan`; expected a finite number");
    csv_fails("a,y\n1,1\n2,\n", "data.csv:3:1: there is no label in the column `y`");
    csv_fails("a,y\n1,1\n2,1e999\n", "data.csv:3:3: label in the column `y` is `1e999`; expected a finite number");
}

#[test]
fn a_label_that_touches_the_bar_is_explained() {
    vw_fails(
        "1|f a\n",
        "data.vw:1:1: there is no label; expected a number before `|` (a word that touches the bar is a tag: put a space before `|`)",
    );
}

#[test]
fn a_feature_value_must_be_finite() {
    for value in ["nan", "inf", "1e999", "-inf"] {
        let message = format!(":7: feature value is `{value}`; expected a finite number");
        vw_fails(&format!("1 | b\n1 | a:{value} c\n"), &format!("data.vw:2{message}"));
        let folder = Folder::with("data.svm", format!("1 345:{value}\n"));
        folder.run("train data.svm").fails(&format!("data.svm:1{message}"));
    }
    csv_fails("a,y\n1,1\n1e999,1\n", "data.csv:3:1: value in the column `a` is `1e999`; expected a finite number");
}

#[test]
fn an_infinity_does_not_make_a_column_of_numbers_one_of_names() {
    csv_fails("a,y\n1,1\ninf,1\n", "data.csv:3:1: value in the column `a` is `inf`; expected a finite number");
}

#[test]
fn an_unclosed_quote_is_found_where_it_opens() {
    csv_fails(
        "a,y\nx,1\n\"x,1\ny,1\n",
        "data.csv:3:1: this quote is never closed; expected a `\"` at the end of the field",
    );
}

#[test]
fn a_row_needs_as_many_fields_as_the_header() {
    csv_fails("a,b,y\n1,2,1\n1,2\n", "data.csv:3:1: this row has 2 fields; expected 3, as in the header");
    csv_fails("a,b,y\n1,2,1,4\n", "data.csv:2:1: this row has 4 fields; expected 3, as in the header");
}

#[test]
fn an_unknown_label_column_gets_the_nearest_name() {
    let folder = Folder::new();
    folder.copy("titanic.csv");
    folder
        .run("train titanic.csv --label survive")
        .fails("titanic.csv: there is no column `survive`; the nearest name is `survived`");
    folder.run("train titanic.csv").fails(
        "titanic.csv: which column is the label? Name it with --label; there are `class`, `age`, `sex`, `survived`",
    );
}

#[test]
fn compressed_data_must_be_whole() {
    let text = sparse(2000, 1);
    for (name, kind, bytes) in [("data.vw.gz", "gzip", gzip(&text)), ("data.vw.zst", "zstd", zstd(&text))] {
        let folder = Folder::with(name, &bytes[..bytes.len() / 2]);
        let message = format!("{name}: the {kind} data is cut short: the file is not complete");
        folder.run(&format!("train {name} --quiet")).fails(&message);
    }
}

#[test]
fn formats_are_not_mixed() {
    let folder = Folder::with("a.vw", "1 | a\n");
    folder.write("b.csv", "a,y\n1,1\n");
    folder
        .run("train a.vw b.csv --label y")
        .fails("b.csv is CSV, but a.vw is VW text; all inputs of a run must have one format");
}

#[test]
fn a_pattern_that_matches_nothing_is_named() {
    Folder::new().run("train part-*.vw").fails("part-*.vw: no file matches this pattern");
}

#[test]
fn the_default_stops_at_the_first_fault() {
    vw_fails("1 | a\nx | b\n1 | c:nan\n-1 | d\n", "data.vw:2:1: label is `x`; expected a finite number");
}

#[test]
fn faulty_lines_are_skipped_counted_and_reported_if_asked_for() {
    let folder = Folder::with("data.vw", "1 | a\nx | b\n1 | c:nan\n-1 | d\n");
    let run = folder.run("train data.vw --on-error skip --json").succeeds();
    let report = "skipped 2 lines with errors; the first: data.vw:2:1: label is `x`; expected a finite number\n";
    assert!(run.stderr.contains(report), "{}", run.stderr);
    assert_eq!(run.json()["examples"], 2);
    assert_eq!(folder.run("train data.vw --on-error skip --quiet").succeeds().stderr, "");
    folder.write("good.vw", "1 | a\n-1 | d\n");
    assert_eq!(folder.train("data.vw --on-error skip"), folder.train("good.vw"));
}

#[test]
fn skipping_works_for_labels_that_the_loss_cannot_use_and_in_every_command() {
    let folder = Folder::with("data.vw", "1 | a\n3 | b\n-1 | d\n");
    let report = "skipped 1 line with errors; the first: data.vw:2:1: the label is 3; logistic loss needs -1 and 1, or 0 and 1\n";
    for command in ["train", "tune"] {
        let run = folder.run(&format!("{command} data.vw --loss logistic --on-error skip")).succeeds();
        assert!(run.stderr.contains(report), "{command}: {}", run.stderr);
    }
    folder
        .run("train data.vw --loss logistic")
        .fails("data.vw:2:1: the label is 3; logistic loss needs -1 and 1, or 0 and 1");
}

#[test]
fn data_without_an_example_is_a_failure() {
    for (name, text) in [("blank.vw", "\n\n"), ("header.csv", "a,y\n"), ("comments.svm", "# nothing\n")] {
        let folder = Folder::with(name, text);
        let label = if name.ends_with("csv") { "--label y" } else { "" };
        folder.run(&format!("train {name} -q -o model {label}")).fails("there is no example to learn from in the data");
        assert_eq!(folder.names(), [name]);
    }
}
