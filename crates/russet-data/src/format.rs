//! Which format a file has: told from its name, else from its content.

use std::fmt;
use std::path::Path;

use crate::cache;

/// A format of examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Vowpal Wabbit's text: `label | name:value ...`
    Vw,
    /// `label number:value ...`
    Svmlight,
    /// A table with a header line; fields apart by commas, tabs or semicolons.
    Csv,
    /// russet's own binary form.
    Cache,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Format::Vw => "VW text",
            Format::Svmlight => "svmlight",
            Format::Csv => "CSV",
            Format::Cache => "a russet cache",
        })
    }
}

impl Format {
    /// The format that a file's name says, compression endings aside.
    pub fn of_name(name: &str) -> Option<Format> {
        let path = Path::new(name);
        let extension = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let mut ending = extension(path)?;
        if matches!(ending.as_str(), "gz" | "zst" | "zstd") {
            ending = extension(Path::new(path.file_stem()?))?;
        }
        match ending.as_str() {
            "vw" | "dat" => Some(Format::Vw),
            "svm" | "svmlight" | "libsvm" => Some(Format::Svmlight),
            "csv" | "tsv" | "tab" => Some(Format::Csv),
            "cache" => Some(Format::Cache),
            _ => None,
        }
    }

    /// The format that a file's first bytes look like.
    pub fn of_content(start: &[u8]) -> Option<Format> {
        if start.starts_with(cache::MAGIC) {
            return Some(Format::Cache);
        }
        let line = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty())?;
        if line.contains(&b'\0')
            || std::str::from_utf8(&line[..line.len().min(1 << 10)]).is_err_and(|e| e.error_len().is_some())
        {
            return None;
        }
        if line.contains(&b'|') {
            return Some(Format::Vw);
        }
        if looks_like_svmlight(line) {
            return Some(Format::Svmlight);
        }
        line.iter().any(|byte| matches!(byte, b',' | b'\t' | b';')).then_some(Format::Csv)
    }
}

fn looks_like_svmlight(line: &[u8]) -> bool {
    if line.starts_with(b"#") {
        return true;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_label = words.next().is_some_and(|label| crate::number::parse_whole(label).is_some());
    is_label && words.take_while(|word| !word.starts_with(b"#")).all(|word| word.contains(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        assert_eq!(Format::of_name("a/b.vw"), Some(Format::Vw));
        assert_eq!(Format::of_name("b.vw.zst"), Some(Format::Vw));
        assert_eq!(Format::of_name("b.tsv.gz"), Some(Format::Csv));
        assert_eq!(Format::of_name("b.libsvm"), Some(Format::Svmlight));
        assert_eq!(Format::of_name("train.txt"), None);
        assert_eq!(Format::of_name("-"), None);
    }

    #[test]
    fn contents_tell() {
        assert_eq!(Format::of_content(b"\n1 | a b:2\n"), Some(Format::Vw));
        assert_eq!(Format::of_content(b"+1 3:0.5 7:1 # yes\n"), Some(Format::Svmlight));
        assert_eq!(Format::of_content(b"a,b,c\n1,2,3\n"), Some(Format::Csv));
        assert_eq!(Format::of_content(b"a\tb\n"), Some(Format::Csv));
        assert_eq!(Format::of_content(cache::MAGIC), Some(Format::Cache));
        assert_eq!(Format::of_content(b"\x7fELF\0\0|"), None);
        assert_eq!(Format::of_content(b"hello\n"), None);
    }
}
