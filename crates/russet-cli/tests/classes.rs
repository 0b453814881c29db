//! More than two classes: a label column with more than two names.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

/// 900 rows of three classes that are told by a product: `left` and `right` alone say nothing about `c`.
fn three_classes() -> String {
    let rows = (0..900u32).map(|row| {
        let (left, right) = (row.wrapping_mul(2_654_435_761) >> 31, (row.wrapping_mul(40_503) >> 7) & 1);
        let class = ["a", "b", "c"][if left == right { 2 } else { left as usize }];
        format!("l{left},r{right},{class}\n")
    });
    format!("left,right,kind\n{}", rows.collect::<String>())
}

fn trained(flags: &str) -> Folder {
    let folder = Folder::with("data.csv", three_classes());
    folder.run(&format!("train data.csv --label kind -q -o model {flags}")).succeeds();
    folder
}

#[test]
fn three_names_are_learned_one_against_the_rest() {
    for loss in ["squared", "logistic", "hinge"] {
        let folder = trained(&format!("--passes 3 --loss {loss}"));
        let scores = folder.run("evaluate -m model data.csv --json").succeeds().json();
        assert!(scores["error"].as_f64().unwrap() < 0.01, "{loss} {scores}");
        let predicted = folder.run("predict -m model data.csv").succeeds().stdout;
        let truth: Vec<String> = three_classes().lines().skip(1).map(|row| row[6..].to_owned()).collect();
        let right = predicted.lines().zip(&truth).filter(|(predicted, truth)| predicted == truth).count();
        assert!(predicted.lines().count() == 900 && right > 890, "{loss} {right}");
    }
}

/// Each class is learned as it would be alone, so it has an expansion of its own.
#[test]
fn each_class_is_what_two_classes_would_be() {
    let folder = trained("--passes 2");
    let alone = three_classes().replace(",a\n", ",other\n").replace(",b\n", ",other\n").replace(",c\n", ",this\n");
    folder.write("alone.csv", alone);
    folder.run("train alone.csv --label kind -q -o alone --passes 2").succeeds();
    let terms = |model: &str| -> Vec<Value> {
        let json = folder.run(&format!("inspect {model} --top 1000 --json")).succeeds().json();
        json["terms"].as_array().unwrap().clone()
    };
    let mut of_class: Vec<Value> = terms("model").into_iter().filter(|term| term["class"] == "c").collect();
    of_class.iter_mut().for_each(|term| drop(term.as_object_mut().unwrap().remove("class")));
    assert_eq!(of_class, terms("alone"));
    assert!(of_class.iter().any(|term| term["degree"] == 2));
}

#[test]
fn probabilities_are_of_all_classes_and_add_up() {
    let folder = trained("--loss logistic");
    let text = folder.run("predict -m model data.csv --probability").succeeds().stdout;
    for line in text.lines() {
        let shares: Vec<f64> = line.split(' ').map(|share| share.parse().unwrap()).collect();
        assert!(shares.len() == 3 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{line}");
    }
}

#[test]
fn a_model_of_classes_is_resumed_exactly() {
    let folder = trained("--expansion linear");
    let (header, rows) = three_classes().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    folder.write("one.csv", part(&rows[..400]));
    folder.write("two.csv", part(&rows[400..]));
    folder.run("train one.csv --label kind -q -o parts --expansion linear").succeeds();
    folder.run("train two.csv --resume parts -q -o parts").succeeds();
    assert_eq!(folder.read("parts"), folder.read("model"));
}

#[test]
fn a_name_that_comes_late_is_a_class_too() {
    let folder = Folder::new();
    let many = "1,2,a\n2,1,b\n3,3,c\n".repeat(10_000);
    folder.write("data.csv", format!("x,z,kind\n{many}4,4,d\n"));
    folder.run("train data.csv --label kind -q -o model --expansion linear").succeeds();
    let json = folder.run("inspect model --json").succeeds().json();
    assert_eq!(json["classes"], serde_json::json!(["a", "b", "c", "d"]));
}

#[test]
fn classes_that_are_named_may_be_numbers() {
    let folder = Folder::with("data.csv", "x,z,kind\n1,2,1\n2,1,2\n3,3,3\n".to_owned() + &"1,2,1\n2,1,2\n".repeat(9));
    folder.run("train data.csv --label kind --classes 3,2,1 -q -o model").succeeds();
    let predicted = folder.run("predict -m model data.csv").succeeds().stdout;
    assert!(predicted.lines().all(|class| ["1", "2", "3"].contains(&class)), "{predicted}");
    let json = folder.run("inspect model --json").succeeds().json();
    assert_eq!(json["classes"], serde_json::json!(["3", "2", "1"]));
}

#[test]
fn what_does_not_go_with_classes_is_refused() {
    let folder = trained("");
    folder
        .run("train data.csv --label kind -q --loss quantile")
        .fails("quantile loss does not tell more than two classes apart; take squared, logistic or hinge");
    folder
        .run("train data.csv --label kind -q --threads 2")
        .refuses("more than one rank does not know more than two classes yet");
    folder.write("other.csv", three_classes().replace(",c\n", ",d\n"));
    let run = folder.run("evaluate -m model other.csv");
    assert!(run.stderr.contains("label in the column `kind` is `d`; expected one of the 3 names"), "{}", run.stderr);
}

#[test]
fn inspect_names_the_class_of_each_term() {
    let folder = trained("--passes 2");
    let text = folder.run("inspect model --top 3").succeeds().stdout;
    assert!(text.contains("3 classes, one against the rest: a, b, c"), "{text}");
    let csv = folder.run("inspect model --top 3 --csv").succeeds().stdout;
    assert!(csv.starts_with("class,name,weight,effect,degree,epoch,active\n"), "{csv}");
    let tree = folder.run("inspect model --tree").succeeds().stdout;
    assert_eq!(tree.lines().filter(|line| line.starts_with("class ")).count(), 3, "{tree}");
}

#[test]
fn explanations_are_of_the_class_that_is_predicted() {
    let folder = trained("--passes 2");
    let predicted = folder.run("predict -m model data.csv").succeeds().stdout;
    let explained = folder.run("predict -m model data.csv --explain --json").succeeds().stdout;
    for (class, line) in predicted.lines().zip(explained.lines()) {
        let json: Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["class"], class);
        let parts = json["parts"].as_array().unwrap().iter();
        let sum = parts.fold(0.0, |sum, part| sum + part["contribution"].as_f64().unwrap());
        assert_eq!(sum, json["prediction"].as_f64().unwrap());
    }
}

#[test]
fn a_cache_keeps_classes_and_text_cannot() {
    let folder = trained("");
    folder.run("convert data.csv --label kind -o data.cache -q").succeeds();
    folder.run("train data.cache -q -o cached").succeeds();
    assert_eq!(folder.read("cached"), folder.read("model"));
    for text in ["data.vw", "data.svm", "other.csv"] {
        folder
            .run(&format!("convert data.csv --label kind -o {text} -q"))
            .refuses("the label has more than two classes; only a cache keeps their names");
    }
}

#[test]
fn tune_tells_classes_apart_too() {
    let folder = trained("");
    let json = folder.run("tune data.csv --label kind --grid 0.25,1 --json -q -o tuned").succeeds().json();
    assert_eq!(json["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(folder.run("inspect tuned --json").succeeds().json()["classes"].as_array().unwrap().len(), 3);
}

#[test]
fn checkpoints_on_the_way_change_nothing() {
    let folder = trained("--passes 2");
    let whole = folder.read("model");
    folder.run("train data.csv --label kind -q -o parts --passes 2 --checkpoint-every 1000").succeeds();
    assert_eq!(folder.read("parts"), whole);
}
