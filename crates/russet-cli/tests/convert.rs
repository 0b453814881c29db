//! Data in another format is the same data.

mod common;

use common::Folder;
use common::made_up::{gzip, regression, sparse, tabular};

/// With products, features are taken in the order of their first appearance, so that all formats have one order.
fn progressive_errors(folder: &Folder, data: &str) -> [serde_json::Value; 3] {
    let json = folder.train_json(&format!("{data} --expansion quadratic"));
    ["examples", "progressive_error", "progressive_loss"].map(|field| json[field].clone())
}

#[track_caller]
fn goes_round(folder: &Folder, first: &str, flags: &str) {
    let wanted = progressive_errors(folder, &format!("{first} {flags}"));
    let mut before = first.to_owned();
    let mut flags = flags;
    for ending in ["vw", "svm", "csv", "tsv", "cache", "vw.gz", "csv.zst", "svm.gz", "tsv.gz", "svm.zst", "vw.zst"] {
        let next = format!("round.{ending}");
        folder.run(&format!("convert {before} {flags} -o {next} -q")).succeeds();
        (before, flags) = (next, "");
        assert_eq!(progressive_errors(folder, &before), wanted, "{first} as {before}");
    }
}

#[test]
fn sparse_text_goes_round_through_all_formats() {
    goes_round(&Folder::with("data.vw", sparse(2000, 1)), "data.vw", "");
}

#[test]
fn numbers_go_round_through_all_formats() {
    goes_round(&Folder::with("data.vw", regression(500, 1)), "data.vw", "");
}

#[test]
fn tables_go_round_through_all_formats() {
    goes_round(&Folder::with("data.csv", tabular(2000, 1)), "data.csv", "--label bought");
}

#[test]
fn compressed_output_is_compressed() {
    let folder = Folder::with("data.vw", sparse(500, 1));
    folder.run("convert data.vw -o out.vw -q").succeeds();
    folder.run("convert data.vw -o out.vw.gz -q").succeeds();
    folder.run("convert data.vw -o out.vw.zst -q").succeeds();
    assert!(folder.read("out.vw.gz").starts_with(&[0x1f, 0x8b]));
    assert!(folder.read("out.vw.zst").starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    assert!(folder.read("out.vw.gz").len() < folder.read("out.vw").len() / 2);
}

#[test]
fn vw_text_keeps_everything_on_the_way_through_the_cache() {
    let line = "1 2 0.5 'tag|x:2 a b:0.25 |y a 7 |x c\n-1 | q\n0.125 | \n| no label\n-1 1 0.25 | z\n";
    let folder = Folder::with("data.vw", line.repeat(50));
    folder.run("convert data.vw -o data.cache -q").succeeds();
    folder.run("convert data.cache -o back.vw -q").succeeds();
    folder.run("convert back.vw -o again.vw -q").succeeds();
    assert_eq!(folder.read("back.vw"), folder.read("again.vw"));
    for flags in ["", "--ngram 2"] {
        let train = |data: &str| folder.train(&format!("{data} {flags} --on-error skip"));
        assert!(train("back.vw") == train("data.vw"), "{flags}");
        assert!(train("data.cache") == train("data.vw"), "{flags}");
    }
    folder.run("train data.vw --on-error skip -q -o model").succeeds();
    let predict = |data: &str| folder.run(&format!("predict -m model {data}")).succeeds().stdout;
    assert_eq!(predict("back.vw"), predict("data.vw"));
    assert!(predict("back.vw").lines().next().unwrap().ends_with(" tag"));
}

#[test]
fn features_without_a_name_stay_apart() {
    let folder = Folder::with("data.vw", "1 | a :0.5 :0.75\n-1 | :0.75 :0.5\n".repeat(20));
    folder.run("convert data.vw -o out.vw -q").succeeds();
    assert_eq!(progressive_errors(&folder, "out.vw"), progressive_errors(&folder, "data.vw"));
}

#[test]
fn a_table_keeps_importance_and_tags() {
    let folder = Folder::with("data.vw", "1 2 'one| a b:3\n-1 0.5 'two,three| c\n".repeat(20));
    folder.run("convert data.vw -o data.csv -q").succeeds();
    let flags = "--expansion quadratic";
    let text = folder.train_json(&format!("data.vw {flags}"));
    let table = folder.train_json(&format!("data.csv --weight weight --tag tag {flags}"));
    assert_eq!(table["progressive_loss"], text["progressive_loss"]);
}

#[test]
fn what_a_format_has_no_place_for_is_said() {
    let folder = Folder::with("data.vw", "1 2 0.5 'tag| a\n");
    let run = folder.run("convert data.vw -o out.svm").succeeds();
    let message = "svmlight has no importance, base prediction or tag: dropped from 1 example\n";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let run = folder.run("convert data.vw -o out.csv").succeeds();
    assert!(run.stderr.contains("base prediction"), "{}", run.stderr);
}

#[test]
fn a_missing_label_is_not_made_up() {
    let folder = Folder::with("data.vw", "1 | 1:2\n| 3\n");
    let run = folder.run("convert data.vw -o out.svm");
    assert!(run.stderr.contains("label"), "{}", run.stderr);
}

#[test]
fn names_of_numbered_features_are_kept_beside() {
    let folder = Folder::with("data.vw", "1 | apple pear:2\n-1 | pear fig\n");
    let run = folder.run("convert data.vw -o out.svm").succeeds();
    assert_eq!(folder.read("out.svm"), b"1 1:1 2:2\n-1 2:1 3:1\n");
    assert_eq!(folder.read("out.svm.names"), b"1\tapple\n2\tpear\n3\tfig\n");
    assert!(run.stderr.contains("their names are in out.svm.names"), "{}", run.stderr);
}

#[test]
fn several_files_and_standard_input_become_one() {
    let (a, b) = (sparse(300, 1), sparse(200, 2));
    let folder = Folder::with("a.vw", &a);
    folder.write("b.vw.gz", gzip(&b));
    let run = folder.run("convert a.vw b.vw.gz -o all.cache").succeeds();
    assert_eq!(run.stderr, "wrote 500 examples to all.cache\n");
    folder.feed("convert - -o fed.cache -q", a + &b).succeeds();
    assert!(folder.train("all.cache") == folder.train("a.vw b.vw.gz"));
    assert!(folder.train("fed.cache") == folder.train("all.cache"));
}

#[test]
fn an_ending_that_tells_no_format_is_refused() {
    let folder = Folder::with("data.vw", "1 | a\n");
    folder
        .run("convert data.vw -o out.txt")
        .refuses("out.txt: the ending does not tell the format; expected .vw, .svm, .csv, .tsv or .cache");
    folder
        .feed("convert - -o out.csv", "1 | a\n")
        .refuses("a table needs its columns known first, so its input must be files");
}

#[test]
fn a_failed_conversion_leaves_nothing() {
    let folder = Folder::with("data.vw", "1 | a\nx | b\n");
    for ending in ["vw", "svm", "csv", "cache", "vw.gz"] {
        folder
            .run(&format!("convert data.vw -o out.{ending}"))
            .fails("data.vw:2:1: label is `x`; expected a finite number");
    }
    assert_eq!(folder.names(), ["data.vw"]);
}
