//! What colours, dashes and shapes mean.

use super::shape::shape;
use crate::report::series::Series;
use crate::report::svg::{Anchor, Svg, text_width};

/// How a series is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A square of its colour.
    Square,
    /// A piece of its line with its shape.
    Line,
}

/// Writes the legend in rows of at most `width` from `(left, top)`; gives the height it took.
pub(super) fn draw(svg: &mut Svg, series: &[Series], key: Key, (left, top): (f64, f64), width: f64) -> f64 {
    let symbol = if key == Key::Line { 30.0 } else { 16.0 };
    let (mut x, mut y) = (left, top);
    for one in series {
        let needed = symbol + text_width(one.label) + 16.0;
        if x > left && x + needed - 16.0 > left + width {
            (x, y) = (left, y + 20.0);
        }
        let drawn = match key {
            Key::Square => {
                format!(r#"<rect class="bar" x="{x:.1}" y="{:.1}" width="11" height="11" rx="2"/>"#, y + 1.0)
            }
            Key::Line => line(one, x, y + 6.5),
        };
        svg.raw(&format!(r#"<g class="key {}" data-key="{}">{drawn}"#, one.class(), one.key));
        svg.text("label", (x + symbol, y + 11.0), Anchor::Start, one.label);
        svg.raw("</g>");
        x += needed;
    }
    y + 20.0 - top
}

fn line(series: &Series, x: f64, y: f64) -> String {
    let class = series.class();
    let shape = shape(series, (x + 12.0, y), 3.0);
    format!(r#"<path class="curve {class}" d="M{x:.1} {y:.1}h24"/>{shape}"#)
}
