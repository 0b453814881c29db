//! The shapes that tell methods apart where colour does not.

use crate::report::series::Series;
use crate::report::svg::Point;

/// A series' shape around a point.
pub(super) fn shape(series: &Series, (x, y): Point, radius: f64) -> String {
    let corners: &[(f64, f64)] = match series.key {
        "lin" => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "quad" => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        "cubic" => &[(0.0, -1.25), (1.2, 0.9), (-1.2, 0.9)],
        "ssm-1" | "ssm-best" => &[(0.0, 1.25), (1.2, -0.9), (-1.2, -0.9)],
        _ => return format!(r#"<circle class="shape" cx="{x:.1}" cy="{y:.1}" r="{radius}"/>"#),
    };
    let points: Vec<String> =
        corners.iter().map(|(right, down)| format!("{:.1},{:.1}", x + right * radius, y + down * radius)).collect();
    format!(r#"<polygon class="shape" points="{}"/>"#, points.join(" "))
}
