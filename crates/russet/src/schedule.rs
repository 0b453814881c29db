//! When the feature set grows.

use serde::{Deserialize, Serialize};

/// Epochs over a course: at the end of each but the last, the feature set grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schedule {
    /// How many epochs there are.
    epochs: u32,
    /// How many examples the whole course has, if that is known.
    length: Option<u64>,
}

/// Where the length is not known, the first epoch has this many examples, and each later one twice as many as the
/// one before it.
const FIRST_EPOCH: u64 = 1 << 10;

impl Schedule {
    /// Equally spaced epochs over a course of `length` examples; growing ones if it is not known.
    pub(crate) fn new(epochs: u32, length: Option<u64>) -> Schedule {
        Schedule { epochs, length }
    }

    /// How many examples the whole course has, if that is known.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length
    }

    /// The factor of the learning rate for the `seen`-th example: over the last half of the last epoch it falls from 1
    /// to `lowest` in a straight line. New products have learned the most by then; what smaller steps still take away
    /// is the noise of the last examples. 1 where the length is not known or nothing grows, and for what is learned
    /// after the course.
    pub(crate) fn cooled(&self, seen: u64, lowest: f32) -> f32 {
        let grows = self.epochs > 1;
        let Some(length) = self.length.filter(|length| grows && seen <= *length) else { return 1.0 };
        let half_epoch = length as f64 / f64::from(self.epochs) / 2.0;
        let left = (length - seen) as f64 / half_epoch;
        (left as f32).clamp(lowest, 1.0)
    }

    /// After how many examples the learning rate begins to fall, if it does: see [`Schedule::cooled`].
    pub(crate) fn cooling(&self) -> Option<u64> {
        let length = self.length.filter(|_| self.epochs > 1)?;
        Some(length - length / (2 * u64::from(self.epochs)))
    }

    /// After how many examples the epoch that follows `grown` growths ends with another, if it does.
    ///
    /// Equal epochs of `floor(length / epochs)` leave a whole one after the last growth; a course with fewer examples than
    /// epochs grows less often. Where the length is not known, the end may come at any time.
    pub(crate) fn next_growth(&self, grown: u32) -> Option<u64> {
        if grown + 1 >= self.epochs {
            return None;
        }
        let Some(length) = self.length else {
            // Past the range of numbers the set does not grow any more.
            return Some(FIRST_EPOCH.saturating_mul(1u64.checked_shl(grown + 1).unwrap_or(u64::MAX) - 1));
        };
        let epoch = (length / u64::from(self.epochs)).max(1);
        let growth = epoch * u64::from(grown + 1);
        (growth + epoch <= length).then_some(growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_epochs_leave_a_whole_one_at_the_end() {
        let schedule = Schedule::new(6, Some(600));
        let growths: Vec<_> = (0..6).map(|grown| schedule.next_growth(grown)).collect();
        assert_eq!(growths, [Some(100), Some(200), Some(300), Some(400), Some(500), None]);
    }

    #[test]
    fn a_whole_epoch_follows_the_last_growth_whatever_the_length() {
        for length in 0..100 {
            for epochs in 1..9 {
                let schedule = Schedule::new(epochs, Some(length));
                let growths: Vec<u64> = (0..epochs).map_while(|grown| schedule.next_growth(grown)).collect();
                let epoch = growths.first().copied().unwrap_or(0);
                assert!(growths.iter().enumerate().all(|(k, growth)| *growth == epoch * (k as u64 + 1)));
                assert!(growths.last().is_none_or(|last| last + epoch <= length), "{length} {epochs}");
                assert_eq!(growths.len() as u64, (u64::from(epochs) - 1).min(length.saturating_sub(1)));
            }
        }
    }

    #[test]
    fn the_rate_falls_over_the_last_half_epoch() {
        let schedule = Schedule::new(6, Some(600));
        let rates = [1, 500, 550, 575, 590, 600, 601].map(|seen| schedule.cooled(seen, 0.25));
        assert_eq!(rates, [1.0, 1.0, 1.0, 0.5, 0.25, 0.25, 1.0]);
        assert_eq!(schedule.cooling(), Some(550));
        assert_eq!(Schedule::new(6, None).cooled(600, 0.25), 1.0);
        assert_eq!((Schedule::new(6, None).cooling(), Schedule::new(1, Some(600)).cooling()), (None, None));
        assert_eq!(Schedule::new(1, Some(600)).cooled(600, 0.25), 1.0);
    }

    #[test]
    fn one_epoch_never_grows() {
        assert_eq!(Schedule::new(1, Some(600)).next_growth(0), None);
    }

    #[test]
    fn without_a_length_epochs_grow() {
        let schedule = Schedule::new(4, None);
        let growths: Vec<_> = (0..4).map(|grown| schedule.next_growth(grown)).collect();
        assert_eq!(growths, [Some(1024), Some(3072), Some(7168), None]);
        assert_eq!(Schedule::new(1000, None).next_growth(900), Some(u64::MAX));
    }
}
