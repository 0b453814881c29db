//! Losses: what a prediction costs, its slope, and the importance-aware step.
//!
//! Symbols: `p` the prediction, `y` the label, `h` the learning rate times the example's importance, `u` the
//! sensitivity, that is by how much the prediction moves for a step of 1. A step `a` takes the prediction
//! from `p` to `p + a u`. The *importance-aware* step follows the gradient for the whole of `h`, slope by slope,
//! as if the example were presented in infinitely many infinitely small parts (Karampatziakis and Langford,
//! 2011); so it never overshoots the label. It solves `dp/dh = -u slope(p)`.

use serde::{Deserialize, Serialize};

/// The losses by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// `(p - y)^2`
    #[default]
    Squared,
    /// `ln(1 + exp(-y p))`, labels -1 and 1
    Logistic,
    /// `max(0, 1 - y p)`, labels -1 and 1
    Hinge,
    /// `tau (y - p)` above the prediction, `(1 - tau)(p - y)` below it
    Quantile,
}

impl LossKind {
    /// True for the losses that know only two labels, -1 and 1 (0 is read as -1).
    pub fn needs_two_classes(self) -> bool {
        matches!(self, LossKind::Logistic | LossKind::Hinge)
    }

    /// The loss's name on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::Squared => "squared",
            LossKind::Logistic => "logistic",
            LossKind::Hinge => "hinge",
            LossKind::Quantile => "quantile",
        }
    }
}

/// A loss as the learner's inner loop sees it.
pub trait Loss: Copy {
    /// The loss of predicting `p` for `y`: in double precision, as squares of large labels pass the range of f32.
    fn value(self, p: f32, y: f32) -> f64;

    /// The derivative of the loss by the prediction.
    fn slope(self, p: f32, y: f32) -> f32;

    /// The importance-aware step `a`.
    fn step(self, p: f32, y: f32, h: f32, u: f32) -> f32;
}

/// `(p - y)^2`
#[derive(Clone, Copy, Debug)]
pub struct Squared;

impl Loss for Squared {
    fn value(self, p: f32, y: f32) -> f64 {
        let error = f64::from(p) - f64::from(y);
        error * error
    }

    fn slope(self, p: f32, y: f32) -> f32 {
        2.0 * (p - y)
    }

    /// `a = (y - p) (1 - exp(-2 h u)) / u`, which is `2 h (y - p) (1 - exp(-z)) / z` with `z = 2 h u`
    #[inline(always)]
    fn step(self, p: f32, y: f32, h: f32, u: f32) -> f32 {
        // An infinite `h` would make nothing of the step that leads to the label.
        let whole = 2.0 * f64::from(h.min(f32::MAX));
        (whole * f64::from(y - p) * share(whole * f64::from(u))) as f32
    }
}

/// `(1 - exp(-z)) / z` for `z >= 0`, to all digits of single precision: what is left of a step as it nears the label.
///
/// Most steps are small: there a power series does, in a third of the time of expm1, and without a division, which the weights
/// would wait for. From a part of `z` it takes four doublings to come to steps of middle size: `1 - exp(-2 z) = s (2 - s)` with
/// `s = 1 - exp(-z)`, and relative errors do not grow.
#[inline(always)]
fn share(z: f64) -> f64 {
    if z <= SMALL_STEP { small_share(z) } else { large_share(z) }
}

/// Up to this the power series is exact to 1e-11.
const SMALL_STEP: f64 = 0.25;

/// [`share`] by the power series up to `z^7 / 8!`.
#[inline(always)]
fn small_share(z: f64) -> f64 {
    let square = z * z;
    let low = (1.0 - z * (1.0 / 2.0)) + square * (1.0 / 6.0 - z * (1.0 / 24.0));
    let high = (1.0 / 120.0 - z * (1.0 / 720.0)) + square * (1.0 / 5040.0 - z * (1.0 / 40320.0));
    low + square * square * high
}

#[inline(never)]
fn large_share(z: f64) -> f64 {
    if z > 16.0 * SMALL_STEP {
        return -libm::expm1(-z) / z;
    }
    let part = z / 16.0;
    let mut saturation = part * small_share(part);
    for _ in 0..4 {
        saturation *= 2.0 - saturation;
    }
    saturation / z
}

/// `ln(1 + exp(-y p))`
#[derive(Clone, Copy, Debug)]
pub struct Logistic;

/// `24 ln 2`: for margins above, `1 + exp(-margin)` is 1 in single precision.
const CERTAIN: f32 = 16.635_532;

impl Loss for Logistic {
    fn value(self, p: f32, y: f32) -> f64 {
        let margin = f64::from(y * p);
        // Both branches keep the argument of exp negative, so nothing overflows.
        if margin > 0.0 { libm::log1p(libm::exp(-margin)) } else { libm::log1p(libm::exp(margin)) - margin }
    }

    /// `-y / (1 + exp(y p))`; 0 where the loss is 0 in single precision, so that a sure and right prediction
    /// changes nothing.
    fn slope(self, p: f32, y: f32) -> f32 {
        if y * p > CERTAIN {
            return 0.0;
        }
        (-f64::from(y) / (1.0 + libm::exp(f64::from(y * p)))) as f32
    }

    /// With the margin `q = y p`, the path obeys `q + e^q = q0 + e^q0 + h u`, solved by Newton's method.
    fn step(self, p: f32, y: f32, h: f32, u: f32) -> f32 {
        let (y, h, u) = (f64::from(y), f64::from(h), f64::from(u));
        let margin = y * f64::from(p);
        if h * u < 1e-6 {
            return (y * h / (1.0 + libm::exp(margin))) as f32;
        }
        (y * (margin_after(margin, h * u) - margin) / u) as f32
    }
}

/// Solves `q + e^q = q0 + e^q0 + distance` for `q >= q0` by Newton's method.
///
/// The left side is convex and increasing, so from a start above the root every iterate stays above it and
/// falls. Such starts: `q0 + distance / (1 + e^q0)` (the tangent at q0), and `ln(right side)` where that is
/// positive, `right side` otherwise. The smaller is taken, and a fixed count of steps suffices for all digits.
fn margin_after(start: f64, distance: f64) -> f64 {
    // From e^50 on, doubles no longer see the change; predictions are clipped there as well.
    if start > 50.0 {
        return start;
    }
    let target = start + libm::exp(start) + distance;
    let tangent = start + distance / (1.0 + libm::exp(start));
    let outer = if target > 1.0 { libm::log(target).max(start) } else { target };
    let mut margin = tangent.min(outer.max(start));
    for _ in 0..8 {
        let power = libm::exp(margin);
        margin -= (margin + power - target) / (1.0 + power);
    }
    margin.max(start)
}

/// `max(0, 1 - y p)`
#[derive(Clone, Copy, Debug)]
pub struct Hinge;

impl Loss for Hinge {
    fn value(self, p: f32, y: f32) -> f64 {
        (1.0 - f64::from(y) * f64::from(p)).max(0.0)
    }

    fn slope(self, p: f32, y: f32) -> f32 {
        if y * p >= 1.0 { 0.0 } else { -y }
    }

    /// `a = y min(h, (1 - y p) / u)`
    fn step(self, p: f32, y: f32, h: f32, u: f32) -> f32 {
        let gap = (1.0 - y * p).max(0.0);
        if h * u <= gap { y * h } else { y * gap / u }
    }
}

/// `tau (y - p)` above the prediction, `(1 - tau)(p - y)` below it
#[derive(Clone, Copy, Debug)]
pub struct Quantile {
    /// Which quantile of the labels is predicted, between 0 and 1.
    pub tau: f32,
}

impl Loss for Quantile {
    fn value(self, p: f32, y: f32) -> f64 {
        let error = f64::from(y) - f64::from(p);
        let tau = f64::from(self.tau);
        if error > 0.0 { tau * error } else { (tau - 1.0) * error }
    }

    fn slope(self, p: f32, y: f32) -> f32 {
        if y == p {
            0.0
        } else if y > p {
            -self.tau
        } else {
            1.0 - self.tau
        }
    }

    /// At most as far as the label: `a = -slope h`, or `(y - p) / u` if that would pass it.
    fn step(self, p: f32, y: f32, h: f32, u: f32) -> f32 {
        let pull = -self.slope(p, y) * h;
        if (pull * u).abs() < (y - p).abs() { pull } else { (y - p) / u }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The importance-aware step by its definition: many small plain steps.
    fn small_steps(loss: impl Loss, mut p: f64, y: f32, h: f64, u: f64) -> f64 {
        let (start, parts) = (p, 200_000);
        for _ in 0..parts {
            p -= f64::from(loss.slope(p as f32, y)) * u * h / f64::from(parts);
        }
        (p - start) / u
    }

    fn agrees(loss: impl Loss, p: f32, y: f32, h: f32, u: f32) {
        let expected = small_steps(loss, p.into(), y, h.into(), u.into());
        let found = f64::from(loss.step(p, y, h, u));
        let tolerance = 2e-3 * (1.0 + expected.abs());
        assert!((found - expected).abs() < tolerance, "p {p} y {y} h {h} u {u}: {found}, expected {expected}");
    }

    #[test]
    fn steps_follow_their_definition() {
        for (h, u) in [(0.5, 0.2), (3.0, 1.5), (0.01, 4.0)] {
            for p in [-1.3, -0.2, 0.0, 0.7, 2.0] {
                agrees(Squared, p, 0.4, h, u);
                agrees(Quantile { tau: 0.3 }, p, 0.4, h, u);
                for y in [-1.0, 1.0] {
                    agrees(Logistic, p, y, h, u);
                    agrees(Hinge, p, y, h, u);
                }
            }
        }
    }

    /// Was 0 times infinity, and so no step at all.
    #[test]
    fn an_infinite_rate_leads_to_the_label() {
        for h in [f32::INFINITY, f32::MAX] {
            assert!((Squared.step(0.25, 1.0, h, 0.5) - 1.5).abs() < 1e-6);
        }
    }

    #[test]
    fn tiny_steps_are_plain_gradient_steps() {
        assert!((Squared.step(0.0, 1.0, 1e-9, 1.0) / 2e-9 - 1.0).abs() < 1e-5);
        assert!((Logistic.step(0.0, 1.0, 1e-9, 1.0) / 0.5e-9 - 1.0).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn the_share_is_one_minus_exp_over_z(z in 0f64..6.0) {
            prop_assert!((share(z) * z + libm::expm1(-z)).abs() <= 1e-10 * z.min(1.0));
        }

        #[test]
        fn no_step_passes_the_label(p in -50f32..50.0, y in -50f32..50.0, h in 0f32..1e6, u in 1e-6f32..1e6) {
            for step in [Squared.step(p, y, h, u), Quantile { tau: 0.7 }.step(p, y, h, u)] {
                prop_assert!((step * u).abs() <= (y - p).abs() * 1.0001 && step * (y - p) >= 0.0);
            }
        }

        #[test]
        fn logistic_lands_on_its_equation(p in -50f32..50.0, h in 0f32..1e6, u in 1e-3f32..1e3) {
            let start = f64::from(p);
            let distance = f64::from(h) * f64::from(u);
            let after = margin_after(start, distance);
            prop_assert!(after >= start && after.is_finite());
            if start < 30.0 {
                let (left, right) = (after + after.exp(), start + start.exp() + distance);
                prop_assert!((left - right).abs() <= 1e-9 * (1.0 + right.abs()), "{left} {right}");
            }
        }
    }
}
