//! Results made by hand, for tests.

use std::path::Path;

use crate::study::{Method, Program, Results, Run, SetResults, Task};

/// A run of russet.
pub(super) fn run(method: Method, alpha: Option<f64>, test_error: f64, train_seconds: f64) -> Run {
    Run {
        program: Program::Russet,
        method,
        alpha,
        learning_rate: Some(0.5),
        progressive_error: None,
        test_error,
        auc: None,
        train_seconds,
        cpu_seconds: train_seconds,
        features_per_example: None,
        peak_memory_bytes: None,
    }
}

/// A data set with these runs.
pub(super) fn set(name: &str, runs: Vec<Run>) -> SetResults {
    SetResults {
        name: name.to_owned(),
        source: None,
        task: Task::Classification,
        train_examples: 800,
        test_examples: 200,
        features_per_example: 3.0,
        distinct_features: 8,
        problem: None,
        runs,
        skipped: Vec::new(),
        interactions: Vec::new(),
    }
}

/// A data set with linear, quadratic, cubic and apple at alpha 1: their errors and seconds.
pub(super) fn full_set(name: &str, errors: [f64; 4], seconds: [f64; 4]) -> SetResults {
    let methods = [(Method::Lin, None), (Method::Quad, None), (Method::Cubic, None), (Method::Apple, Some(1.0))];
    let runs = methods.iter().zip(errors.iter().zip(seconds));
    set(name, runs.map(|(&(method, alpha), (&error, seconds))| run(method, alpha, error, seconds)).collect())
}

/// A study of these sets.
pub(super) fn study(sets: Vec<SetResults>) -> Results {
    Results {
        version: 1,
        program: "russet".to_owned(),
        machine: "two cores".to_owned(),
        split: "80/20 in file order".to_owned(),
        rates: vec![0.25, 0.5],
        budget_seconds: None,
        sets,
    }
}

/// The study in `tests/fixtures/results.json`: made-up figures of ten sets, and two sets that could not be run.
pub(super) fn fixture() -> Results {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
