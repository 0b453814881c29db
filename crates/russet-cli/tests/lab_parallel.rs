//! `russet lab parallel`: the paper's table.

mod common;

use common::Folder;

#[test]
fn the_table_has_every_method_on_every_number_of_ranks() {
    let folder = Folder::new();
    folder.copy("a9a-sample.vw.zst");
    let json = folder.run("lab parallel a9a-sample.vw.zst --ranks 1,2 --passes 2 --json -q").succeeds().json();
    assert_eq!((json["passes"].as_u64(), json["alpha"].as_f64()), (Some(2), Some(0.25)));
    let rows = json["rows"].as_array().unwrap();
    let titles: Vec<_> =
        rows.iter().map(|row| (row["method"].as_str().unwrap(), row["ranks"].as_u64().unwrap())).collect();
    let methods = ["lin", "lin+apple", "bigram", "bigram+apple"];
    let expected: Vec<_> = methods.into_iter().flat_map(|method| [(method, 1), (method, 2)]).collect();
    assert_eq!(titles, expected);
    for row in rows {
        let (auc, error) = (row["auc"].as_f64().unwrap(), row["test_error"].as_f64().unwrap());
        assert!(auc > 0.75 && error < 0.3 && row["seconds"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["bytes_sent"].as_u64().unwrap() > 0, row["ranks"] == 2);
    }
}

#[test]
fn the_table_lines_up_and_takes_a_test_file() {
    let folder = Folder::with("train.vw", common::made_up::sparse(600, 1));
    folder.write("test.vw", common::made_up::sparse(200, 2));
    let run = folder.run("lab parallel train.vw --test test.vw --ranks 2 --passes 1").succeeds();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "train.vw, 1 pass, apple with alpha 0.25; 4 runs");
    assert!(lines.iter().any(|line| line.starts_with("bigram+apple")), "{}", run.stdout);
    assert!(run.stderr.contains("lin+apple on 2 ranks\n"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = Folder::with("one.vw", "1 | a\n1 | b\n");
    folder.run("lab parallel one.vw -q").fails("one.vw: all labels are 1: there is nothing to learn");
    assert_eq!(folder.run("lab parallel nowhere.vw -q").code, Some(1));
    folder.run("lab parallel one.vw --alpha 9").refuses("--alpha is 9; it must be above 0 and at most 4");
    assert_eq!(folder.run("lab parallel one.vw --ranks 0").code, Some(2));
}
