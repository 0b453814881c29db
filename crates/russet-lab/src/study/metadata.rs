//! `NAME.json`: what is said about a data set beside its examples.

use std::collections::BTreeMap;
use std::path::Path;

use russet_data::CsvOptions;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::Task;

/// What a study takes from `NAME.json`; everything may be missing, mean something else, or have other things beside it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    #[serde(deserialize_with = "or_nothing")]
    task: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    pub(super) source: Option<String>,
    /// Of a table: the column to predict, and what others are.
    #[serde(deserialize_with = "or_nothing")]
    label: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    numeric: Vec<String>,
    #[serde(deserialize_with = "or_nothing")]
    categorical: Vec<String>,
    #[serde(deserialize_with = "or_nothing")]
    ignore: Vec<String>,
    /// What features are called that have numbers for names.
    #[serde(deserialize_with = "or_nothing")]
    features: BTreeMap<String, String>,
    /// The same, by the columns that the features were made of.
    #[serde(deserialize_with = "or_nothing")]
    columns: Vec<Column>,
}

/// A field that is of another kind than expected is someone else's.
fn or_nothing<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

#[derive(Debug, Deserialize)]
struct Column {
    column: String,
    index: Option<u64>,
    /// Where a column became one feature for each of its values.
    first_index: Option<u64>,
    #[serde(default)]
    values: Vec<serde_json::Value>,
}

impl Metadata {
    /// Reads the file, if it is there; otherwise says what is wrong with it.
    pub(super) fn read(path: &Path) -> Result<Metadata, String> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Metadata::default()),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(super) fn task(&self) -> Option<Task> {
        match self.task.as_deref()? {
            "binary" | "classification" => Some(Task::Classification),
            "regression" => Some(Task::Regression),
            _ => None,
        }
    }

    /// How to read the data if it is a table.
    pub(super) fn table(&self) -> CsvOptions {
        CsvOptions {
            label: self.label.clone(),
            numeric: self.numeric.clone(),
            categorical: self.categorical.clone(),
            ignore: self.ignore.clone(),
            ..CsvOptions::default()
        }
    }

    /// What a product of features is called, its factors' names joined by ` * `.
    pub(super) fn translate(&self, product: &str) -> String {
        let names = self.names();
        let factor = |name: &str| names.get(name).cloned().unwrap_or_else(|| name.to_owned());
        product.split(" * ").map(factor).collect::<Vec<_>>().join(" * ")
    }

    fn names(&self) -> BTreeMap<String, String> {
        let mut names = self.features.clone();
        for column in &self.columns {
            names.extend(column.index.map(|index| (index.to_string(), column.column.clone())));
            let Some(first) = column.first_index else { continue };
            names.extend((first..).zip(&column.values).map(|(index, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (index.to_string(), format!("{}={value}", column.column))
            }));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_names() {
        let text = r#"{"task": "binary", "features": {"1": "sex=M"}, "columns": [
            {"column": "age", "index": 2}, {"column": "education", "first_index": 3, "values": ["10th grade", 11]}]}"#;
        let metadata: Metadata = serde_json::from_str(text).unwrap();
        assert_eq!(metadata.task(), Some(Task::Classification));
        assert_eq!(metadata.translate("1 * 2 * 3 * 4 * 5"), "sex=M * age * education=10th grade * education=11 * 5");
    }

    #[test]
    fn a_file_may_be_missing_but_not_broken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        assert!(Metadata::read(&path).unwrap().task().is_none());
        std::fs::write(&path, r#"{"features": 8, "task": ["a"], "source": "here"}"#).unwrap();
        assert_eq!(Metadata::read(&path).unwrap().source.as_deref(), Some("here"));
        std::fs::write(&path, "{").unwrap();
        assert!(Metadata::read(&path).unwrap_err().contains("a.json: EOF"));
    }
}
