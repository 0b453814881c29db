//! Results as files: `results.json` for programs, `results.csv` for tables.

use std::fmt::Display;
use std::path::Path;

use russet_data::atomic;
use russet_data::write::write_field;

use super::{Results, Run, SetResults, StudyError, Task};

const COLUMNS: &str = "set,task,train_examples,test_examples,base_features_per_example,distinct_features,program,method,\
                       alpha,learning_rate,progressive_error,test_error,auc,train_seconds,cpu_seconds,\
                       features_per_example,peak_memory_bytes\n";

/// Writes `results.json` and `results.csv` to a folder.
pub fn write(results: &Results, folder: &Path) -> Result<(), StudyError> {
    let path = folder.join("results.json");
    let json = serde_json::to_vec_pretty(results).map_err(|error| StudyError::write(&path)(error.into()))?;
    atomic::write(&path, &json).map_err(StudyError::write(&path))?;
    let path = folder.join("results.csv");
    atomic::write(&path, &table(results)).map_err(StudyError::write(&path))
}

/// One row for each run on each set.
fn table(results: &Results) -> Vec<u8> {
    let mut text = COLUMNS.as_bytes().to_vec();
    for set in &results.sets {
        for run in &set.runs {
            for (place, cell) in row(set, run).iter().enumerate() {
                text.extend_from_slice(if place > 0 { b"," } else { b"" });
                // Writing to memory does not fail.
                let _ = write_field(cell.as_bytes(), b',', &mut text);
            }
            text.push(b'\n');
        }
    }
    text
}

fn row(set: &SetResults, run: &Run) -> [String; 17] {
    let task = match set.task {
        Task::Classification => "classification",
        Task::Regression => "regression",
    };
    [
        set.name.clone(),
        task.to_owned(),
        set.train_examples.to_string(),
        set.test_examples.to_string(),
        set.features_per_example.to_string(),
        set.distinct_features.to_string(),
        run.program.to_string(),
        run.method.to_string(),
        cell(run.alpha),
        cell(run.learning_rate),
        cell(run.progressive_error),
        run.test_error.to_string(),
        cell(run.auc),
        run.train_seconds.to_string(),
        run.cpu_seconds.to_string(),
        cell(run.features_per_example),
        cell(run.peak_memory_bytes),
    ]
}

fn cell(figure: Option<impl Display>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}
