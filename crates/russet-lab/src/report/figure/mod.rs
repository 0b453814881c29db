//! The figures, one file for each kind.

mod bars;
mod distribution;
mod legend;
mod shape;
mod tradeoff;

use super::measures::{Measure, costly, counted, widest};
use super::series::APPLE;
use super::svg::{Figure, Point, Svg};
use crate::study::{Results, SetResults};

/// How many sets the detailed bars show.
pub(super) const WIDEST: usize = 6;

/// All figures of a study.
pub(super) struct Figures {
    /// Median and quartiles of error against time.
    pub(super) tradeoff: Figure,
    /// Distributions of relative error and time over all sets.
    pub(super) distributions: [Figure; 2],
    /// The same over the sets on which products cost.
    pub(super) costly: [Figure; 2],
    /// Relative error and time on the sets with the most features an example.
    pub(super) widest: [Figure; 2],
    /// Relative error, relative time and features an example on all sets.
    pub(super) all: [Figure; 3],
}

impl Figures {
    /// Draws them.
    pub(super) fn draw(results: &Results) -> Figures {
        let sets = by_success(counted(results));
        let (dear, wide) = (costly(&sets), widest(&sets, WIDEST));
        Figures {
            tradeoff: tradeoff::draw(&sets),
            distributions: [
                distribution::draw("cdf-error", Measure::Error, &sets),
                distribution::draw("cdf-time", Measure::Time, &sets),
            ],
            costly: [
                distribution::draw("cdf-error-costly", Measure::Error, &dear),
                distribution::draw("cdf-time-costly", Measure::Time, &dear),
            ],
            widest: [
                bars::draw("widest-error", Measure::Error, &wide, &bars::LARGE),
                bars::draw("widest-time", Measure::Time, &wide, &bars::LARGE),
            ],
            all: [
                bars::draw("all-error", Measure::Error, &sets, &bars::SMALL),
                bars::draw("all-time", Measure::Time, &sets, &bars::SMALL),
                bars::draw("all-features", Measure::Features, &sets, &bars::SMALL),
            ],
        }
    }

    /// Every one of them, in the page's order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Figure> {
        let Figures { tradeoff, distributions, costly, widest, all } = self;
        [tradeoff].into_iter().chain(distributions).chain(costly).chain(widest).chain(all)
    }
}

/// The sets on which apple does best first: figures then read from where it wins to where it loses.
fn by_success(mut sets: Vec<&SetResults>) -> Vec<&SetResults> {
    let error = |set: &SetResults| Measure::Error.value(&APPLE, set).unwrap_or(f64::INFINITY);
    sets.sort_by(|a, b| error(a).total_cmp(&error(b)).then_with(|| a.name.cmp(&b.name)));
    sets
}

/// The part of a drawing in which values have places.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    /// The place of shares of the width, from the left, and of the height, from below.
    fn at(&self, right: f64, up: f64) -> Point {
        (self.left + right * self.width, self.top + (1.0 - up) * self.height)
    }

    /// A line across, at a share of the height.
    fn across(&self, svg: &mut Svg, class: &str, up: f64) {
        svg.line(class, self.at(0.0, up), self.at(1.0, up));
    }

    /// A line from bottom to top, at a share of the width.
    fn upright(&self, svg: &mut Svg, class: &str, right: f64) {
        svg.line(class, self.at(right, 0.0), self.at(right, 1.0));
    }
}
