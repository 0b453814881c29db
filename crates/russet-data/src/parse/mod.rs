//! From a block of bytes to a batch of examples.

mod csv;
mod schema;
mod svmlight;
mod vw;

use std::sync::Arc;

use russet::batch::{Batch, Dictionary};

use crate::cache::{self, CacheLayout};
use crate::error::quoted;
use crate::format::Format;
use crate::source::Block;
use crate::{DataError, OnError, ReadOptions};

pub use csv::is_missing;
pub(crate) use csv::{
    CsvLayout, MOST_CLASSES, delimiter as csv_delimiter, layout as csv_layout, too_many_classes,
    visit_ends as visit_csv_ends,
};
pub use schema::{Column, ColumnKind, LabelColumn, Schema};

/// What a file's header says about its blocks.
#[derive(Clone, Debug, Default)]
pub(crate) enum Layout {
    /// There is no header.
    #[default]
    None,
    /// Which field of a row is what.
    Csv(Arc<CsvLayout>),
    /// What a cache was made from.
    Cache(Arc<CacheLayout>),
}

impl Layout {
    /// The columns, if the data is or was a table.
    pub(crate) fn schema(&self) -> Option<Arc<Schema>> {
        match self {
            Layout::None => None,
            Layout::Csv(layout) => Some(Arc::clone(&layout.schema)),
            Layout::Cache(layout) => layout.schema.clone(),
        }
    }
}

/// A block, parsed.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Its examples.
    pub batch: Batch,
    /// The block they were in.
    pub block: Block,
    /// How many lines were passed over because of errors.
    pub skipped: u64,
    /// What was wrong with the first of them.
    pub complaint: Option<String>,
    /// The error at which parsing stopped; the examples before it are in the batch.
    pub(crate) fatal: Option<DataError>,
}

/// What is wrong with a line, and where in it.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The byte within the line, from 0.
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into() }
    }

    /// `what` is `found`, but something else was expected.
    #[cold]
    pub(crate) fn expected(at: usize, what: &str, found: &[u8], expected: &str) -> Fault {
        Fault::new(at, format!("{what} is {}; expected {expected}", quoted(found)))
    }
}

/// Parses blocks of any format; one for each thread.
pub(crate) struct Parser {
    options: ReadOptions,
    dictionary: Dictionary,
    csv: csv::Reader,
    vw: vw::Reader,
}

impl Parser {
    pub(crate) fn new(number: u32, options: ReadOptions) -> Parser {
        Parser { options, dictionary: Dictionary::new(number), csv: csv::Reader::default(), vw: vw::Reader::default() }
    }

    /// Fills `parsed.batch` from `parsed.block`.
    pub(crate) fn parse(&mut self, format: Format, parsed: &mut Parsed) {
        (parsed.skipped, parsed.complaint, parsed.fatal) = (0, None, None);
        if format == Format::Cache {
            parsed.fatal = cache::decode(&parsed.block, parsed.block.wanted, &mut parsed.batch).err();
            return;
        }
        parsed.batch.start(&mut self.dictionary);
        let mut bytes = std::mem::take(&mut parsed.block.bytes);
        let context = &mut Context { labels: self.options.labels, dictionary: &mut self.dictionary };
        match (format, &parsed.block.layout) {
            (Format::Csv, Layout::Csv(layout)) => {
                let layout = Arc::clone(layout);
                self.csv.read(&bytes, &layout, context, parsed, self.options.on_error);
            }
            (Format::Svmlight, _) => {
                read_lines(&bytes, parsed, self.options.on_error, |line, number, batch| {
                    svmlight::line(line, number, context, batch)
                });
            }
            _ => {
                let length = vw::pad(&mut bytes);
                self.vw.read(&bytes, length, context, parsed, self.options.on_error);
                bytes.truncate(length);
            }
        }
        parsed.block.bytes = bytes;
    }
}

/// How many examples a block holds, if none of them is faulty.
pub(crate) fn count(format: Format, layout: &Layout, bytes: &[u8]) -> u64 {
    let starts = [0].into_iter().chain(memchr::memchr_iter(b'\n', bytes).map(|end| end + 1));
    let lines = || starts.map(|start| first_word(&bytes[start..])).filter(|line| !line.is_empty());
    let count = match format {
        Format::Vw => lines().count(),
        Format::Svmlight => lines().filter(|line| !line.starts_with(b"#")).count(),
        Format::Csv => match layout {
            Layout::Csv(layout) => csv::count(bytes, layout),
            _ => 0,
        },
        Format::Cache => cache::count_in(bytes),
    };
    count as u64
}

/// The line at the start of `bytes` from its first letter on; what comes after its end may follow.
#[inline]
fn first_word(bytes: &[u8]) -> &[u8] {
    match bytes.first() {
        // By far the most common.
        Some(byte) if byte.is_ascii_graphic() => bytes,
        _ => {
            let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
            bytes[..end].trim_ascii_start()
        }
    }
}

/// What the parsers of all formats share.
pub(crate) struct Context<'a> {
    /// Whether an example without a label is an error.
    pub(crate) labels: bool,
    pub(crate) dictionary: &'a mut Dictionary,
}

/// Calls `read` for each line, without its end.
fn read_lines(
    bytes: &[u8],
    parsed: &mut Parsed,
    on_error: OnError,
    mut read: impl FnMut(&[u8], u64, &mut Batch) -> Result<(), Fault>,
) {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain((!bytes.ends_with(b"\n")).then_some(bytes.len()));
    for (number, end) in (parsed.block.first_line..).zip(ends) {
        let line = &bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Err(fault) = read(line, number, &mut parsed.batch)
            && !parsed.forgive(fault, number, on_error)
        {
            return;
        }
        start = end + 1;
    }
}

impl Parsed {
    /// Drops the example with the fault. True if parsing may go on.
    #[cold]
    fn forgive(&mut self, fault: Fault, line: u64, on_error: OnError) -> bool {
        self.batch.abandon_example();
        let Parsed { block, fatal, skipped, complaint, .. } = self;
        let error = || DataError::Content {
            name: Arc::clone(&block.name),
            line: block.line_in_file(line),
            column: fault.at as u64 + 1,
            message: fault.message,
        };
        match on_error {
            OnError::Stop => {
                *fatal = Some(error());
                false
            }
            OnError::Skip => {
                *skipped += 1;
                complaint.get_or_insert_with(|| error().to_string());
                true
            }
        }
    }
}

/// A finite number, or what is wrong with it.
#[cold]
pub(crate) fn not_finite(at: usize, what: &str, found: &[u8]) -> Fault {
    Fault::expected(at, what, found, "a finite number")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use russet::batch::{Code, Label};

    /// An example as a test wants to see it.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Seen {
        pub(crate) label: Label,
        pub(crate) tag: String,
        pub(crate) features: Vec<(String, f32)>,
        pub(crate) namespace_ends: Vec<u32>,
        pub(crate) line: u64,
    }

    fn parse(format: Format, text: &str, options: ReadOptions) -> Result<Parsed, DataError> {
        let name: Arc<str> = "test".into();
        let (layout, start) = match format {
            Format::Csv => csv_layout(&name, text.as_bytes(), true, &options)?,
            _ => (Layout::None, 0),
        };
        let first_line = if format == Format::Csv { 2 } else { 1 };
        let bytes = text.as_bytes()[start..].to_vec();
        let block = Block { name, first_line, bytes, layout, ..Block::default() };
        let mut parsed = parse_block(&mut Parser::new(0, options), format, block);
        parsed.fatal.take().map_or(Ok(parsed), Err)
    }

    pub(crate) fn parse_block(parser: &mut Parser, format: Format, block: Block) -> Parsed {
        let mut parsed = Parsed { block, ..Parsed::default() };
        parser.parse(format, &mut parsed);
        parsed
    }

    pub(crate) fn seen(parsed: &Parsed) -> Vec<Seen> {
        let name = |code: &u32| match Code::unpack(*code) {
            Code::Declared(index) => parsed.batch.declared_names().text(index as usize).into_owned(),
            Code::Number(number) => number.to_string(),
        };
        let see = |example: russet::batch::Example<'_>| Seen {
            label: example.label,
            tag: String::from_utf8_lossy(example.tag).into_owned(),
            features: example.codes.iter().map(name).zip(example.values.iter().copied()).collect(),
            namespace_ends: example.namespace_ends.to_vec(),
            line: example.line,
        };
        parsed.batch.iter().map(see).collect()
    }

    pub(crate) fn read(format: Format, text: &str, labels: bool) -> Vec<Seen> {
        seen(&parse(format, text, ReadOptions { labels, ..ReadOptions::default() }).unwrap())
    }

    pub(crate) fn read_error(format: Format, text: &str) -> String {
        parse(format, text, ReadOptions::default()).unwrap_err().to_string()
    }

    fn csv_options(label: &str) -> ReadOptions {
        let label = (!label.is_empty()).then(|| label.to_owned());
        ReadOptions { csv: crate::CsvOptions { label, ..Default::default() }, ..ReadOptions::default() }
    }

    pub(crate) fn read_csv(text: &str, label: &str) -> Vec<Seen> {
        seen(&parse(Format::Csv, text, csv_options(label)).unwrap())
    }

    pub(crate) fn read_csv_error(text: &str, label: &str) -> String {
        parse(Format::Csv, text, csv_options(label)).unwrap_err().to_string()
    }

    proptest! {
        /// Bytes that look somewhat like data reach deeper than random ones.
        #[test]
        fn no_bytes_make_a_reader_panic(
            bytes in prop::collection::vec(prop::sample::select(b"01-.e:| \t\n\r\"',;#xyq\xff\x00".to_vec()), 0..120),
            skip in any::<bool>(),
            labels in any::<bool>(),
        ) {
            let on_error = if skip { OnError::Skip } else { OnError::Stop };
            let text = String::from_utf8_lossy(&bytes);
            for format in [Format::Vw, Format::Svmlight, Format::Csv] {
                let options = ReadOptions { on_error, labels, ..csv_options("y") };
                let _ = parse(format, &text, options.clone());
                let _ = parse(format, &format!("x,y\n{text}"), options);
            }
        }
    }

    #[test]
    fn skipping_counts_faulty_lines_and_keeps_the_others() {
        let options = ReadOptions { on_error: OnError::Skip, ..ReadOptions::default() };
        let parsed = parse(Format::Vw, "1 | a\nx | b\n1 | c:nan\n-1 | d\n", options).unwrap();
        assert_eq!((parsed.batch.len(), parsed.skipped), (2, 2));
        assert_eq!(parsed.complaint.as_deref(), Some("test:2:1: label is `x`; expected a finite number"));
        assert_eq!(seen(&parsed)[1].features, [("d".to_owned(), 1.0)]);
    }
}
