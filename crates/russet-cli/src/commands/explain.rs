//! What `predict --explain` writes: the terms that made a prediction.

use std::borrow::Cow;
use std::io::{self, Write};

use russet::model::{Explanation, Part};
use serde::Serialize;

use crate::output::{columns, signed_figure};

/// One line of `--json`. In the order of `parts`, the contributions add up to the prediction exactly.
#[derive(Serialize)]
struct Json<'a> {
    tag: Option<Cow<'a, str>>,
    /// The class that is predicted, if there are more than two: the prediction is that of its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    /// In double precision, as the contributions are: a short decimal would be another number.
    prediction: f64,
    probability: Option<f32>,
    parts: &'a [Part],
}

/// Writes an explanation as one JSON object on a line.
pub(super) fn write_json(
    out: &mut impl Write,
    explanation: &Explanation<'_>,
    class: Option<&str>,
    tag: &[u8],
) -> io::Result<()> {
    let json = Json {
        tag: (!tag.is_empty()).then(|| String::from_utf8_lossy(tag)),
        class,
        prediction: explanation.predicted.value.into(),
        probability: explanation.predicted.probability,
        parts: &explanation.parts,
    };
    serde_json::to_writer(&mut *out, &json)?;
    out.write_all(b"\n")
}

/// Writes the lines that come below a prediction: contribution, name, value and weight of each part.
pub(super) fn write_lines(out: &mut impl Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let lines: Vec<Vec<String>> = explanation.parts.iter().map(cells).collect();
    let lines: Vec<&[String]> = lines.iter().map(Vec::as_slice).collect();
    columns(&lines, |column| column != 0).lines().try_for_each(|line| writeln!(out, "  {line}"))
}

fn cells(part: &Part) -> Vec<String> {
    let value = part.value.map_or(String::new(), |value| format!("value {value}"));
    let weight = part.weight.map_or(String::new(), |weight| format!("weight {}", signed_figure(weight.into())));
    vec![signed_figure(part.contribution), part.name.clone(), value, weight]
}
