//! What a person watches while a model trains: a live line on a terminal, rows of a table otherwise.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use russet::classes::Learners;
use russet::metrics::Tally;
use russet_data::Progress;

use crate::output::{duration, figure, note, thousands};

/// The first row comes after this many examples, each next one after twice as many.
const FIRST_ROW: u64 = 128;

/// How often a live line changes.
const LIVE_EVERY: Duration = Duration::from_millis(100);

/// The display of progressive validation.
pub(crate) struct Board {
    style: Style,
    passes: u32,
    pass: u32,
    progress: Option<Progress>,
    started: Instant,
    updated: Instant,
    /// How many examples had been learned when this run began.
    learned_before: u64,
    at_last_row: Tally,
    next_row: u64,
    header_shown: bool,
}

enum Style {
    Silent,
    Rows,
    Live(ProgressBar),
}

impl Board {
    /// `tally` is what the model has learned before.
    pub(crate) fn new(quiet: bool, passes: u32, tally: Tally) -> Board {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Live(live_bar()),
            (false, false) => Style::Rows,
        };
        let mut next_row = FIRST_ROW;
        while next_row <= tally.examples && next_row < 1 << 62 {
            next_row *= 2;
        }
        Board {
            style,
            passes,
            pass: 0,
            progress: None,
            started: Instant::now(),
            updated: Instant::now(),
            learned_before: tally.examples,
            at_last_row: tally,
            next_row,
            header_shown: false,
        }
    }

    pub(crate) fn begin_pass(&mut self, pass: u32, progress: Progress) {
        self.pass = pass;
        self.progress = Some(progress);
    }

    /// After how many examples, counted over the model's life, the next row is due.
    pub(crate) fn next_row(&self) -> u64 {
        self.next_row
    }

    /// Shows a row, and settles when the next one comes.
    pub(crate) fn row(&mut self, learners: &Learners) {
        if let Style::Rows = self.style {
            self.print_row(learners);
        }
        self.at_last_row = learners.tally();
        self.next_row *= 2;
    }

    /// True if somebody watches.
    pub(crate) fn is_seen(&self) -> bool {
        !matches!(self.style, Style::Silent)
    }

    /// True if there is a live line, and it has not changed for a while.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self.style, Style::Live(_)) && self.updated.elapsed() >= LIVE_EVERY
    }

    /// Shows where things stand, if there is a live line.
    pub(crate) fn update(&mut self, learners: &Learners) {
        self.updated = Instant::now();
        if let Style::Live(bar) = &self.style {
            let fraction = self.fraction().unwrap_or(0.0);
            bar.set_position((fraction * 1000.0) as u64);
            let cells = self.cells(learners);
            let [examples, loss, last, error, features, speed, left] = cells.each_ref().map(|cell| cell.trim());
            bar.set_message(format!(
                "{examples} examples  loss {loss} (last {last})  error {error}  {features} features  {speed}/s  left {left}"
            ));
        }
    }

    /// Ends the display.
    pub(crate) fn finish(&mut self) {
        if let Style::Live(bar) = &self.style {
            bar.finish_and_clear();
        }
    }

    fn print_row(&mut self, learners: &Learners) {
        const WIDTHS: [usize; 7] = [12, 10, 10, 10, 9, 11, 12];
        let line = |cells: &[String; 7]| {
            let padded = cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
            padded.collect::<String>()
        };
        if !self.header_shown {
            let header = ["examples", "loss", "since last", "error", "features", "examples/s", "left"];
            note(line(&header.map(|word| format!(" {word}"))));
            self.header_shown = true;
        }
        note(line(&self.cells(learners).map(|cell| format!(" {cell}"))));
    }

    fn cells(&self, learners: &Learners) -> [String; 7] {
        let tally = learners.tally();
        let since = tally.since(&self.at_last_row);
        let seconds = self.started.elapsed().as_secs_f64();
        let learned = tally.examples - self.learned_before;
        let left = self.fraction().filter(|fraction| *fraction > 0.0).map(|done| seconds * (1.0 - done) / done);
        [
            thousands(tally.examples),
            figure(tally.mean_loss()),
            figure(since.mean_loss()),
            figure(learners.progressive_error()),
            tally.features_per_example().map_or("-".to_owned(), |features| format!("{features:.1}")),
            thousands((learned as f64 / seconds.max(1e-6)) as u64),
            left.map_or("-".to_owned(), duration),
        ]
    }

    /// The share of the whole course that has been read.
    fn fraction(&self) -> Option<f64> {
        let of_pass = self.progress.as_ref()?.fraction()?;
        Some((f64::from(self.pass) + of_pass) / f64::from(self.passes))
    }
}

fn live_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1000).with_style(style)
}
