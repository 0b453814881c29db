//! Drawing: lines, texts and marks, collected into a figure.

use std::fmt::Write;

use super::palette;
use super::series::Series;
use super::text::escape;

/// A point of the drawing, to the right and down.
pub(super) type Point = (f64, f64);

/// Where a text lies from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// One value of the data, as a figure shows it.
pub(super) struct Mark<'a> {
    /// The data set; none for a figure over all sets.
    pub(super) set: Option<&'a str>,
    /// The method.
    pub(super) series: &'a Series,
    /// The value.
    pub(super) value: f64,
    /// What is shown when someone points at it.
    pub(super) title: String,
}

/// A figure in the making.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// A finished figure, for the page and as a file.
pub(super) struct Figure {
    /// Its name in the page, and its file's.
    pub(super) key: &'static str,
    /// What it shows, in a line.
    pub(super) title: String,
    svg: Svg,
}

/// An approximate width of text at the figures' size.
pub(super) fn text_width(text: &str) -> f64 {
    6.8 * text.chars().count() as f64
}

impl Svg {
    /// An empty drawing.
    pub(super) fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    /// Adds markup that is safe already.
    pub(super) fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: Point, to: Point) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.raw(&format!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    /// A text at a point of its base line.
    pub(super) fn text(&mut self, class: &str, (x, y): Point, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.raw(&format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// A line along points, in the colour of a series.
    pub(super) fn curve(&mut self, series: &Series, points: &[Point]) {
        let mut path = String::new();
        for (place, (x, y)) in points.iter().enumerate() {
            let command = if place == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
        let (class, key) = (series.class(), series.key);
        self.raw(&format!(r#"<path class="curve {class}" data-curve="{key}" d="{path}"/>"#));
    }

    /// A value of the data, drawn by `shape`.
    pub(super) fn mark(&mut self, mark: &Mark, shape: &str) {
        let set = mark.set.map_or(String::new(), |set| format!(r#" data-set="{}""#, escape(set)));
        let (class, key, value, title) = (mark.series.class(), mark.series.key, mark.value, escape(&mark.title));
        self.raw(&format!(
            r#"<g class="mark {class}"{set} data-method="{key}" data-value="{value}"><title>{title}</title>{shape}</g>"#
        ));
    }

    /// Ends the drawing.
    pub(super) fn finish(self, key: &'static str, title: impl Into<String>) -> Figure {
        Figure { key, title: title.into(), svg: self }
    }
}

impl Figure {
    /// For the page, which has the colours.
    pub(super) fn inline(&self) -> String {
        let (Svg { width, height, body }, title) = (&self.svg, escape(&self.title));
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" data-figure=\"{}\" role=\"img\" \
             aria-label=\"{title}\" tabindex=\"0\">\n{body}</svg>",
            self.key
        )
    }

    /// A file of its own, with its own colours, on white.
    pub(super) fn standalone(&self) -> String {
        let (Svg { width, height, body }, title) = (&self.svg, escape(&self.title));
        let style = palette::standalone_style();
        // Room around it, as a page would give it.
        let (full_width, full_height) = (width + 24.0, height + 24.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{full_width}\" height=\"{full_height}\" \
             viewBox=\"-12 -12 {full_width} {full_height}\">\n<title>{title}</title>\n<style>{style}</style>\n\
             <rect x=\"-12\" y=\"-12\" width=\"{full_width}\" height=\"{full_height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}
