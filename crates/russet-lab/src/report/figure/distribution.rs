//! Distributions over data sets: at `(a, b)`, the value was at most `a` on `b` sets.

use super::Frame;
use super::legend::{self, Key};
use super::shape::shape;
use crate::report::measures::Measure;
use crate::report::scale::Scale;
use crate::report::series::{CURVES, Series};
use crate::report::svg::{Anchor, Figure, Mark, Svg};
use crate::report::text::{fixed, number};
use crate::study::SetResults;

const WIDTH: f64 = 530.0;
const HEIGHT: f64 = 400.0;

/// A curve for each method with its values over `sets`.
pub(super) fn draw(key: &'static str, measure: Measure, sets: &[&SetResults]) -> Figure {
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let curves: Vec<_> = CURVES.iter().map(|series| (series, measure.sorted(series, sets))).collect();
    let values: Vec<f64> = curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.0)).collect();
    let across =
        if measure == Measure::Error { Scale::for_errors(&values, (-1.5, 2.0)) } else { Scale::for_ratios(&values) };
    let up = Scale::linear(0.0, sets.len().max(1) as f64);
    let legend = legend::draw(&mut svg, &CURVES, Key::Line, (44.0, 0.0), WIDTH - 50.0);
    let frame = Frame { left: 44.0, top: legend + 22.0, width: WIDTH - 54.0, height: HEIGHT - legend - 66.0 };
    axes(&mut svg, &frame, measure, &across, &up);
    // The first of them is the one to see: it is drawn last.
    for (series, points) in curves.iter().rev() {
        curve(&mut svg, &frame, (&across, &up), series, points, measure);
    }
    let what = if measure == Measure::Error { "relative error" } else { "relative time" };
    svg.finish(key, format!("Distribution of {what} over {} data sets, a curve for each method", sets.len()))
}

fn axes(svg: &mut Svg, frame: &Frame, measure: Measure, across: &Scale, up: &Scale) {
    for (value, _) in up.ticks().into_iter().filter(|(value, _)| value.fract() == 0.0) {
        let y = up.place(value);
        frame.across(svg, if value == 0.0 { "zero" } else { "grid" }, y);
        let (x, y) = frame.at(0.0, y);
        svg.text("tick", (x - 8.0, y + 4.0), Anchor::End, &fixed(value, 0));
    }
    for (value, text) in across.ticks() {
        let x = across.place(value);
        frame.upright(svg, "grid", x);
        let (x, y) = frame.at(x, 0.0);
        svg.text("tick", (x, y + 17.0), Anchor::Middle, &text);
    }
    let (origin, title) = match measure {
        Measure::Error => (0.0, "relative error: 0 = best of lin, quad and cubic, 1 = worst"),
        _ => (1.0, "relative time: training time over that of lin"),
    };
    frame.upright(svg, "zero", across.place(origin));
    let (x, y) = frame.at(0.5, 0.0);
    svg.text("axis", (x, y + 36.0), Anchor::Middle, title);
    svg.text("axis", (frame.left - 36.0, frame.top - 9.0), Anchor::Start, "data sets");
}

/// Steps up by one at each value. A value beyond the axis has its mark at the axis' end.
fn curve(
    svg: &mut Svg,
    frame: &Frame,
    (across, up): (&Scale, &Scale),
    series: &Series,
    points: &[(f64, &SetResults)],
    measure: Measure,
) {
    let place = |value: f64, count: usize| frame.at(across.place(value), up.place(count as f64));
    let inside = points.iter().filter(|(value, _)| *value <= 0.0 || !across.is_beyond(*value)).count();
    let mut path = vec![frame.at(0.0, 0.0)];
    for (below, (value, _)) in points.iter().take(inside).enumerate() {
        path.extend([place(*value, below), place(*value, below + 1)]);
    }
    path.push((frame.at(1.0, 0.0).0, place(0.0, inside).1));
    svg.curve(series, &path);
    for (below, (value, set)) in points.iter().enumerate() {
        let unit = if measure == Measure::Error { "relative error" } else { "times lin’s time" };
        let title = format!(
            "{} · {}\n{} {unit}\n{} of {} sets at most this",
            series.label,
            set.name,
            number(*value),
            below + 1,
            points.len()
        );
        let mark = Mark { set: Some(&set.name), series, value: *value, title };
        svg.mark(&mark, &shape(series, place(*value, below + 1), 2.4));
    }
}
