//! Colours: the fixed expansions cool, apple warm and darker with alpha, ssm green. They differ in lightness as well as
//! hue, for those who do not see all hues; curves also differ by dashes and shapes.

/// A colour's name, on light and on dark ground.
type Colour = (&'static str, &'static str, &'static str);

const COLOURS: [Colour; 20] = [
    ("ground", "#ffffff", "#15181c"),
    ("raised", "#f6f5f2", "#1d2127"),
    ("ink", "#1c2127", "#e8e6e1"),
    ("muted", "#5d6670", "#a2abb5"),
    ("rule", "#d9d7d1", "#363c45"),
    ("grid", "#ebe9e4", "#272c33"),
    ("accent", "#a8450f", "#f0955a"),
    ("highlight", "#fbeee3", "#3a2618"),
    ("lin", "#98a2ad", "#7e8894"),
    ("quad", "#3f8fc9", "#5aa9e0"),
    ("cubic", "#174a7c", "#b5d9f7"),
    ("apple-0-125", "#f3cfae", "#6e4126"),
    ("apple-0-25", "#ebb07e", "#95562a"),
    ("apple-0-5", "#de8b4c", "#bb6c2e"),
    ("apple-0-75", "#c4621f", "#df8a45"),
    ("apple-1", "#8f3a08", "#ffbd8c"),
    ("apple-best", "#de8b4c", "#d07a38"),
    ("ssm-1", "#00795c", "#3ecfa4"),
    ("ssm-best", "#5bb89b", "#1f9473"),
    ("shadow", "#00000022", "#00000066"),
];

/// How figures are drawn, the colours left open.
const FIGURES: &str = include_str!("figures.css");

/// The style of a figure in a file of its own: light colours, written out, since not every viewer knows variables.
pub(super) fn standalone_style() -> String {
    let colours = COLOURS.iter();
    colours.fold(FIGURES.to_owned(), |css, (name, light, _)| css.replace(&format!("var(--{name})"), light))
}

/// The page's colours as variables, in light and dark, and the style of its figures.
pub(super) fn page_style() -> String {
    let variables = |pick: fn(&Colour) -> &'static str| -> String {
        COLOURS.iter().map(|colour| format!("--{}:{};", colour.0, pick(colour))).collect()
    };
    let (light, dark) = (variables(|colour| colour.1), variables(|colour| colour.2));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media (prefers-color-scheme: dark){{@media screen{{:root{{{dark}}}}}}}\n{FIGURES}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::series::{BARS, CURVES, TRADEOFF};

    #[test]
    fn a_file_needs_no_variables() {
        assert!(!standalone_style().contains("var("));
        assert!(FIGURES.contains("var(--ink)"));
    }

    #[test]
    fn every_series_of_a_figure_has_a_colour() {
        for series in BARS.iter().chain(&CURVES).chain(&TRADEOFF) {
            assert!(FIGURES.contains(&format!(".{}{{", series.class())), "{}", series.key);
        }
    }
}
