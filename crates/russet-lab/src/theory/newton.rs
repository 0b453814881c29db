//! The minimiser of a smooth, strongly convex objective, by Newton's method.

use super::objective::Objective;

/// A `w` with `f(w) - min f <= tolerance`.
///
/// From `w = 0`, steps `-H^-1 g`, halved while they do not lead down. For a `lambda`-strongly convex `f`,
/// `f(w) - min f <= |g|^2 / (2 lambda)`: that ends the search, so the result is as close as it says.
pub(super) fn minimise(objective: &Objective, lambda: f64, tolerance: f64) -> Vec<f64> {
    let mut w = vec![0.0; objective.dimension()];
    loop {
        let (gradient, hessian) = objective.derivatives(&w);
        if gradient.iter().map(|g| g * g).sum::<f64>() <= 2.0 * lambda * tolerance {
            return w;
        }
        let step = solve(hessian, gradient);
        let moved = |share: f64| w.iter().zip(&step).map(|(w, step)| w - share * step).collect::<Vec<f64>>();
        let (value, mut share) = (objective.value(&w), 1.0);
        let mut next = moved(share);
        while objective.value(&next) > value && share > 1e-6 {
            share /= 2.0;
            next = moved(share);
        }
        w = next;
    }
}

/// Solves `A x = b` for a symmetric positive definite `A`: `A = L L'` (Cholesky), then `L y = b`, `L' x = y`.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let dot = |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(l, r)| l * r).sum::<f64>();
    for i in 0..n {
        for j in 0..=i {
            let rest = a[i][j] - dot(&a[i][..j], &a[j][..j]);
            a[i][j] = if i == j { rest.sqrt() } else { rest / a[j][j] };
        }
        b[i] = (b[i] - dot(&a[i][..i], &b[..i])) / a[i][i];
    }
    for i in (0..n).rev() {
        let below: f64 = (i + 1..n).map(|row| a[row][i] * b[row]).sum();
        b[i] = (b[i] - below) / a[i][i];
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system() {
        let x = solve(vec![vec![4.0, 2.0, 1.0], vec![2.0, 5.0, 3.0], vec![1.0, 3.0, 6.0]], vec![11.0, 21.0, 25.0]);
        for (found, wanted) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-12, "{x:?}");
        }
    }
}
