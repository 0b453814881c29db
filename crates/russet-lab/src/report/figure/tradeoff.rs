//! Error against time: for each method the medians over data sets, with bars from the first quartile to the third.

use super::Frame;
use super::shape::shape;
use crate::report::measures::{Measure, quantile};
use crate::report::scale::Scale;
use crate::report::series::{Series, TRADEOFF};
use crate::report::svg::{Anchor, Figure, Mark, Point, Svg, text_width};
use crate::report::text::{fixed, ratio};
use crate::study::{Method, SetResults};

const WIDTH: f64 = 1080.0;
const HEIGHT: f64 = 470.0;

/// First quartile, median and third quartile.
type Spread = [f64; 3];

struct Spot {
    series: Series,
    error: Spread,
    time: Spread,
    sets: usize,
}

/// A dot for each method, over `sets`.
pub(super) fn draw(sets: &[&SetResults]) -> Figure {
    let spots: Vec<Spot> = TRADEOFF.iter().filter_map(|series| spot(series, sets)).collect();
    let errors: Vec<f64> = spots.iter().flat_map(|spot| spot.error).collect();
    let times: Vec<f64> = spots.iter().flat_map(|spot| spot.time).collect();
    let (across, up) = (Scale::for_ratios(&times), Scale::for_errors(&errors, (-1.5, 2.0)));
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let frame = Frame { left: 52.0, top: 26.0, width: WIDTH - 72.0, height: HEIGHT - 76.0 };
    axes(&mut svg, &frame, &across, &up);
    let place = |error: f64, time: f64| frame.at(across.place(time), up.place(error));
    for spot in &spots {
        bars(&mut svg, spot, place);
    }
    course(&mut svg, &spots, place);
    let mut taken: Vec<Area> = spots.iter().flat_map(|spot| areas(spot, place)).collect();
    // Said at a dot only where it stands for fewer sets than others do.
    let most = spots.iter().map(|spot| spot.sets).max().unwrap_or(0);
    for spot in &spots {
        dot(&mut svg, spot, place(spot.error[1], spot.time[1]), (most, sets.len()), &mut taken, &frame);
    }
    svg.finish("tradeoff", "Relative error against relative time: medians and quartiles over data sets for each method")
}

fn spot(series: &Series, sets: &[&SetResults]) -> Option<Spot> {
    let spread = |measure: Measure| -> Option<(Spread, usize)> {
        let values: Vec<f64> = measure.sorted(series, sets).iter().map(|value| value.0).collect();
        let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(&values, share));
        Some(([low?, middle?, high?], values.len()))
    };
    let ((error, sets), (time, _)) = (spread(Measure::Error)?, spread(Measure::Time)?);
    Some(Spot { series: *series, error, time, sets })
}

fn axes(svg: &mut Svg, frame: &Frame, across: &Scale, up: &Scale) {
    for (value, text) in up.ticks() {
        frame.across(svg, if value == 0.0 { "zero" } else { "grid" }, up.place(value));
        let (x, y) = frame.at(0.0, up.place(value));
        svg.text("tick", (x - 8.0, y + 4.0), Anchor::End, &text);
    }
    for (value, text) in across.ticks() {
        frame.upright(svg, "grid", across.place(value));
        let (x, y) = frame.at(across.place(value), 0.0);
        svg.text("tick", (x, y + 18.0), Anchor::Middle, &text);
    }
    let (x, y) = frame.at(0.5, 0.0);
    svg.text("axis", (x, y + 40.0), Anchor::Middle, "relative time: training time over that of lin (logarithmic)");
    svg.text(
        "axis",
        (4.0, frame.top - 12.0),
        Anchor::Start,
        "relative error: 0 = best of lin, quad and cubic, 1 = worst",
    );
}

fn bars(svg: &mut Svg, spot: &Spot, place: impl Fn(f64, f64) -> Point) {
    svg.raw(&format!(r#"<g class="{}">"#, spot.series.class()));
    svg.line("spread", place(spot.error[0], spot.time[1]), place(spot.error[2], spot.time[1]));
    svg.line("spread", place(spot.error[1], spot.time[0]), place(spot.error[1], spot.time[2]));
    svg.raw("</g>");
}

/// What labels keep clear of: the dot and its bars.
fn areas(spot: &Spot, place: impl Fn(f64, f64) -> Point) -> [Area; 3] {
    let Spot { error, time, .. } = spot;
    [
        Area::around(place(error[1], time[1]), 9.0),
        Area::between(place(error[2], time[1]), place(error[0], time[1])),
        Area::between(place(error[1], time[0]), place(error[1], time[2])),
    ]
}

/// The way of apple from the smallest alpha to 1.
fn course(svg: &mut Svg, spots: &[Spot], place: impl Fn(f64, f64) -> Point) {
    let apple = spots.iter().filter(|spot| spot.series.method == Method::Apple);
    let points: Vec<String> =
        apple.map(|spot| place(spot.error[1], spot.time[1])).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    svg.raw(&format!(r#"<polyline class="path series-apple-0-75" points="{}"/>"#, points.join(" ")));
}

fn dot(svg: &mut Svg, spot: &Spot, at: Point, (most, sets): (usize, usize), taken: &mut Vec<Area>, frame: &Frame) {
    let Spot { series, error, time, sets: own } = spot;
    let range = |spread: &Spread, text: fn(f64) -> String| {
        format!("{} (quartiles {} to {})", text(spread[1]), text(spread[0]), text(spread[2]))
    };
    let title = format!(
        "{}\nrelative error {}\nrelative time {}\nover {own} of {sets} sets",
        series.label,
        range(error, |value| fixed(value, 2)),
        range(time, ratio)
    );
    svg.mark(&Mark { set: None, series, value: error[1], title }, &shape(series, at, 6.0));
    let few = if *own < most { format!(" ({own} of {sets} sets)") } else { String::new() };
    let label = format!("{}{few}", series.label);
    let area = Area::for_label(at, &label, taken, frame);
    svg.text(
        if series.key == "apple-1" { "strong halo" } else { "label halo" },
        (area.left, area.top + 12.0),
        Anchor::Start,
        &label,
    );
    taken.push(area);
}

/// A rectangle that labels keep clear of.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn around((x, y): Point, radius: f64) -> Area {
        Area { left: x - radius, top: y - radius, width: 2.0 * radius, height: 2.0 * radius }
    }

    /// Along a line to the right or down, a little thick.
    fn between((left, top): Point, (right, bottom): Point) -> Area {
        Area { left, top, width: (right - left).max(3.0), height: (bottom - top).max(3.0) }
    }

    /// How much of it another covers.
    fn shared(&self, other: &Area) -> f64 {
        let width = (self.left + self.width).min(other.left + other.width) - self.left.max(other.left);
        let height = (self.top + self.height).min(other.top + other.height) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    /// A place for a label near its dot: of those inside the frame the first that least of what is there covers.
    fn for_label((x, y): Point, label: &str, taken: &[Area], frame: &Frame) -> Area {
        let (width, height) = (text_width(label), 16.0);
        let area = |(left, top): (f64, f64)| Area { left, top, width, height };
        let (right, left, middle) = (x + 10.0, x - 10.0 - width, x - width / 2.0);
        let near = [(right, y - 19.0), (right, y + 3.0), (left, y - 19.0), (left, y + 3.0)];
        let far = [
            (right, y - 36.0),
            (right, y + 20.0),
            (left, y - 36.0),
            (left, y + 20.0),
            (middle, y - 52.0),
            (middle, y + 36.0),
            (right, y - 68.0),
            (right, y + 52.0),
            (left, y - 68.0),
            (left, y + 52.0),
        ];
        let inside = |area: &Area| {
            area.left >= frame.left
                && area.left + area.width <= frame.left + frame.width
                && area.top >= frame.top
                && area.top + area.height <= frame.top + frame.height
        };
        let covered = |spot: &Area| taken.iter().map(|other| spot.shared(other)).sum::<f64>();
        let all = near.into_iter().chain(far).map(area).filter(inside);
        all.min_by(|a, b| covered(a).total_cmp(&covered(b))).unwrap_or_else(|| area(near[0]))
    }
}
