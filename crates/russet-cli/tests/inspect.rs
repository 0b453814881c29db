//! `inspect`: terms as lines, JSON and CSV; the trees of parents.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use common::made_up::{sparse, tabular};
use serde_json::Value;

/// A folder with a model of the titanic's passengers, whose feature set has grown. The paper's settings do not change.
fn titanic() -> Folder {
    let folder = Folder::new();
    folder.copy("titanic.csv");
    folder.run("train titanic.csv --label survived --preset paper --epochs 3 -q -o model").succeeds();
    folder
}

#[test]
fn a_term_is_a_line_with_weight_degree_epoch_and_activity() {
    let text = titanic().run("inspect model --top 8").succeeds().stdout;
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    let wanted = [
        "sex=female              +0.49  degree 1  epoch 1  active in 20%",
        "sex=male                -0.47  degree 1  epoch 1  active in 80%",
        "age=child * sex=male    +0.45  degree 2  epoch 2  active in 3%",
        "sex=female * class=2nd  +0.34  degree 2  epoch 2  active in 4%",
        "class=1st               +0.34  degree 1  epoch 1  active in 13%",
        "sex=female * class=3rd  -0.34  degree 2  epoch 2  active in 10%",
        "class=3rd               -0.30  degree 1  epoch 1  active in 32%",
        "class=3rd * age=child   -0.24  degree 2  epoch 2  active in 4%",
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn the_activity_is_the_share_of_passengers() {
    let folder = titanic();
    let json = folder.run("inspect model --json --top 1000").succeeds().json();
    let term = |name: &str| json["terms"].as_array().unwrap().iter().find(|term| term["name"] == name).unwrap().clone();
    let text = String::from_utf8(folder.read("titanic.csv")).unwrap();
    let passengers: Vec<&str> = text.lines().skip(1).collect();
    // A passenger whose prediction is exactly the label, after clipping, moves no weight and is not counted.
    let share = passengers.iter().filter(|line| line.contains(",female,")).count() as f64 / passengers.len() as f64;
    let found = term("sex=female")["active"].as_f64().unwrap();
    assert!((found - share).abs() < 0.02, "{found} {share}");
    assert_eq!(term("constant")["active"], 1.0);
}

#[test]
fn the_epoch_is_left_out_where_nothing_grows() {
    let folder = Folder::with("data.vw", "1 | a b\n-1 | b\n".repeat(50));
    folder.run("train data.vw --expansion linear --loss logistic -q -o model").succeeds();
    let text = folder.run("inspect model").succeeds().stdout;
    let line = text.lines().find(|line| line.starts_with("a ")).unwrap();
    assert!(line.ends_with("  degree 1  active in 50%") && !text.contains("epoch"), "{text}");
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut rest = line.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '"' if quoted && rest.next_if_eq(&'"').is_some() => fields.last_mut().unwrap().push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

#[test]
fn csv_has_what_json_has() {
    let folder = Folder::with("data.vw", sparse(3000, 1));
    folder.write("quoted.vw", "1 | a,b say\"so\" plain\n-1 | plain\n".repeat(40));
    folder.write("data.csv", tabular(3000, 1));
    for train in [
        "data.vw --expansion apple",
        "quoted.vw --expansion quadratic",
        "data.csv --label bought",
        "data.vw --expansion cubic --bits 8",
    ] {
        folder.run(&format!("train {train} -q -o model")).succeeds();
        let json = folder.run("inspect model --json --top 100000").succeeds().json();
        let terms = json["terms"].as_array().unwrap();
        let text = folder.run("inspect model --csv --top 100000").succeeds().stdout;
        assert_eq!(text.lines().next(), Some("name,weight,effect,degree,epoch,active"));
        assert_eq!(text.lines().count(), terms.len() + 1);
        for (line, term) in text.lines().skip(1).zip(terms) {
            let found = fields(line);
            assert_eq!(Some(found[0].as_str()), term["name"].as_str());
            assert_eq!(found.len(), 6, "{line}");
            for (field, key) in found.iter().zip(["name", "weight", "effect", "degree", "epoch", "active"]).skip(1) {
                let value = if field.is_empty() { Value::Null } else { Value::from(field.parse::<f64>().unwrap()) };
                assert_eq!(value.as_f64(), term[key].as_f64(), "{line} {term}");
            }
        }
    }
}

#[test]
fn the_tree_shows_each_parent_below_the_one_it_grew_from() {
    let folder = titanic();
    let text = folder.run("inspect model --tree").succeeds().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0].split("  ").filter(|word| !word.is_empty()).map(str::trim).collect::<Vec<_>>(),
        ["parent", "after epoch", "weight", "active"]
    );
    let root = lines.iter().position(|line| line.starts_with("sex=female ")).unwrap();
    assert!(lines[root + 1].starts_with("  sex=female * "), "{text}");
    assert!(lines[1..].iter().all(|line| line.ends_with('%')), "{text}");
    for flag in ["--json", "--csv"] {
        assert_eq!(folder.run(&format!("inspect model --tree {flag}")).code, Some(2));
    }
    folder.run("train titanic.csv --label survived --expansion linear -q -o linear").succeeds();
    folder.run("inspect linear --tree").refuses("--tree is for models with the expansion apple");
    assert_eq!(folder.run("inspect model --json --csv").code, Some(2));
}
