//! Writes the report of a study again from its `results.json`: `cargo run -p russet-lab --example report RESULTS FOLDER`.

use std::error::Error;
use std::fs;
use std::path::Path;

use russet_lab::report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [results, folder] = arguments.as_slice() else {
        return Err("usage: report RESULTS FOLDER".into());
    };
    let results = serde_json::from_slice(&fs::read(results)?)?;
    report::write(&results, Path::new(folder))?;
    Ok(())
}
