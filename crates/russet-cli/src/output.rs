//! What the program says: errors, numbers, tables.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Error, Result};
use russet::settings::SettingsError;

use crate::interrupt::{self, Interrupted};

/// Flags that are understood but contradict each other or what they are applied to.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl StdError for UsageError {}

/// Something that could not be written.
#[derive(Debug)]
pub(crate) struct WriteError {
    what: String,
    cause: io::Error,
}

impl WriteError {
    /// A file that could not be written.
    pub(crate) fn file(path: &Path, cause: io::Error) -> WriteError {
        WriteError { what: path.display().to_string(), cause }
    }

    /// Standard output that could not be written to.
    pub(crate) fn standard_output(cause: io::Error) -> WriteError {
        WriteError { what: "to standard output".to_owned(), cause }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot write {}: {}", self.what, plain(&self.cause))
    }
}

impl StdError for WriteError {}

/// The system's words for an error, without its number and without the names of temporary files after it.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// Writes to standard output.
pub(crate) fn say(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|cause| WriteError::standard_output(cause).into())
}

/// Writes a line to standard error. If nobody listens there, nobody can be told.
pub(crate) fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The exit code for flags that cannot be used.
pub(crate) const USAGE: u8 = 2;

/// What went wrong, in words, and the exit code. A reader that has gone away is no failure.
pub(crate) fn failure(error: &Error) -> Option<(String, u8)> {
    let closed = |error: &WriteError| error.cause.kind() == io::ErrorKind::BrokenPipe;
    if error.downcast_ref::<WriteError>().is_some_and(closed) {
        return None;
    }
    if error.is::<Interrupted>() {
        return Some((error.to_string(), interrupt::EXIT_CODE));
    }
    Some(match error.downcast_ref::<SettingsError>() {
        Some(setting) => (format!("--{setting}"), USAGE),
        None => (format!("{error:#}"), if error.is::<UsageError>() { USAGE } else { 1 }),
    })
}

/// Says what went wrong.
pub(crate) fn fail(error: &Error) -> ExitCode {
    let Some((message, code)) = failure(error) else { return ExitCode::SUCCESS };
    match code {
        interrupt::EXIT_CODE => note(message),
        USAGE => note(format_args!("error: {message}\n\nFor more information, try 'russet help'.")),
        _ => note(format_args!("error: {message}")),
    }
    ExitCode::from(code)
}

/// A number of things, such as `1 example` or `2,201 examples`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A figure with as many digits as carry meaning.
pub(crate) fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if (1e-4..1e6).contains(&value.abs()) => {
            let decimals = (4 - value.abs().log10().floor() as i32).clamp(0, 8) as usize;
            format!("{value:.decimals$}")
        }
        Some(value) => format!("{value:.3e}"),
    }
}

/// A figure with its sign.
pub(crate) fn signed_figure(value: f64) -> String {
    let sign = if value < 0.0 { "" } else { "+" };
    format!("{sign}{}", figure(Some(value)))
}

/// A weight for a person: two decimals, more where they would be zeros.
pub(crate) fn weight(value: f32) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-4..1e6).contains(&size) => format!("{value:+.1e}"),
        size => {
            let decimals = (1 - size.log10().floor() as i32).max(2) as usize;
            format!("{value:+.decimals$}")
        }
    }
}

/// A share as a percentage: `9%`, `0.3%`, `<0.1%`.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0%".to_owned(),
        value if value < 0.1 => "<0.1%".to_owned(),
        value if value < 0.95 => format!("{value:.1}%"),
        // Only what is always there is 100%.
        value if value >= 99.5 && share < 1.0 => ">99%".to_owned(),
        value => format!("{value:.0}%"),
    }
}

/// A whole number with its thousands apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration for a person: seconds with a decimal, then minutes, then hours.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
        s => format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0) / 60.0),
    }
}

/// A size in bytes for a person.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        b if b < 1 << 10 => format!("{b} B"),
        b if b < 1 << 20 => format!("{:.1} KiB", b as f64 / 1024.0),
        b => format!("{:.1} MiB", b as f64 / 1_048_576.0),
    }
}

/// Rows of cells in columns: the first column to the left, the others to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let lines: Vec<&[String]> = std::iter::once(header.as_slice()).chain(rows.iter().map(Vec::as_slice)).collect();
    columns(&lines, |column| column == 0)
}

/// Lines of cells in columns, each to the left or to the right.
pub(crate) fn columns(lines: &[&[String]], is_left: impl Fn(usize) -> bool) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines.first().map_or(0, |line| line.len())).map(width).collect();
    let line = |cells: &&[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if is_left(column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
}

/// The most memory this process has had, if the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_five_digits() {
        assert_eq!(figure(Some(0.123_456_7)), "0.12346");
        assert_eq!(figure(Some(6.380_123)), "6.3801");
        assert_eq!(figure(Some(1234.567)), "1234.6");
        assert_eq!(figure(Some(0.0)), "0");
        assert_eq!(figure(Some(1e-7)), "1.000e-7");
        assert_eq!(figure(None), "-");
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(duration(125.0), "2 min 05 s");
        assert_eq!(size(1536), "1.5 KiB");
    }

    #[test]
    fn weights_have_two_decimals_and_two_digits() {
        let texts = [-0.314_f32, 0.042, 0.004_21, 12.345, 3e-7, 0.0, -2e9, 0.0996].map(weight);
        assert_eq!(texts, ["-0.31", "+0.042", "+0.0042", "+12.35", "+3.0e-7", "0", "-2.0e9", "+0.100"]);
        assert_eq!([0.25, -1.5e-8].map(signed_figure), ["+0.25000", "-1.500e-8"]);
    }

    #[test]
    fn percentages_keep_what_can_be_read() {
        let shares = [0.09, 0.003, 0.0004, 1.0, 0.0, 0.0096, 0.999, 0.5, 0.994];
        assert_eq!(shares.map(percent), ["9%", "0.3%", "<0.1%", "100%", "0%", "1%", ">99%", "50%", "99%"]);
    }

    #[test]
    fn tables_line_up() {
        let rows = vec![vec!["a".to_owned(), "1".to_owned()], vec!["long".to_owned(), "22".to_owned()]];
        assert_eq!(table(&["name", "n"], &rows), "name   n\na      1\nlong  22\n");
    }
}
