//! What the oracles share: losses by their definition, in double precision.

use russet::loss::LossKind;

/// The derivative of a smooth loss by the prediction.
pub(crate) fn slope(loss: LossKind, p: f64, y: f64) -> f64 {
    match loss {
        LossKind::Logistic => -y / (1.0 + (y * p).exp()),
        _ => 2.0 * (p - y),
    }
}

/// The importance-aware step by its definition: many small steps, each by the classical Runge-Kutta rule.
pub(crate) fn step(loss: LossKind, p: f64, y: f64, h: f64, u: f64) -> f64 {
    let parts = 2000;
    let part = h * u / f64::from(parts);
    let pull = |p: f64| -slope(loss, p, y);
    let mut now = p;
    for _ in 0..parts {
        let k1 = pull(now);
        let k2 = pull(now + part * k1 / 2.0);
        let k3 = pull(now + part * k2 / 2.0);
        let k4 = pull(now + part * k3);
        now += part * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
    }
    (now - p) / u
}
