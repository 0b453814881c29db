//! Predictions of a saved model: the same as in memory, whatever the data comes in.

mod common;

use common::Folder;
use common::made_up::{gzip, regression, sparse, tabular};

fn predictions(folder: &Folder, arguments: &str) -> Vec<f64> {
    let run = folder.run(&format!("predict -m model {arguments}")).succeeds();
    let number = |line: &str| line.split_once(' ').map_or(line, |(number, _tag)| number).parse();
    run.stdout.lines().map(number).collect::<Result<_, _>>().expect("numbers")
}

#[test]
fn a_saved_model_predicts_as_the_one_in_memory_does() {
    let folder = Folder::with("data.vw", sparse(4000, 1));
    folder.write("test.vw", sparse(1000, 2));
    for flags in [
        "",
        "--expansion quadratic --loss logistic",
        "--expansion cubic --loss hinge",
        "--loss quantile --l1 0.0001 --l2 0.001",
        "--ngram 2 --indexing hashed --bits 8",
        "--step sgd --l2 0.01",
    ] {
        let in_memory =
            folder.run(&format!("train data.vw {flags} -q --json --test test.vw -o model")).succeeds().json();
        let saved = folder.run("evaluate -m model test.vw --json").succeeds().json();
        assert!(saved["error"].is_number(), "{saved}");
        assert_eq!(in_memory["test_error"], saved["error"], "{flags}");
        assert_eq!(in_memory["test_loss"], saved["loss"], "{flags}");
        assert_eq!(in_memory["auc"], saved["auc"], "{flags}");
    }
}

#[test]
fn what_is_held_out_is_evaluated_as_a_file_of_its_own() {
    let text = regression(2000, 1);
    let folder = Folder::with("data.vw", &text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    folder.write("first.vw", lines[..1600].concat());
    folder.write("last.vw", lines[1600..].concat());
    let held_out = folder.train_json("data.vw --holdout 0.2");
    let apart = folder.train_json("first.vw --test last.vw");
    for field in ["examples", "progressive_error", "test_error", "test_loss"] {
        assert!(held_out[field].is_number());
        assert_eq!(held_out[field], apart[field], "{field}");
    }
    assert!(folder.train("data.vw --holdout 0.2") == folder.train("first.vw"));
}

#[test]
fn the_error_is_that_of_the_predictions() {
    let folder = Folder::with("data.vw", regression(500, 1));
    folder.run("train data.vw -q -o model --expansion quadratic").succeeds();
    let text = regression(500, 1);
    let labels = text.lines().map(|line| line.split(' ').next().unwrap().parse::<f64>().unwrap());
    let squares: Vec<f64> = labels.zip(predictions(&folder, "data.vw")).map(|(y, p)| (p - y) * (p - y)).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    let error = folder.run("evaluate -m model data.vw --json").json()["error"].as_f64().unwrap();
    assert!((error - mean).abs() < 1e-6 * mean, "{error} {mean}");
}

#[test]
fn every_kind_of_input_gives_the_same_predictions() {
    let text = sparse(3000, 1);
    let folder = Folder::with("data.vw", &text);
    folder.run("train data.vw -q -o model --expansion quadratic").succeeds();
    let plain = folder.run("predict -m model data.vw").succeeds().stdout;
    assert_eq!(plain.lines().count(), 3000);
    folder.write("data.vw.gz", gzip(&text));
    folder.run("convert data.vw -q -o data.cache").succeeds();
    folder.run("convert data.vw -q -o data.csv").succeeds();
    for data in ["data.vw.gz", "data.cache", "data.vw --readers 1", "data.vw --readers 5", "data.csv"] {
        assert!(folder.run(&format!("predict -m model {data}")).succeeds().stdout == plain, "{data}");
    }
    assert!(folder.feed("predict -m model -", text).succeeds().stdout == plain);
    folder.run("predict -m model data.vw -o predictions").succeeds();
    assert!(folder.read("predictions") == plain.as_bytes());
}

#[test]
fn a_table_is_read_as_the_model_was_trained() {
    let folder = Folder::with("data.csv", tabular(2000, 1));
    folder.run("train data.csv --label bought -q -o model").succeeds();
    let plain = folder.run("predict -m model data.csv").succeeds().stdout;
    folder.write("other.csv", "age;extra;bought;size;colour\n5;x;no;17;red\n");
    folder.write("one.csv", "colour,size,age\nred,17,5\n");
    folder.write("unknown.csv", "colour,size,age\nnever seen,17,5\n");
    let other = folder.run("predict -m model other.csv").succeeds().stdout;
    assert_eq!(other, folder.run("predict -m model one.csv").succeeds().stdout);
    assert_ne!(other, folder.run("predict -m model unknown.csv").succeeds().stdout);
    assert!(folder.feed("predict -m model -", tabular(2000, 1)).succeeds().stdout == plain);
}

#[test]
fn tags_are_kept() {
    let folder = Folder::with("data.vw", "1 'first| a\n-1 second| b\n1 | a\n'last |b\n");
    folder.write("train.vw", "1 | a\n-1 | b\n".repeat(20));
    folder.run("train train.vw -q -o model").succeeds();
    let run = folder.run("predict -m model data.vw").succeeds();
    let tags: Vec<Option<&str>> = run.stdout.lines().map(|line| line.split_once(' ').map(|(_, tag)| tag)).collect();
    assert_eq!(tags, [Some("first"), Some("second"), None, Some("last")]);
    folder.write("data.csv", "id,colour,y\nn 1,red,1\nn2,blue,-1\n");
    folder.run("train data.csv --tag id -q -o model").succeeds();
    let run = folder.run("predict -m model data.csv").succeeds();
    assert!(
        run.stdout.lines().zip(["n 1", "n2"]).all(|(line, tag)| line.ends_with(&format!(" {tag}"))),
        "{}",
        run.stdout
    );
}

#[test]
fn blank_lines_and_lines_without_label_get_a_prediction() {
    let folder = Folder::with("train.vw", "1 | a\n-1 | b\n".repeat(20));
    folder.run("train train.vw -q -o model").succeeds();
    folder.write("labelled.vw", "1 | a\n0 |\n1 | b a\n");
    folder.write("data.vw", "| a\n\n| b a\n");
    assert_eq!(predictions(&folder, "data.vw"), predictions(&folder, "labelled.vw"));
    folder.run("convert data.vw -q -o data.cache").succeeds();
    assert_eq!(predictions(&folder, "data.cache"), predictions(&folder, "labelled.vw"));
    folder.run("evaluate -m model data.vw").fails("data.vw:1:1: there is no label; expected a number before `|`");
}

#[test]
fn probabilities_are_between_0_and_1_and_rank_as_the_predictions_do() {
    let folder = Folder::with("data.vw", sparse(2000, 1));
    for loss in ["squared", "logistic", "quantile"] {
        folder.run(&format!("train data.vw -q -o model --loss {loss} --learning-rate 4")).succeeds();
        let (values, probabilities) = (predictions(&folder, "data.vw"), predictions(&folder, "data.vw --probability"));
        assert!(probabilities.iter().all(|probability| (0.0..=1.0).contains(probability)), "{loss}");
        let positive = |middle: f64| move |value: &f64| *value > middle;
        let classes = |values: &[f64], middle: f64| values.iter().map(positive(middle)).collect::<Vec<_>>();
        assert_eq!(classes(&values, 0.0), classes(&probabilities, 0.5), "{loss}");
    }
}

#[test]
fn probabilities_need_classes() {
    let message = "--probability needs a model of classes, not trained with hinge loss";
    let folder = Folder::with("data.vw", sparse(200, 1));
    folder.run("train data.vw -q -o model --loss hinge").succeeds();
    folder.run("predict -m model data.vw --probability").refuses(message);
    folder.write("data.vw", regression(200, 1));
    folder.run("train data.vw -q -o model").succeeds();
    folder.run("predict -m model data.vw --probability").refuses(message);
}

#[test]
fn a_base_prediction_shifts_the_prediction() {
    let folder = Folder::with("train.vw", "4 | a\n-4 | b\n".repeat(20));
    folder.run("train train.vw -q -o model --learning-rate 0.1").succeeds();
    folder.write("data.vw", "0 1 0 | a\n0 1 0.5 | a\n");
    let values = predictions(&folder, "data.vw");
    assert!((values[1] - values[0] - 0.5).abs() < 1e-6, "{values:?}");
    folder.write("shifted.vw", "4 1 2 | a\n-4 1 2 | b\n".repeat(20));
    assert!(folder.train("shifted.vw") != folder.train("train.vw"));
}

#[test]
fn importance_counts() {
    let folder = Folder::with("one.vw", "1 | a\n-1 1 | b\n".repeat(10));
    folder.write("two.vw", "1 | a\n-1 2 | b\n".repeat(10));
    folder.write("none.vw", "1 | a\n-1 0 | b\n".repeat(10));
    let weight_of_b = |data: &str| {
        folder.run(&format!("train {data} -q -o model --learning-rate 0.01")).succeeds();
        folder.write("b.vw", "| b\n");
        predictions(&folder, "b.vw")[0]
    };
    let [none, one, two] = ["none.vw", "one.vw", "two.vw"].map(weight_of_b);
    assert!(two < one && one < none, "{none} {one} {two}");
}

#[test]
fn evaluation_has_every_figure() {
    let folder = Folder::with("data.vw", sparse(500, 1));
    folder.run("train data.vw -q -o model --loss logistic").succeeds();
    let json = folder.run("evaluate -m model data.vw --json").succeeds().json();
    let fields = [
        "examples",
        "task",
        "error",
        "loss",
        "log_loss",
        "auc",
        "squared_error",
        "absolute_error",
        "r2",
        "mean_prediction",
        "mean_label",
    ];
    assert_eq!(json.as_object().unwrap().len(), fields.len());
    assert!(fields.iter().all(|field| !json[field].is_null()), "{json}");
    assert_eq!((json["examples"].as_u64(), json["task"].as_str()), (Some(500), Some("classification")));
    let [loss, log_loss] = ["loss", "log_loss"].map(|field| json[field].as_f64().unwrap());
    assert!((loss - log_loss).abs() < 1e-6 * loss, "{json}");
    let text = folder.run("evaluate -m model data.vw").succeeds().stdout;
    assert!(["error", "AUC", "log loss", "R2", "calibration"].iter().all(|word| text.contains(word)), "{text}");
}
