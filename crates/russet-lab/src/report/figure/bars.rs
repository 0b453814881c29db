//! Bars of one quantity: a small panel for each data set, in it a bar for each method.

use super::Frame;
use super::legend::{self, Key};
use crate::report::measures::Measure;
use crate::report::scale::Scale;
use crate::report::series::{BARS, Series};
use crate::report::svg::{Anchor, Figure, Mark, Svg};
use crate::report::text::{fixed, number};
use crate::study::SetResults;

/// How panels are laid out.
pub(super) struct Layout {
    columns: usize,
    panel: (f64, f64),
    gap: (f64, f64),
    /// Whether bars have their values written at their ends.
    values: bool,
}

/// For a few sets.
pub(super) const LARGE: Layout = Layout { columns: 3, panel: (318.0, 170.0), gap: (28.0, 62.0), values: true };
/// For all sets.
pub(super) const SMALL: Layout = Layout { columns: 6, panel: (154.0, 104.0), gap: (20.0, 38.0), values: false };

const LEFT: f64 = 48.0;

/// The bars of `sets`, in their order.
pub(super) fn draw(key: &'static str, measure: Measure, sets: &[&SetResults], layout: &Layout) -> Figure {
    let rows = sets.len().div_ceil(layout.columns).max(1) as f64;
    let width = LEFT + layout.columns as f64 * (layout.panel.0 + layout.gap.0);
    let head = if layout.values { 24.0 } else { 10.0 };
    let top = 46.0 + head;
    let mut svg = Svg::new(width, top + rows * (layout.panel.1 + layout.gap.1) - layout.gap.1 + 18.0);
    legend::draw(&mut svg, &BARS, Key::Square, (LEFT, 0.0), width - LEFT);
    svg.text("axis", (width - layout.gap.0, 11.0), Anchor::End, caption(measure));
    let scale = scale(measure, sets);
    for (place, set) in sets.iter().enumerate() {
        let (column, row) = ((place % layout.columns) as f64, (place / layout.columns) as f64);
        let left = LEFT + column * (layout.panel.0 + layout.gap.0);
        let top = top + row * (layout.panel.1 + layout.gap.1);
        let frame = Frame { left, top, width: layout.panel.0, height: layout.panel.1 };
        panel(&mut svg, &frame, &scale, column == 0.0);
        svg.text("name", (left, top - head), Anchor::Start, &set.name);
        let panel = Panel { measure, frame, scale, origin: scale.place(origin(measure)), values: layout.values };
        panel.bars(&mut svg, set);
    }
    svg.finish(key, format!("{}: a panel for each of {} data sets, a bar for each method", title(measure), sets.len()))
}

fn title(measure: Measure) -> &'static str {
    match measure {
        Measure::Error => "Relative error",
        Measure::Time => "Relative time",
        Measure::Features => "Features an example",
    }
}

fn caption(measure: Measure) -> &'static str {
    match measure {
        Measure::Error => "relative error: 0 = best of lin, quad and cubic",
        Measure::Time => "training time over that of lin (logarithmic)",
        Measure::Features => "active features an example (logarithmic)",
    }
}

/// A value where there is little room.
fn short(value: f64) -> String {
    if value.abs() < 9.995 { fixed(value, 2) } else { number(value) }
}

/// Where bars begin.
fn origin(measure: Measure) -> f64 {
    if measure == Measure::Error { 0.0 } else { 1.0 }
}

fn scale(measure: Measure, sets: &[&SetResults]) -> Scale {
    let values: Vec<f64> =
        BARS.iter().flat_map(|series| sets.iter().filter_map(|set| measure.value(series, set))).collect();
    if measure == Measure::Error { Scale::for_errors(&values, (-1.0, 1.5)) } else { Scale::for_ratios(&values) }
}

fn panel(svg: &mut Svg, frame: &Frame, scale: &Scale, with_texts: bool) {
    for (value, text) in scale.ticks() {
        frame.across(svg, "grid", scale.place(value));
        if with_texts {
            let (x, y) = frame.at(0.0, scale.place(value));
            svg.text("tick", (x - 8.0, y + 4.0), Anchor::End, &text);
        }
    }
}

struct Panel {
    measure: Measure,
    frame: Frame,
    scale: Scale,
    origin: f64,
    values: bool,
}

impl Panel {
    fn bars(&self, svg: &mut Svg, set: &SetResults) {
        for (place, series) in BARS.iter().enumerate() {
            match self.measure.value(series, set) {
                Some(value) => self.bar(svg, place, series, set, value),
                None => self.missing(svg, place, series),
            }
        }
        self.frame.across(svg, "zero", self.origin);
    }

    /// The left edge and the width of a bar.
    fn band(&self, place: usize) -> (f64, f64) {
        let step = self.frame.width / BARS.len() as f64;
        (self.frame.left + step * (place as f64 + 0.09), step * 0.82)
    }

    fn bar(&self, svg: &mut Svg, place: usize, series: &Series, set: &SetResults, value: f64) {
        let (left, width) = self.band(place);
        let (from, to) = (self.frame.at(0.0, self.origin).1, self.frame.at(0.0, self.scale.place(value)).1);
        // A bar of no height would not be seen.
        let (top, height) = if (from - to).abs() < 2.0 { (from - 1.5, 3.0) } else { (from.min(to), (from - to).abs()) };
        let Frame { top: frame_top, height: frame_height, .. } = self.frame;
        let mut drawn = format!(
            r#"<rect class="hit" x="{left:.1}" y="{frame_top:.1}" width="{width:.1}" height="{frame_height:.1}"/><rect class="bar" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
        );
        if self.scale.is_beyond(value) {
            drawn.push_str(&self.arrow(left + width / 2.0, to, value > 0.0));
        }
        let title = format!("{} · {}\n{}", series.label, set.name, self.describe(value));
        svg.mark(&Mark { set: Some(&set.name), series, value, title }, &drawn);
        if self.values {
            let beyond = if self.scale.is_beyond(value) { 6.0 } else { 0.0 };
            let y = if to <= from { to.min(from - 1.5) - beyond - 4.0 } else { to + beyond + 12.0 };
            svg.text("value", (left + width / 2.0, y), Anchor::Middle, &short(value));
        }
    }

    /// An arrow at the end of a bar that goes on beyond the panel.
    fn arrow(&self, x: f64, y: f64, upward: bool) -> String {
        let tip = if upward { y - 6.0 } else { y + 6.0 };
        format!(r#"<path class="more" d="M{:.1} {y:.1}H{:.1}L{x:.1} {tip:.1}Z"/>"#, x - 4.5, x + 4.5)
    }

    fn describe(&self, value: f64) -> String {
        match self.measure {
            Measure::Error => format!("relative error {}", number(value)),
            Measure::Time => format!("{} times lin’s time", number(value)),
            Measure::Features => format!("{} features an example", number(value)),
        }
    }

    fn missing(&self, svg: &mut Svg, place: usize, series: &Series) {
        let (left, width) = self.band(place);
        let (x, y) = (left + width / 2.0, self.frame.at(0.0, self.origin).1 - 4.0);
        svg.raw(&format!(
            r#"<text class="missing" x="{x:.1}" y="{y:.1}" text-anchor="middle"><title>{}: not run, or not known</title>×</text>"#,
            series.label
        ));
    }
}
