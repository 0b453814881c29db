//! `lab DIR`: the study as the program runs it, on small data.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::process::Child;
use common::{Folder, Run, made_up};
use serde_json::Value;

/// The smallest study: one rate, one alpha.
const SMALL: &str = "--out out --rates 0.5 --alphas 1 --jobs 2 --quiet --json";

/// How many candidates the smallest study has: lin, quad, cubic, apple, ssm, fallback and two picky ones.
const CANDIDATES: usize = 8;

/// Examples of an exclusive or, which no linear model learns.
fn exclusive_or(count: usize) -> String {
    let bit = |number: usize, place: u32| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (40 + place)) & 1;
    let line = |number: usize| {
        let [a, b, c] = [0, 1, 2].map(|place| bit(number, place));
        let label = if a == b { -1 } else { 1 };
        format!("{label} | a{a} b{b} c{c}\n")
    };
    (1..=count).map(line).collect()
}

fn data(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("data")).unwrap();
    for (name, content) in files {
        folder.write(&format!("data/{name}"), content);
    }
    folder
}

fn results(folder: &Folder) -> Value {
    serde_json::from_slice(&folder.read("out/results.json")).unwrap()
}

fn run_of<'a>(set: &'a Value, method: &str) -> &'a Value {
    set["runs"].as_array().unwrap().iter().find(|run| run["method"] == method).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn every_method_is_run_and_what_apple_found_is_named() {
    let metadata = r#"{"task": "binary", "source": "made up", "features": {"a0": "first=0", "b0": "second=0"}}"#;
    let folder = data(&[("xor.vw", &exclusive_or(2000)), ("xor.json", metadata)]);
    let run = folder.run(&format!("lab data {SMALL}")).succeeds();
    assert_eq!(run.stderr, "");
    assert_eq!(run.json()["sets"], 1);
    let results = results(&folder);
    assert_eq!((&results["version"], &results["split"]), (&1.into(), &"80/20 in file order".into()));
    let set = &results["sets"][0];
    assert_eq!(
        (&set["name"], &set["source"], &set["task"]),
        (&"xor".into(), &"made up".into(), &"classification".into())
    );
    assert_eq!((&set["train_examples"], &set["test_examples"]), (&1600.into(), &400.into()));
    assert_eq!((number(&set["features_per_example"]), &set["distinct_features"]), (3.0, &6.into()));
    assert_eq!(set["runs"].as_array().unwrap().len(), CANDIDATES);
    assert!(number(&run_of(set, "lin")["test_error"]) > 0.3, "{set}");
    for method in ["quad", "cubic", "apple"] {
        assert_eq!(number(&run_of(set, method)["test_error"]), 0.0, "{method}");
    }
    for run in set["runs"].as_array().unwrap() {
        assert!(number(&run["train_seconds"]) > 0.0 && number(&run["peak_memory_bytes"]) > 1e5, "{run}");
        assert!(number(&run["features_per_example"]) >= 4.0 && number(&run["auc"]) > 0.3, "{run}");
    }
    let interactions = set["interactions"].as_array().unwrap();
    let names: Vec<&str> = interactions.iter().map(|interaction| interaction["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"second=0 * first=0"), "{names:?}");
    let table = String::from_utf8(folder.read("out/results.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + CANDIDATES, "{table}");
    assert!(table.contains("\nxor,classification,1600,400,3,6,russet,apple,1,0.5,"), "{table}");
}

#[test]
fn all_formats_are_read_and_a_rate_is_chosen() {
    let folder = data(&[("price.json", r#"{"label": "price"}"#)]);
    let rows: String = (0..400)
        .map(|row| format!("{},{},{}\n", row % 7, row % 5, 0.3 * f64::from(row % 7) - 0.1 * f64::from(row % 5)))
        .collect();
    folder.write("data/price.csv", format!("size,age,price\n{rows}"));
    let lines: String = (0..400).map(|row| format!("{} 1:{} 2:1\n", row % 2, (row % 2) * 3)).collect();
    folder.write("data/easy.svm", lines);
    folder.run("lab data --out out --rates 0.001,0.5 --alphas 1 --quiet").succeeds();
    let results = results(&folder);
    let [easy, price] = [0, 1].map(|place| &results["sets"][place]);
    assert_eq!((&easy["name"], &easy["task"]), (&"easy".into(), &"classification".into()));
    assert_eq!(number(&run_of(easy, "lin")["test_error"]), 0.0);
    assert_eq!((&price["name"], &price["task"]), (&"price".into(), &"regression".into()));
    assert_eq!(number(&run_of(price, "lin")["learning_rate"]), 0.5);
    assert!(number(&run_of(price, "lin")["test_error"]) < 0.1, "{price}");
}

#[test]
fn bad_sets_are_told_and_do_not_stop_the_others() {
    let folder = data(&[
        ("empty.vw", ""),
        ("one.vw", &"1 | a\n".repeat(50)),
        ("broken.vw", "1 | a\nx | b\n"),
        ("blank.csv", "a,b\n1,2\n"),
        ("few.vw", "1 | a\n"),
        ("twin.vw", "1 | a\n"),
        ("twin.svm", "1 1:1\n"),
        ("good.vw", &exclusive_or(300)),
    ]);
    let run = folder.run(&format!("lab data {SMALL}")).succeeds();
    assert_eq!(run.json()["unusable"], serde_json::json!(["blank", "broken", "empty", "few", "one", "twin"]));
    let results = results(&folder);
    let expected = [
        (0, "which column is the label?"),
        (1, "data/broken.vw:2:1: "),
        (2, "the file is empty"),
        (3, "all labels are 1"),
        (5, "all labels are 1"),
        (6, "two files have this name: data/twin.svm and data/twin.vw"),
    ];
    for (place, words) in expected {
        let problem = results["sets"][place]["problem"].as_str().unwrap();
        assert!(problem.contains(words), "{problem}: {words}");
    }
    assert_eq!(results["sets"][4]["runs"].as_array().unwrap().len(), CANDIDATES);
    let run = folder.run("lab data --sets one,few --out out2 --rates 0.5 --alphas 1");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("one is left out: all labels are 1"), "{}", run.stderr);
}

#[test]
fn a_study_that_was_killed_goes_on_and_repeats_nothing() {
    let folder = data(&[("xor.vw", &exclusive_or(3000)), ("noise.vw", &made_up::sparse(3000, 1))]);
    let arguments = "lab data --out out --rates 0.1,0.5 --alphas 0.5,1 --jobs 1 --json";
    let mut child = std::process::Command::new(common::RUSSET);
    child.args(arguments.split(' ')).arg("--quiet").current_dir(folder.path(""));
    let mut child = child.stdout(std::process::Stdio::null()).spawn().unwrap();
    let finished = |folder: &Folder| count_files(&folder.path("out/runs"));
    while finished(&folder) < 12 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = finished(&folder);
    let second = folder.run(&format!("{arguments} --quiet")).succeeds().json();
    assert_eq!(second["runs_known"], kept);
    let all = number(&second["runs_done"]) + kept as f64;
    let third = folder.run(&format!("{arguments} --quiet")).succeeds().json();
    assert_eq!((&third["runs_done"], number(&third["runs_known"])), (&0.into(), all));
}

fn count_files(folder: &Path) -> usize {
    let is_run = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".json");
    fs::read_dir(folder).map_or(0, |files| files.filter(|file| is_run(&file.as_ref().unwrap().file_name())).count())
}

#[test]
fn an_interrupt_stops_a_study_and_its_runs() {
    let folder = data(&[("noise.vw", &made_up::sparse(200_000, 1))]);
    let mut child = Child::start(&folder, "lab data --out out --alphas 1 --jobs 2");
    child.wait_for_line("choosing learning rates");
    child.interrupt();
    let (code, said) = child.end();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("finished runs are kept in out"), "{said}");
    assert!(!folder.path("out/results.json").exists());
}

#[test]
fn what_would_take_too_long_is_left_out_with_its_estimate() {
    let folder = data(&[("xor.vw", &exclusive_or(2000))]);
    folder.run(&format!("lab data {SMALL} --budget 0.000001")).code.unwrap();
    let results = results(&folder);
    let skipped = results["sets"][0]["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), CANDIDATES);
    assert!(number(&skipped[0]["estimated_seconds"]) > 0.0);
    assert!(skipped[0]["reason"].as_str().unwrap().contains("the budget is 0.000001 s"), "{skipped:?}");
}

/// A stand-in for VW: it reads the flags and predicts 0.5 for everything.
const FAKE_VW: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 0.0; exit 0; }
while [ $# -gt 0 ]; do
    case "$1" in -d) data=$2 ;; -p) sed 's/.*/0.5/' "$data" > "$2" ;; esac
    shift
done
echo "number of examples = 4" >&2
echo "average loss = 1.25" >&2
echo "total feature number = 14" >&2
"#;

fn with_vw(script: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = data(&[("xor.vw", &exclusive_or(200))]);
    fs::create_dir(folder.path("bin")).unwrap();
    folder.write("bin/vw", script);
    fs::set_permissions(folder.path("bin/vw"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_vw_on_the_path_is_run_and_judged() {
    let folder = with_vw(FAKE_VW);
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    Run::of(folder.command(&format!("lab data {SMALL} --with-vw")).env("PATH", path)).succeeds();
    let results = results(&folder);
    let runs = results["sets"][0]["runs"].as_array().unwrap();
    let of_vw: Vec<&Value> = runs.iter().filter(|run| run["program"] == "vw").collect();
    assert_eq!(of_vw.len(), 4, "{results}");
    let test = String::from_utf8(folder.read("out/work/xor.test.vw")).unwrap();
    let negative = test.lines().filter(|line| line.starts_with('-')).count();
    for run in of_vw {
        assert_eq!(number(&run["test_error"]), negative as f64 / 40.0);
        assert_eq!((number(&run["features_per_example"]), number(&run["auc"])), (3.5, 0.5));
    }
}

#[test]
fn peers_that_cannot_be_run_are_told_and_do_not_stop_the_study() {
    let folder = with_vw("#!/bin/sh\necho no luck >&2; exit 1\n");
    // Nothing else is there, so neither is Python.
    let mut command = folder.command("lab data --out out --rates 0.5 --alphas 1 --with-vw --with-lightgbm");
    let run = Run::of(command.env("PATH", folder.path("bin"))).succeeds();
    assert!(run.stderr.contains("VW is left out: ") && run.stderr.contains("no luck"), "{}", run.stderr);
    assert!(run.stderr.contains("LightGBM is left out: python3: "), "{}", run.stderr);
    let set = &results(&folder)["sets"][0];
    assert_eq!(set["runs"].as_array().unwrap().len(), CANDIDATES);
    let skipped: Vec<&str> =
        set["skipped"].as_array().unwrap().iter().map(|one| one["program"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["vw", "vw", "vw", "vw", "lightgbm"]);
}

#[test]
fn a_shuffle_changes_the_split_and_only_its_seed_decides_it() {
    let folder = data(&[("xor.vw", &exclusive_or(500))]);
    let train = |out: &str, flags: &str| {
        folder.run(&format!("lab data --out {out} --rates 0.5 --alphas 1 --quiet {flags}")).succeeds();
        folder.read(&format!("{out}/work/xor.train.vw"))
    };
    let [plain, one] = [train("a", ""), train("b", "--shuffle 1")];
    assert_eq!(
        plain,
        exclusive_or(500).lines().take(400).map(|line| line.to_owned() + "\n").collect::<String>().as_bytes()
    );
    assert_ne!(plain, one);
    assert_eq!(one, train("c", "--shuffle 1"));
}

#[test]
fn usage_errors_are_told() {
    let folder = data(&[("xor.vw", &exclusive_or(10))]);
    folder.run("lab data --sets xor,other").refuses("--sets: there is no data set other; there are xor");
    folder.run("lab data --budget 0").refuses("invalid value '0' for '--budget <SECONDS>': expected a number above 0");
    folder.run("lab data --rates=-1").refuses("--rates is -1; it must be above 0");
    assert_eq!(folder.run("lab data theory").code, Some(1));
    assert_eq!(folder.run("lab nowhere").code, Some(1));
    fs::create_dir(folder.path("nothing")).unwrap();
    let run = folder.run("lab nothing --out out");
    assert!(run.stderr.starts_with("error: there is no data set in nothing; expected"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}
