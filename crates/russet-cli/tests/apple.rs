//! `--expansion apple` in the program: everything that works with a linear model works with it, to the byte.
#![allow(clippy::unwrap_used)]

mod common;

use common::made_up::{gzip, regression, sparse, tabular};
use common::process::{catch_models, checkpoints};
use common::{Folder, Run};
use serde_json::Value;

const LOSSES: [&str; 4] = ["squared", "logistic", "hinge", "quantile"];

fn two_classes(lines: u64) -> Folder {
    Folder::with("data.vw", sparse(lines, 1))
}

#[track_caller]
fn number(json: &Value, field: &str) -> f64 {
    json[field].as_f64().unwrap_or_else(|| panic!("{field} is no number: {json}"))
}

/// Trains with apple; the result says that the feature set has grown.
#[track_caller]
fn train_grown(folder: &Folder, flags: &str) -> Value {
    let json = folder.train_json(&format!("{flags} --expansion apple"));
    assert!(number(&json, "parents") > 0.0, "{flags}: {json}");
    assert!(number(&json, "max_degree") > 1.0, "{flags}: {json}");
    assert!(number(&json, "monomials") > 0.0, "{flags}: {json}");
    json
}

#[test]
fn trains_saves_predicts_evaluates_and_inspects_with_every_loss_and_setting() {
    let folder = two_classes(3000);
    let losses = LOSSES.map(|loss| format!("--loss {loss}"));
    let settings = [
        "--l1 0.0001",
        "--l2 0.001",
        "--l1 0.0001 --l2 0.001 --loss logistic",
        // The guard finds that products of bigrams are no use here, and then none is a term.
        "--ngram 2 --guard off",
        "--passes 3",
        "--holdout 0.2",
        "--passes 2 --holdout 0.2 --loss logistic",
        "--cache kept.cache",
        "--indexing hashed",
        "--select fallback",
        "--alpha 0.5 --epochs 4 --inherit 0 --memory 1",
        "--preset paper",
    ];
    for flags in losses.iter().map(String::as_str).chain(settings) {
        let json = train_grown(&folder, &format!("data.vw {flags} -o model"));
        let holds_out = flags.contains("holdout");
        assert_eq!(json["test_error"].is_number(), holds_out, "{flags}: {json}");
        let predicted = folder.run("predict -m model data.vw").succeeds().stdout;
        assert_eq!(predicted.lines().count(), 3000, "{flags}");
        assert!(predicted.lines().all(|line| line.parse::<f32>().is_ok_and(f32::is_finite)), "{flags}");
        let error = number(&folder.run("evaluate -m model data.vw --json").succeeds().json(), "error");
        assert!(error < 0.4, "{flags}: {error}");
        assert!(folder.run("inspect model --top 10000").succeeds().stdout.contains(" * "), "{flags}");
    }
}

#[test]
fn the_last_model_of_a_holdout_is_what_evaluate_sees() {
    let text = sparse(4000, 1);
    let folder = Folder::with("data.vw", &text);
    let rest: String = text.split_inclusive('\n').skip(3200).collect();
    folder.write("rest.vw", rest);
    let json = train_grown(&folder, "data.vw --holdout 0.2 -o model");
    let again = folder.run("evaluate -m model rest.vw --json").succeeds().json();
    assert_eq!(json["test_error"], again["error"]);
    assert_eq!(json["test_loss"], again["loss"]);
}

#[test]
fn numbers_and_tables_are_learned_better_than_by_a_linear_model() {
    let folder = Folder::with("numbers.vw", regression(8000, 1));
    folder.write("data.csv", tabular(4000, 1));
    train_grown(&folder, "data.csv --label bought");
    let json = train_grown(&folder, "numbers.vw");
    let linear = folder.train_json("numbers.vw --expansion linear");
    assert!(number(&json, "progressive_error") < number(&linear, "progressive_error"), "{json} {linear}");
}

#[test]
fn the_json_counts_parents_degree_and_monomials() {
    let folder = two_classes(6000);
    let json = train_grown(&folder, "data.vw --epochs 3 --alpha 0.5");
    for field in ["parents", "max_degree", "monomials"] {
        assert!(json[field].is_u64(), "{field}: {json}");
    }
    // Two growths of floor((s + 1)^0.5) each.
    let each = (number(&json, "base_features_per_example") + 1.0).sqrt().floor();
    assert_eq!(number(&json, "parents"), 2.0 * each);
    assert!(number(&json, "max_degree") <= 3.0);
    assert!(number(&json, "features_per_example") > number(&json, "base_features_per_example") + 1.0);
    let linear = folder.train_json("data.vw --expansion linear");
    assert_eq!((&linear["parents"], &linear["max_degree"], &linear["monomials"]), (&Value::Null, &1.into(), &0.into()));
    let one = folder.train_json("data.vw --expansion apple --epochs 1");
    assert_eq!((&one["parents"], &one["max_degree"], &one["monomials"]), (&0.into(), &1.into(), &0.into()));
    // The same but for the order in which sums run.
    assert!((number(&one, "progressive_loss") - number(&linear, "progressive_loss")).abs() < 1e-6);
}

#[test]
fn inspect_names_products_with_their_degree_and_epoch() {
    let folder = two_classes(6000);
    train_grown(&folder, "data.vw --epochs 4 --guard off -o model");
    let json = folder.run("inspect model --json --top 100000").succeeds().json();
    let terms = json["terms"].as_array().unwrap();
    assert_eq!(json["settings"]["expansion"], "apple");
    let mut names = std::collections::BTreeSet::new();
    for term in terms {
        let name = term["name"].as_str().unwrap();
        let mut factors: Vec<&str> = name.split(" * ").collect();
        let (degree, epoch) = (number(term, "degree"), number(term, "epoch"));
        let expected = if name == "constant" { 0 } else { factors.len() };
        assert_eq!(degree, expected as f64, "{term}");
        assert!(degree <= epoch.max(1.0) && (1.0..=4.0).contains(&epoch), "{term}");
        assert_eq!(degree > 1.0, epoch > 1.0, "{term}");
        factors.sort_unstable();
        assert!(names.insert(factors.join(" * ")), "{name} is there twice");
    }
    assert!(terms.iter().any(|term| term["degree"] == 2) && terms.iter().any(|term| term["epoch"] == 4));
    let table = folder.run("inspect model --top 100000").succeeds().stdout;
    let term = terms.iter().find(|term| term["degree"] == 2).unwrap();
    let name = term["name"].as_str().unwrap();
    let ending = format!("degree 2  epoch {}  active in ", term["epoch"]);
    let row = table.lines().find(|line| line.starts_with(&format!("{name} ")) && line.contains(&ending));
    assert!(row.is_some(), "{name}: {table}");
}

#[test]
fn flags_of_apple_are_refused_without_it() {
    let folder = two_classes(10);
    for (flag, parameter, value) in [
        ("--alpha 0.5", "alpha", "0.5"),
        ("--epochs 3", "epochs", "3"),
        ("--select fallback", "select", "fallback"),
        ("--inherit 0.1", "inherit", "0.1"),
        ("--guard off", "guard", "off"),
        ("--cooling 0.5", "cooling", "0.5"),
        ("--memory 64", "memory", "64"),
    ] {
        for other in ["--expansion linear", "--expansion quadratic"] {
            folder
                .run(&format!("train data.vw {other} {flag}"))
                .refuses(&format!("--{parameter} is {value}; it must be left out unless the expansion is apple"));
        }
        let tuned = folder.run(&format!("tune data.vw --expansion linear {flag}"));
        assert_eq!(tuned.code, Some(2), "tune {flag}");
    }
    folder.run("train data.vw --expansion linear --examples 10").refuses("--examples is for the expansion apple");
}

#[test]
fn values_of_apple_outside_their_range_are_refused() {
    let folder = two_classes(10);
    for (flag, message) in [
        ("--alpha 0", "--alpha is 0; it must be above 0 and at most 4"),
        ("--alpha nan", "--alpha is NaN; it must be above 0 and at most 4"),
        ("--epochs 0", "--epochs is 0; it must be between 1 and 10000"),
        ("--epochs 10001", "--epochs is 10001; it must be between 1 and 10000"),
        ("--inherit nan", "--inherit is NaN; it must be 0 or more"),
        ("--cooling 1.5", "--cooling is 1.5; it must be between 0 and 1"),
        ("--memory 0", "--memory is 0; it must be between 1 and 32768"),
    ] {
        folder.run(&format!("train data.vw --expansion apple {flag}")).refuses(message);
    }
    // Negative numbers are values and not flags.
    folder.run("train data.vw --expansion apple --alpha -1").refuses("--alpha is -1; it must be above 0 and at most 4");
    folder.run("train data.vw --expansion apple --inherit -1").refuses("--inherit is -1; it must be 0 or more");
    assert_eq!(folder.run("train data.vw --expansion apple --examples 0").code, Some(2));
}

// --------------------------------------------------------------------------------------------------- determinism

fn train_on(folder: &Folder, cpu: &str, flags: &str) -> Vec<u8> {
    Run::of(folder.command(&format!("train {flags} -q -o on.{cpu}")).env("RUSSET_CPU", cpu)).succeeds();
    folder.read(&format!("on.{cpu}"))
}

#[test]
fn every_instruction_set_gives_the_same_bytes() {
    let avx2 = cfg!(target_arch = "x86_64") && std::arch::is_x86_feature_detected!("avx2");
    let folder = two_classes(4000);
    folder.write("numbers.vw", regression(3000, 2));
    for flags in [
        "data.vw",
        "data.vw --memory 1 --ngram 2",
        "data.vw --loss logistic --l1 0.0001 --passes 2",
        "data.vw --loss hinge --inherit 0",
        "numbers.vw",
        "numbers.vw --loss quantile --l2 0.001 --select fallback",
    ] {
        let flags = format!("{flags} --expansion apple");
        let default = folder.train(&flags);
        for cpu in ["plain", "portable"].into_iter().chain(avx2.then_some("avx2")) {
            assert!(train_on(&folder, cpu, &flags) == default, "{flags} on {cpu}");
            let predict = |cpu| Run::of(folder.command("predict -m trained.model data.vw").env("RUSSET_CPU", cpu));
            assert!(predict(cpu).succeeds().stdout == predict("plain").succeeds().stdout, "{flags} on {cpu}");
        }
    }
}

#[test]
fn threads_compression_and_cache_give_the_same_bytes() {
    let folder = two_classes(16_000);
    folder.write("data.vw.gz", gzip(folder.read("data.vw")));
    folder.run("convert data.vw -q -o data.cache").succeeds();
    for flags in ["", "--passes 3", "--holdout 0.2", "--passes 2 --holdout 0.2"] {
        let flags = format!("{flags} --expansion apple");
        let wanted = folder.train(&format!("data.vw {flags} --readers 1"));
        for data in ["data.vw --readers 2", "data.vw.gz", "data.cache", "data.vw --cache kept.cache"] {
            for round in ["first", "second"] {
                assert!(folder.train(&format!("{data} {flags}")) == wanted, "{data} {flags}, {round} time");
            }
        }
    }
}

#[test]
fn a_length_that_is_given_is_as_good_as_one_that_is_counted() {
    let text = sparse(4000, 1);
    let folder = Folder::with("data.vw", &text);
    for (flags, length) in [("", 4000), ("--passes 3", 12_000), ("--holdout 0.25 --passes 2", 6000)] {
        let counted = folder.train(&format!("data.vw --expansion apple {flags}"));
        let given = folder.train(&format!("data.vw --expansion apple {flags} --examples {length}"));
        assert!(counted == given, "{flags}");
        if !flags.contains("holdout") {
            let arguments = format!("train - -q --expansion apple {flags} --examples {length} -o fed");
            folder.feed(&arguments, text.as_str()).succeeds();
            assert!(folder.read("fed") == counted, "{flags} from a pipe");
        }
        assert!(folder.train(&format!("data.vw --expansion apple {flags} --examples 3000")) != counted, "{flags}");
    }
}

#[test]
fn faulty_lines_that_are_skipped_are_not_part_of_the_course() {
    let text = sparse(3000, 1);
    let folder = Folder::with("sound.vw", &text);
    // The reader refuses a third of the lines: they have to be left out of the length as well.
    let faulty: String = text.split_inclusive('\n').map(|line| format!("{line}{}", "1 | f1:x\n")).collect();
    folder.write("faulty.vw", faulty);
    let sound = folder.train("sound.vw --expansion apple");
    let skipped = folder.train("faulty.vw --expansion apple --on-error skip");
    assert!(sound == skipped);
}

// ------------------------------------------------------------------------------------------ checkpoint and resume

/// Goes on from every checkpoint of a run.
#[track_caller]
fn every_checkpoint_leads_to_the_same_end(folder: &Folder, flags: &str, every: u64) {
    let flags = format!("{flags} --expansion apple");
    let mut models = checkpoints(folder, &format!("{flags} --checkpoint-every {every}"));
    let end = models.pop().expect("a finished model");
    assert!(end == folder.train(&flags), "{flags}: checkpoints change the result");
    assert!(models.len() > 2, "{flags}");
    let data = flags.split_whitespace().next().unwrap();
    for (number, checkpoint) in models.iter().enumerate() {
        folder.write("checkpoint", checkpoint);
        for again in [flags.as_str(), data] {
            let resumed = folder.train(&format!("{again} --resume checkpoint"));
            assert!(resumed == end, "{again}: checkpoint {} of {}", number + 1, models.len());
        }
        folder.run("inspect checkpoint").succeeds();
    }
}

#[test]
fn a_checkpoint_in_the_middle_of_an_epoch_leads_to_the_same_end() {
    // Growths are after 1,000, 2,000, ... examples.
    let folder = two_classes(6000);
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw", 700);
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --loss logistic --l1 0.0001 --ngram 2", 999);
}

#[test]
fn a_checkpoint_at_the_end_of_an_epoch_leads_to_the_same_end() {
    every_checkpoint_leads_to_the_same_end(&two_classes(6000), "data.vw", 1000);
}

#[test]
fn a_checkpoint_in_any_pass_leads_to_the_same_end() {
    let folder = two_classes(4000);
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --passes 3", 1700);
    every_checkpoint_leads_to_the_same_end(&folder, "data.vw --passes 2 --holdout 0.2 --select fallback", 1700);
}

#[test]
fn a_checkpoint_of_a_pipe_leads_to_the_same_end() {
    let (folder, text) = (Folder::new(), sparse(8000, 1));
    for flags in ["", "--examples 8000"] {
        let train = |more: &str| folder.feed(&format!("train - -q {flags} --expansion apple {more}"), text.as_str());
        let mut models = catch_models(&folder, "caught", || train("--checkpoint-every 1700 -o caught"));
        let end = models.pop().unwrap();
        assert!(models.len() > 2);
        for checkpoint in &models {
            folder.write("checkpoint", checkpoint);
            train("--resume checkpoint -o model").succeeds();
            assert!(folder.read("model") == end, "{flags}");
        }
    }
}

/// A folder with `a.vw`, `b.vw` and both in `both.vw`.
fn two_parts() -> (Folder, String, String) {
    let (a, b) = (sparse(3000, 1), sparse(2500, 2));
    let folder = Folder::with("a.vw", &a);
    folder.write("b.vw", &b);
    (folder, a, b)
}

#[test]
fn with_the_length_given_a_then_b_is_a_and_b() {
    let (folder, ..) = two_parts();
    for flags in ["", "--loss logistic --l2 0.001", "--ngram 2 --memory 1", "--select fallback --alpha 0.6 --epochs 9"]
    {
        let flags = format!("{flags} --expansion apple --examples 5500");
        let both = folder.train(&format!("a.vw b.vw {flags}"));
        folder.run(&format!("train a.vw {flags} -q -o first")).succeeds();
        assert!(folder.train("b.vw --resume first") == both, "{flags}");
        assert!(folder.train(&format!("b.vw --resume first {flags}")) == both, "{flags}, given again");
        assert!(
            folder.train(&format!("a.vw b.vw {}", flags.replace("--examples 5500", ""))) == both,
            "{flags}, counted"
        );
    }
}

#[test]
fn with_growing_epochs_a_then_b_is_a_and_b() {
    // Growths are after 1,024 and 4,096 examples, so one is in each part.
    let (folder, a, b) = two_parts();
    for flags in ["", "--loss hinge --alpha 0.7"] {
        folder.feed(&format!("train - {flags} --expansion apple -q -o both"), a.clone() + &b).succeeds();
        folder.feed(&format!("train - {flags} --expansion apple -q -o first"), a.as_str()).succeeds();
        folder.feed("train - --resume first -q -o second", b.as_str()).succeeds();
        assert!(folder.read("second") == folder.read("both"), "{flags}");
        assert!(folder.train("b.vw --resume first") == folder.read("both"), "{flags}, the rest from a file");
    }
}

#[test]
fn a_model_goes_on_with_its_own_expansion_only() {
    let (folder, ..) = two_parts();
    folder.run("train a.vw --expansion apple -q -o model").succeeds();
    let run = |flags: &str| folder.run(&format!("train b.vw --resume model {flags}"));
    run("--expansion linear")
        .refuses("model: the model was trained with other settings: --expansion linear is asked for, but it has apple");
    run("--epochs 3")
        .refuses("model: the model was trained with other settings: --epochs 3 is asked for, but it has 6");
}

#[test]
fn another_length_than_the_course_has_is_refused_on_resuming() {
    let (folder, ..) = two_parts();
    folder.run("train a.vw --expansion apple --examples 3000 -q -o model").succeeds();
    folder.run("train b.vw --resume model --examples 3000 -q").succeeds();
    let run = folder.run("train b.vw --resume model --examples 5500 -q");
    assert_eq!(run.code, Some(2), "the flag is without effect, in silence: {}", run.stderr);
}

// ----------------------------------------------------------------------------------------------------------- tune

#[test]
fn tune_gives_each_rate_the_errors_and_the_best_the_bytes_of_a_training() {
    let text = sparse(4000, 1);
    let folder = Folder::with("data.vw", &text);
    let json = folder.run("tune data.vw --expansion apple --grid 0.1,0.5 -q --json -o best").succeeds().json();
    for candidate in json["candidates"].as_array().unwrap() {
        let alone =
            folder.train_json(&format!("data.vw --expansion apple --learning-rate {}", candidate["learning_rate"]));
        assert_eq!(candidate["progressive_error"], alone["progressive_error"]);
        assert_eq!(candidate["progressive_loss"], alone["progressive_loss"]);
    }
    let flags = format!("--expansion apple --learning-rate {}", json["learning_rate"]);
    assert!(folder.read("best") == folder.train(&format!("data.vw {flags}")));
    // From a pipe, epochs grow.
    folder.feed("tune - --expansion apple --grid 0.1,0.5 -q -o best", text.as_str()).succeeds();
    let fed = [0.1, 0.5].map(|rate| {
        folder.feed(&format!("train - --expansion apple --learning-rate {rate} -q -o fed"), text.as_str()).succeeds();
        folder.read("fed")
    });
    assert!(fed.contains(&folder.read("best")));
}

#[test]
fn tune_tries_every_alpha_with_every_rate() {
    let folder = two_classes(3000);
    let tune = "tune data.vw --expansion apple --grid 0.1,0.5 --alphas 0.5,1.2";
    let json = folder.run(&format!("{tune} -q --json -o best")).succeeds().json();
    let candidates = json["candidates"].as_array().unwrap();
    let pairs: Vec<_> = candidates.iter().map(|candidate| (&candidate["alpha"], &candidate["learning_rate"])).collect();
    let wanted = [(0.5, 0.1), (0.5, 0.5), (1.2, 0.1), (1.2, 0.5)].map(|(a, b)| (Value::from(a), Value::from(b)));
    assert_eq!(pairs, wanted.each_ref().map(|(alpha, rate)| (alpha, rate)));
    let flags = |candidate: &Value| {
        format!("--expansion apple --learning-rate {} --alpha {}", candidate["learning_rate"], candidate["alpha"])
    };
    for candidate in candidates {
        let alone = folder.train_json(&format!("data.vw {}", flags(candidate)));
        assert_eq!(candidate["progressive_error"], alone["progressive_error"], "{candidate}");
        assert_eq!(candidate["progressive_loss"], alone["progressive_loss"], "{candidate}");
    }
    assert!(folder.read("best") == folder.train(&format!("data.vw {}", flags(&json))));
    let table = folder.run(tune).succeeds().stdout;
    let header = table.lines().next().unwrap();
    assert!(header.starts_with("learning rate  alpha  progressive loss"), "{table}");
    assert_eq!(table.lines().count(), 5);
    assert_eq!(table.lines().filter(|line| line.ends_with("best")).count(), 1, "{table}");
    // Without --alphas, there is one: that of --alpha.
    let json = folder.run("tune data.vw --expansion apple --grid 0.5 --alpha 0.7 -q --json").succeeds().json();
    assert_eq!(json["candidates"].as_array().unwrap().len(), 1);
    assert_eq!(json["alpha"], Value::from(0.7));
}

#[test]
fn alphas_that_make_no_sense_are_refused() {
    let folder = two_classes(10);
    let run = |flags: &str| folder.run(&format!("tune data.vw {flags}"));
    run("--expansion linear --alphas 0.5,1")
        .refuses("--alphas is 0.5; it must be left out unless the expansion is apple");
    run("--expansion apple --alphas 0.5,-1").refuses("--alphas is -1; it must be above 0 and at most 4");
    run("--expansion apple --alpha -1").refuses("--alpha is -1; it must be above 0 and at most 4");
    let both = run("--expansion apple --alpha 1 --alphas 1,2");
    assert_eq!(both.code, Some(2), "{}", both.stderr);
    assert!(run("--expansion linear --grid 0.5 -q --json").succeeds().json()["alpha"].is_null());
}
