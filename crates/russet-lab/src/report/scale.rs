//! From values to places along an axis.

use super::text::{decimals, fixed};

/// An axis: values between two ends, evenly or by their logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// Evenly from one value to another.
    pub(super) fn linear(from: f64, to: f64) -> Scale {
        Scale { from, to, logarithmic: false }
    }

    /// By logarithm, over values that are all above 0.
    pub(super) fn logarithmic(from: f64, to: f64) -> Scale {
        Scale { from, to, logarithmic: true }
    }

    /// An axis for relative errors: from 0 to 1 at least, wider where they are, but not beyond the limits. A single wild
    /// value must not flatten all others.
    pub(super) fn for_errors(values: &[f64], (low, high): (f64, f64)) -> Scale {
        let lowest = values.iter().copied().fold(0.0, f64::min).max(low);
        let highest = values.iter().copied().fold(1.0, f64::max).min(high);
        Scale::linear((lowest * 4.0).floor() / 4.0, (highest * 4.0).ceil() / 4.0 + 0.05)
    }

    /// A logarithmic axis for values, around 1, with a little room at both ends.
    pub(super) fn for_ratios(values: &[f64]) -> Scale {
        let usable = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
        Scale::logarithmic(usable().fold(1.0, f64::min) / 1.15, usable().fold(2.0, f64::max) * 1.15)
    }

    /// Where a value stands, from 0 to 1; values beyond an end stand at that end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let axis = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        ((axis(value) - axis(self.from)) / (axis(self.to) - axis(self.from))).clamp(0.0, 1.0)
    }

    /// Whether a value is beyond an end.
    pub(super) fn is_beyond(&self, value: f64) -> bool {
        value < self.from || value > self.to
    }

    /// Values to write at the axis, about seven, with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.logarithmic { self.powers() } else { self.steps() }
    }

    fn steps(&self) -> Vec<(f64, String)> {
        let wanted = (self.to - self.from) / 7.0;
        let unit = 10f64.powf(wanted.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0].map(|times| times * unit).into_iter().find(|step| *step >= wanted);
        let step = step.unwrap_or(10.0 * unit);
        let places = decimals(step, if (step / unit - 2.5).abs() < 0.1 { 2 } else { 1 });
        let (first, last) = ((self.from / step).ceil() as i64, (self.to / step + 1e-9).floor() as i64);
        (first..=last).map(|tick| tick as f64 * step).map(|value| (value, fixed(value, places))).collect()
    }

    fn powers(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.from.log10().floor() as i32, self.to.log10().ceil() as i32);
        let factors: &[f64] = match self.to.log10() - self.from.log10() {
            decades if decades < 1.6 => &[1.0, 2.0, 5.0],
            decades if decades < 2.6 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let values = (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
        let inside = values.filter(|value| !self.is_beyond(*value));
        inside.map(|value| (value, fixed(value, decimals(value, 1)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn places_are_clamped() {
        let scale = Scale::linear(-1.0, 1.0);
        assert_eq!([-5.0, -1.0, 0.0, 1.0, f64::INFINITY].map(|value| scale.place(value)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(scale.is_beyond(f64::NEG_INFINITY) && !scale.is_beyond(1.0));
        assert_eq!(Scale::logarithmic(1.0, 100.0).place(10.0), 0.5);
        assert_eq!(Scale::logarithmic(1.0, 100.0).place(0.0), 0.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(Scale::linear(-0.5, 1.0)), ["−0.50", "−0.25", "0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(texts(Scale::linear(0.0, 22.0)), ["0", "5", "10", "15", "20"]);
        assert_eq!(texts(Scale::logarithmic(0.8, 12_000.0)), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(texts(Scale::logarithmic(0.4, 6.0)), ["0.5", "1", "2", "5"]);
    }

    #[test]
    fn axes_fit_their_values_within_limits() {
        assert_eq!(Scale::for_errors(&[0.2, 0.7], (-1.0, 2.0)), Scale::linear(0.0, 1.05));
        assert_eq!(Scale::for_errors(&[-9.0, f64::INFINITY], (-1.0, 2.0)), Scale::linear(-1.0, 2.05));
        assert!(!Scale::for_ratios(&[0.5, 3.0, f64::INFINITY]).is_beyond(3.0));
        assert!(!Scale::for_ratios(&[]).is_beyond(1.0));
    }
}
