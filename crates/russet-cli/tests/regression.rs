//! Bugs that were found, each with a test named for it.

mod common;

use common::Folder;
use common::made_up::sparse;

#[test]
fn cubic_places_past_64_bits_are_no_segmentation_fault() {
    let folder = Folder::with("data.vw", "1 | 2188723 7959589\n");
    folder.run("train data.vw --indexing hashed --bits 23 --expansion cubic -q").succeeds();
}

#[test]
fn models_of_huge_numbers_can_be_loaded() {
    for (text, flags) in [
        ("1e30 | a\n2 | b\n", ""),
        ("1 | a:1e30 b:1e30\n0 | a:1 b:1\n", "--expansion quadratic"),
        ("1 | a:1e30 b:1e30\n0 | a:1 b:1\n", "--expansion cubic --loss logistic"),
        ("1 | a:1e35\n-1 | a:2\n1 | a:1e-35\n", "--step sgd --l2 1e-6"),
        ("1 | a\n-1 | b\n1 | a\n", "--step sgd --l2 1e-38"),
    ] {
        let folder = Folder::with("data.vw", text);
        folder.run(&format!("train data.vw -q -o model {flags}")).succeeds();
        folder.run("inspect model").succeeds();
        let predictions = folder.run("predict -m model data.vw").succeeds().stdout;
        assert!(!predictions.contains("NaN") && !predictions.contains("inf"), "{flags}: {predictions}");
    }
}

#[test]
fn a_stray_quote_does_not_swallow_the_rows_after_it() {
    let mut text = "size,kind,y\n".to_owned();
    for row in 0..1000 {
        let kind = if row == 10 { "5\" pipe" } else { "plain" };
        text += &format!("{row},{kind},{}\n", row % 2);
    }
    let folder = Folder::with("data.csv", text);
    let result = folder.train_json("data.csv --label y --holdout 0.2");
    assert_eq!(result["examples"], 800);
}

#[test]
fn an_unclosed_quote_costs_one_row_if_errors_are_skipped() {
    let rows: String =
        (0..1000).map(|row| if row == 10 { "\"open,1\n".to_owned() } else { format!("a,{}\n", row % 2) }).collect();
    let folder = Folder::with("data.csv", format!("kind,y\n{rows}"));
    assert_eq!(folder.train_json("data.csv --label y --on-error skip")["examples"], 999);
}

#[test]
fn held_out_examples_are_not_learned_from_when_errors_are_skipped() {
    let faulty = "x | a\n".repeat(30);
    let folder = Folder::with("unread.vw", format!("{faulty}{}", "1 | a\n".repeat(70)));
    let result = folder.train_json("unread.vw --holdout 0.2 --on-error skip");
    assert_eq!(result["examples"], 56);
    // The labels of the first examples are refused by the loss: they are passed over, not replaced by held-out ones.
    folder.write("refused.vw", format!("{}{}", "5 | a\n".repeat(30), "1 | a\n-1 | b\n".repeat(35)));
    let result = folder.train_json("refused.vw --holdout 0.2 --on-error skip --loss logistic");
    assert_eq!(result["examples"], 80 - 30);
}

#[test]
fn a_feature_first_met_in_a_faulty_line_keeps_its_name() {
    let text = format!("1 | foo bar:nan\n{}1 | foo:3\n", "1 | other\n".repeat(40_000));
    let folder = Folder::with("data.vw", text);
    let models = [1, 2, 2, 2].map(|threads| folder.train(&format!("data.vw --on-error skip --readers {threads}")));
    assert!(models.iter().all(|model| *model == models[0]));
    folder.write("model", &models[0]);
    assert!(folder.run("inspect model").succeeds().stdout.contains("foo "));
}

#[test]
fn the_last_row_counts_without_a_line_end() {
    let folder = Folder::with("data.csv", "a,y\n1,no\nred,yes");
    assert_eq!(folder.train_json("data.csv --label y")["examples"], 2);
}

#[test]
fn a_table_of_many_columns_can_be_cached() {
    let names: Vec<String> = (0..9000).map(|column| format!("a_rather_long_column_name_{column}")).collect();
    let row = vec!["1"; 9000].join(",");
    let folder = Folder::with("data.csv", format!("{},y\n{row},1\n{row},0\n", names.join(",")));
    folder.run("train data.csv --label y --passes 2 --expansion linear -q").succeeds();
    folder.run("convert data.csv --label y -o data.cache -q").succeeds();
    assert_eq!(folder.train_json("data.cache --expansion linear")["examples"], 2);
}

#[test]
fn a_resumed_table_with_a_holdout_knows_its_label() {
    let folder = Folder::new();
    folder.copy("titanic.csv");
    folder.run("train titanic.csv --label survived -q -o model").succeeds();
    folder.run("train titanic.csv --resume model --holdout 0.2 -q").succeeds();
}

#[test]
fn no_command_overwrites_its_data() {
    let folder = Folder::with("data.vw", sparse(200, 1));
    folder.write("test.vw", sparse(100, 2));
    folder.run("train data.vw -q -o model").succeeds();
    let before = (folder.read("data.vw"), folder.read("test.vw"));
    for command in [
        "train data.vw -o data.vw",
        "train data.vw --test test.vw -o test.vw",
        "train data.vw -o both --cache both",
        "tune data.vw -o data.vw",
        "predict -m model data.vw -o data.vw",
        "convert data.vw -o data.vw",
    ] {
        assert_eq!(folder.run(command).code, Some(2), "{command}");
        assert!((folder.read("data.vw"), folder.read("test.vw")) == before, "{command}");
    }
}

#[test]
fn predicting_needs_no_weight_column() {
    let folder = Folder::with("data.csv", "a,w,y\n1,2,1\n2,1,0\n");
    folder.write("new.csv", "a\n1\n");
    folder.run("train data.csv --label y --weight w -q -o model").succeeds();
    assert_eq!(folder.run("predict -m model new.csv").succeeds().stdout.lines().count(), 1);
}

#[test]
fn a_converted_cache_serves_training() {
    let folder = Folder::with("data.vw", format!("{}\n\n", sparse(300, 1)));
    folder.run("convert data.vw -o data.cache -q").succeeds();
    let wanted = folder.train("data.vw");
    let run = folder.run("train data.vw --cache data.cache -o model").succeeds();
    assert!(!run.stderr.contains("made anew"), "{}", run.stderr);
    assert!(folder.read("model") == wanted);
}

#[test]
fn flags_about_columns_are_refused_where_there_are_none() {
    let folder = Folder::with("data.vw", sparse(50, 1));
    let run = folder.run("train data.vw --label y");
    assert_eq!(
        (run.code, run.stderr.lines().next()),
        (Some(2), Some("error: --label is for tables, but the data is VW text"))
    );
}

#[test]
fn tuning_on_nothing_is_a_failure() {
    Folder::with("data.vw", "\n\n").run("tune data.vw").fails("there is no example to learn from in the data");
}

#[test]
fn a_feature_named_as_the_label_makes_no_broken_table() {
    let folder = Folder::with("data.vw", "1 | label:2 a\n");
    folder
        .run("convert data.vw -o data.csv")
        .fails("cannot write data.csv: a feature is named `label`, as the column of the labels would be");
}

/// Each refused example made the rest of its block be looked at from the start: 300,000 took 8 seconds instead of 0.1.
#[test]
fn refused_examples_do_not_make_their_block_be_looked_at_again() {
    let line = |number: usize| format!("{} | {}\n", if number % 2000 < 2 { 1 } else { 3 }, number % 7 + 1);
    let folder = Folder::with("data.vw", (0..300_000).map(line).collect::<String>());
    let started = std::time::Instant::now();
    folder.run("train data.vw -q --expansion linear --loss logistic --on-error skip --readers 1").succeeds();
    assert!(started.elapsed().as_secs_f64() < 4.0, "{:?}", started.elapsed());
}

/// Where most examples are refused, the model knew the length of the course or not, as the thread that counts came in time or not.
#[test]
fn a_model_of_refused_examples_does_not_hang_on_when_they_were_counted() {
    let folder = Folder::with("data.vw", "1 | 1\n".repeat(2) + &"3 | 1\n".repeat(40));
    let train = || folder.train("data.vw --loss logistic --on-error skip");
    let first = train();
    assert!((0..30).all(|_| train() == first));
}
