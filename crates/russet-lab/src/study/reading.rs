//! A data set in memory, as lines of VW text whatever it was before: so all programs read the same, and a split is a
//! split of lines.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use russet::batch::Code;
use russet_data::write::{ExampleWriter, VwWriter};
use russet_data::{Format, Inputs, ReadOptions, Stream};

use super::Task;
use super::metadata::Metadata;
use super::sets::Source;

/// The examples of a data set, one a line.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    /// Where each line ends, its line break included.
    ends: Vec<usize>,
    labels: Vec<f32>,
    /// Features of all examples together.
    pub(super) features: u64,
    /// Different features.
    pub(super) distinct: u64,
}

impl Lines {
    /// Reads a data set; otherwise says what is wrong with it. If `cancelled`, what was read so far.
    pub(super) fn read(source: &Source, metadata: &Metadata, cancelled: &AtomicBool) -> Result<Lines, String> {
        let inputs = Inputs::file(&source.path);
        let table = Format::of_name(&source.path.to_string_lossy()) == Some(Format::Csv);
        let csv = if table { metadata.table() } else { Default::default() };
        if table && csv.label.is_none() {
            let (path, json) = (source.path.display(), source.metadata());
            return Err(format!(
                "{path}: which column is the label? Say it in {}: {{\"label\": \"COLUMN\"}}",
                json.display()
            ));
        }
        // A single parser has a single dictionary, so what it declares is what is distinct; numbers are not declared.
        let options = ReadOptions { labels: true, threads: 1, csv, ..ReadOptions::default() };
        let mut stream = Stream::open(&inputs, options).map_err(|error| error.to_string())?;
        let classes = stream.schema().and_then(|schema| schema.label.classes.as_ref()).map_or(0, Vec::len);
        if classes > 2 {
            return Err(format!("{}: the label has more than two classes; a study knows two", source.path.display()));
        }
        let (mut lines, mut writer, mut numbers) = (Lines::default(), VwWriter::default(), HashSet::<u32>::new());
        while let Some(parsed) = stream.next().map_err(|error| error.to_string())? {
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
            lines.distinct += parsed.batch.declared_ids().len() as u64;
            for example in parsed.batch.iter() {
                lines.features += example.codes.len() as u64;
                numbers.extend(example.codes.iter().filter(|code| matches!(Code::unpack(**code), Code::Number(_))));
                lines.labels.extend(example.label.value);
            }
            writer.write(&parsed.batch, &mut lines.text).map_err(|error| error.to_string())?;
            stream.recycle(parsed);
        }
        lines.distinct += numbers.len() as u64;
        lines.find_ends();
        Ok(lines)
    }

    fn find_ends(&mut self) {
        let breaks = self.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        self.ends = breaks.map(|(place, _)| place + 1).collect();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// What is to be predicted: as the metadata says, or as the labels look. Or why there is nothing to predict.
    pub(super) fn task(&self, metadata: &Metadata) -> Result<Task, String> {
        let (smallest, largest) = self.range();
        let classes = self.labels.iter().all(|label| [smallest, largest].contains(label));
        let looks_like = || classes && [(-1.0, 1.0), (0.0, 1.0)].contains(&(smallest, largest));
        let guess = || if looks_like() { Task::Classification } else { Task::Regression };
        match metadata.task().unwrap_or_else(guess) {
            _ if self.labels.is_empty() => Err("there is no example in it".to_owned()),
            _ if smallest == largest => Err(format!("all labels are {smallest}: there is nothing to learn")),
            Task::Classification if !classes => {
                Err("its task is said to be two classes, but there are more than two different labels".to_owned())
            }
            task => Ok(task),
        }
    }

    fn range(&self) -> (f32, f32) {
        let range = |(low, high): (f32, f32), label: &f32| (low.min(*label), high.max(*label));
        self.labels.iter().fold((f32::INFINITY, f32::NEG_INFINITY), range)
    }

    /// Gives two classes the labels -1 and 1, which every program takes for two classes.
    pub(super) fn label_classes(&mut self) {
        let (smallest, largest) = self.range();
        if (smallest, largest) == (-1.0, 1.0) {
            return;
        }
        let mut text = Vec::with_capacity(self.text.len() + self.len());
        for place in 0..self.len() {
            let line = self.line(place);
            let after_label = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
            text.extend_from_slice(if self.labels[place] == largest { b"1" } else { b"-1" });
            text.extend_from_slice(&line[after_label..]);
        }
        for label in &mut self.labels {
            *label = if *label == largest { 1.0 } else { -1.0 };
        }
        self.text = text;
        self.find_ends();
    }

    /// A line with its line break.
    pub(super) fn line(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }

    pub(super) fn label(&self, place: usize) -> f32 {
        self.labels[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &str, metadata: &str) -> Result<Lines, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let source = Source { name: "a".to_owned(), path, others: Vec::new() };
        Lines::read(&source, &serde_json::from_str(metadata).unwrap(), &AtomicBool::new(false))
    }

    #[test]
    fn every_format_becomes_lines() {
        let mut lines = read("a.svm", "0 3:0.5 7:1\n1 3:2\n", "{}").unwrap();
        assert_eq!((lines.len(), lines.features, lines.distinct), (2, 3, 2));
        assert_eq!(lines.task(&Metadata::default()), Ok(Task::Classification));
        lines.label_classes();
        assert_eq!([lines.line(0), lines.line(1)], [b"-1 | 3:0.5 7\n".as_slice(), b"1 | 3:2\n"]);
        let lines = read("a.csv", "size,price\n1,20\n2,30\n3,40\n", r#"{"label": "price"}"#).unwrap();
        assert_eq!(lines.task(&Metadata::default()), Ok(Task::Regression));
        assert_eq!(lines.line(2), b"40 | size:3\n");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let problem = |content: &str, metadata: &str| {
            let metadata_read: Metadata = serde_json::from_str(metadata).unwrap();
            read("a.vw", content, metadata).and_then(|lines| lines.task(&metadata_read)).unwrap_err()
        };
        assert!(problem("1 | a\nx | b\n", "{}").contains("a.vw:2:1: "));
        assert!(problem("1 | a\n| b\n", "{}").contains("a.vw:2:1: "));
        assert!(problem("", "{}").contains("the file is empty"));
        assert_eq!(problem("1 | a\n1 | b\n", "{}"), "all labels are 1: there is nothing to learn");
        assert!(problem("1 | a\n2 | b\n3 | a\n", r#"{"task": "binary"}"#).contains("more than two"));
        assert!(read("a.csv", "a,b\n1,2\n", "{}").unwrap_err().contains("which column is the label?"));
    }
}
