//! The paper's two large tables: test errors and running times.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::measures::Baselines;
use super::series::{APPLE_BEST, Series};

/// What the paper reports of one data set, in the order of [`Tables::columns`].
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Row {
    /// Test errors.
    pub(super) error: Vec<f64>,
    /// Seconds of training.
    pub(super) seconds: Vec<f64>,
}

/// Both tables. The alpha columns are named by what they must be: the printed labels are reversed.
#[derive(Debug, Deserialize)]
pub(super) struct Tables {
    columns: Vec<String>,
    /// By the paper's name of the data set.
    pub(super) sets: BTreeMap<String, Row>,
}

/// Our names of the paper's sets, where they differ.
const RENAMED: [(&str, &str); 1] = [("comp_activ", "comp")];

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| serde_json::from_str(include_str!("paper.json")).expect("paper.json is part of this crate"));

/// The paper's tables.
pub(super) fn tables() -> &'static Tables {
    &TABLES
}

impl Tables {
    /// The paper's row of a data set, by our name of it.
    pub(super) fn row(&self, name: &str) -> Option<&Row> {
        let renamed = RENAMED.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| theirs);
        self.sets.get(renamed)
    }

    /// Where a series stands in a row.
    pub(super) fn column(&self, series: &Series) -> Option<usize> {
        let name = series.key.replace('-', "_");
        self.columns.iter().position(|column| *column == name)
    }

    /// The error and the seconds of a series on a data set, by our name of it.
    pub(super) fn figures(&self, name: &str, series: &Series) -> Option<(f64, f64)> {
        let row = self.row(name)?;
        let column = if *series == APPLE_BEST { row.best() } else { self.column(series) }?;
        Some((row.error[column], row.seconds[column]))
    }
}

impl Row {
    /// The paper's baselines on this set: the first three columns.
    pub(super) fn baselines(&self) -> Baselines {
        Baselines::new(self.error[0], self.seconds[0], &self.error[1..3])
    }

    /// The column of apple with the lowest error, of equals the fastest.
    fn best(&self) -> Option<usize> {
        let order = |column: &usize| (self.error[*column], self.seconds[*column]);
        (3..self.error.len()).min_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(Ordering::Equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::series::{APPLE, BARS, VW_APPLE};

    #[test]
    fn every_row_has_every_column() {
        assert_eq!(tables().sets.len(), 30);
        let complete = |row: &Row| row.error.len() == 8 && row.seconds.len() == 8;
        assert!(tables().sets.values().all(complete));
        assert!(BARS.iter().enumerate().all(|(place, series)| tables().column(series) == Some(place)));
        assert_eq!(tables().column(&VW_APPLE), None);
    }

    #[test]
    fn sets_are_found_by_our_names() {
        assert_eq!(tables().figures("comp_activ", &APPLE), Some((0.00207, 0.156)));
        assert_eq!(tables().figures("comp_activ", &APPLE_BEST), Some((0.002_038, 0.108)));
        assert_eq!(tables().figures("titanic", &APPLE_BEST), Some((0.2136, 0.028)), "the fastest of equals");
        assert!(tables().row("cup98_donor").is_none(), "other data than the paper's cup98");
    }
}
