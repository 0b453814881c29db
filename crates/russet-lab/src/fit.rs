//! How one quantity grows with another.

/// The exponent `b` of the power `y = a x^b` closest to the points, by least squares on the logarithms:
/// `b = sum (ln x - mean)(ln y - mean) / sum (ln x - mean)^2`. Not a number if a point is not positive, or if there are
/// fewer than two different `x`.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (libm::log(*x), libm::log(*y))).collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let together: f64 = logarithms.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    together / logarithms.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_exponent_of_a_power() {
        for wanted in [-1.0, 0.0, 2.5] {
            let points: Vec<(f64, f64)> = (1..9).map(|x| (f64::from(x), 3.0 * f64::from(x).powf(wanted))).collect();
            assert!((exponent(&points) - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_has_no_exponent() {
        assert!(exponent(&[(1.0, 1.0), (2.0, -1.0)]).is_nan());
        assert!(exponent(&[(1.0, 1.0)]).is_nan());
    }
}
