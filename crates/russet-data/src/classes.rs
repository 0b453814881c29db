//! The names in a label column, all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::parse::{LabelColumn, MOST_CLASSES, Schema, too_many_classes};
use crate::{DataError, Inputs, ReadOptions, Stream};

/// The names in the label column, in alphabetical order, if its first rows have more than two; nothing otherwise.
///
/// The first rows may not have met them all, so the inputs are gone through once; only their label is looked at.
pub fn class_names(inputs: &Inputs, options: &ReadOptions) -> Result<Option<Vec<String>>, DataError> {
    // One thread: others would begin to parse.
    let stream = Stream::open(inputs, ReadOptions { threads: 1, ..options.clone() })?;
    let Some(schema) = stream.schema().filter(|_| stream.format() == crate::Format::Csv) else { return Ok(None) };
    if schema.label.classes.as_ref().is_none_or(|classes| classes.len() <= 2) {
        return Ok(None);
    }
    // As a tag, a field comes out as it is.
    let label = schema.label.name.clone();
    let nothing = LabelColumn { name: String::new(), classes: None };
    let schema = Schema { columns: Vec::new(), label: nothing, weight: None, tag: Some(label.clone()) };
    let options = ReadOptions { schema: Some(Arc::new(schema)), labels: false, hash_blocks: false, ..options.clone() };
    let mut stream = Stream::open(inputs, options)?;
    let mut names = BTreeSet::new();
    while let Some(parsed) = stream.next()? {
        for example in parsed.batch.iter() {
            let name = String::from_utf8_lossy(example.tag);
            if !crate::parse::is_missing(example.tag) && !names.contains(&*name) {
                names.insert(name.into_owned());
            }
        }
        if names.len() > MOST_CLASSES {
            return Err(too_many_classes(&parsed.block.name, &label));
        }
        stream.recycle(parsed);
    }
    Ok(Some(names.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_come_late_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        let rows: String = (0..30_000).map(|row| format!("{row},{}\n", ["b", "c", "d"][row % 3])).collect();
        std::fs::write(&path, format!("x,y\n{rows}1,\n2,a\n")).unwrap();
        let names = class_names(&Inputs::file(&path), &ReadOptions::default()).unwrap();
        assert_eq!(names.unwrap(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn names_without_end_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        let rows: String = (0..40_000).map(|row| format!("{row},n{}\n", row / 9)).collect();
        std::fs::write(&path, format!("x,y\n{rows}")).unwrap();
        let error = class_names(&Inputs::file(&path), &ReadOptions::default()).unwrap_err().to_string();
        let wanted = "the label column `y` has more than 1000 names; expected numbers or classes";
        assert_eq!(error, format!("{}: {wanted}", path.display()));
    }

    #[test]
    fn two_names_and_numbers_need_no_search() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        for text in ["x,y\n1,a\n2,b\n", "x,y\n1,1\n2,2\n3,3\n"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(class_names(&Inputs::file(&path), &ReadOptions::default()).unwrap(), None);
        }
    }
}
