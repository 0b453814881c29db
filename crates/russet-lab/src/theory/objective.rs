//! The objective of the theorem, exactly: the distribution is finite.

use std::collections::{BTreeMap, BTreeSet};

use super::TheoryError;
use super::newton;
use super::reading::Monomial;

/// One outcome of a finite distribution: features that are 1, and a label of -1 or 1.
pub(super) struct Atom {
    pub(super) probability: f64,
    pub(super) features: Vec<u32>,
    pub(super) label: f64,
}

/// `f(w) = E[ln(1 + exp(-y w.x))] + lambda |w|^2 / 2`, for weights in the span of a set of monomials.
///
/// `x` is the vector of all monomials of the set, each 0 or 1; `E` runs over the atoms.
pub(super) struct Objective {
    lambda: f64,
    index: BTreeMap<Monomial, usize>,
    /// Of each atom: probability, label, and which monomials are 1.
    rows: Vec<(f64, f64, Vec<usize>)>,
}

impl Objective {
    pub(super) fn new(atoms: &[Atom], set: &BTreeSet<Monomial>, lambda: f64) -> Objective {
        let index: BTreeMap<Monomial, usize> = set.iter().cloned().zip(0..).collect();
        let row = |atom: &Atom| {
            let is_one = |monomial: &Monomial| monomial.iter().all(|factor| atom.features.contains(factor));
            let present = index.iter().filter(|(monomial, _)| is_one(monomial)).map(|(_, place)| *place);
            (atom.probability, atom.label, present.collect())
        };
        let rows = atoms.iter().map(row).collect();
        Objective { lambda, index, rows }
    }

    /// How many weights there are.
    pub(super) fn dimension(&self) -> usize {
        self.index.len()
    }

    /// The largest `|x y|`, which is the root of how many monomials are 1 at once.
    pub(super) fn largest_norm(&self) -> f64 {
        self.rows.iter().map(|(_, _, present)| (present.len() as f64).sqrt()).fold(0.0, f64::max)
    }

    /// Weights by monomial as a vector; an error if one is outside the set.
    pub(super) fn vector(&self, weights: &BTreeMap<Monomial, f64>) -> Result<Vec<f64>, TheoryError> {
        let mut vector = vec![0.0; self.dimension()];
        for (monomial, weight) in weights {
            let place = self.index.get(monomial).ok_or_else(|| TheoryError::OutsideTheSet(monomial.clone()))?;
            vector[*place] = *weight;
        }
        Ok(vector)
    }

    /// `f(w)`
    pub(super) fn value(&self, w: &[f64]) -> f64 {
        let loss = |(probability, label, present): &(f64, f64, Vec<usize>)| {
            let margin = label * present.iter().map(|place| w[*place]).sum::<f64>();
            // The argument of exp is negative in both cases, so that nothing overflows.
            probability * (libm::log1p(libm::exp(-margin.abs())) + (-margin).max(0.0))
        };
        self.rows.iter().map(loss).sum::<f64>() + self.lambda * w.iter().map(|w| w * w).sum::<f64>() / 2.0
    }

    /// The gradient `E[-q y x] + lambda w` and the Hessian `E[q (1 - q) x x'] + lambda I`, `q = 1 / (1 + exp(y w.x))`.
    pub(super) fn derivatives(&self, w: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut gradient: Vec<f64> = w.iter().map(|w| self.lambda * w).collect();
        let mut hessian = vec![vec![0.0; w.len()]; w.len()];
        (0..w.len()).for_each(|place| hessian[place][place] = self.lambda);
        for (probability, label, present) in &self.rows {
            let q = 1.0 / (1.0 + libm::exp(label * present.iter().map(|place| w[*place]).sum::<f64>()));
            for i in present {
                gradient[*i] -= probability * q * label;
                present.iter().for_each(|j| hessian[*i][*j] += probability * q * (1.0 - q));
            }
        }
        (gradient, hessian)
    }

    /// The smallest `f(u)` over the set, to within 1e-12.
    pub(super) fn minimum(&self) -> f64 {
        self.value(&newton::minimise(self, self.lambda, 1e-12))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objective(lambda: f64) -> Objective {
        let atom = |probability, features: &[u32], label| Atom { probability, features: features.to_vec(), label };
        let atoms =
            [atom(0.5, &[0, 1], 1.0), atom(0.25, &[0], -1.0), atom(0.125, &[1], -1.0), atom(0.125, &[0, 1], -1.0)];
        let set = [vec![], vec![0], vec![1], vec![0, 1]].into_iter().collect();
        Objective::new(&atoms, &set, lambda)
    }

    #[test]
    fn the_derivatives_are_those_of_the_value() {
        let (objective, w, h) = (objective(0.3), [0.2, -0.7, 0.4, 1.1], 1e-5);
        let (gradient, hessian) = objective.derivatives(&w);
        for i in 0..4 {
            let moved = |by: f64| {
                let mut moved = w;
                moved[i] += by;
                moved
            };
            let slope = (objective.value(&moved(h)) - objective.value(&moved(-h))) / (2.0 * h);
            assert!((slope - gradient[i]).abs() < 1e-9, "{slope} {}", gradient[i]);
            let (above, below) = (objective.derivatives(&moved(h)).0, objective.derivatives(&moved(-h)).0);
            for j in 0..4 {
                assert!(((above[j] - below[j]) / (2.0 * h) - hessian[i][j]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_minimum_is_below_all_around_it() {
        for lambda in [0.001, 0.3] {
            let objective = objective(lambda);
            let best = newton::minimise(&objective, lambda, 1e-14);
            assert!((objective.minimum() - objective.value(&best)).abs() < 1e-12);
            for i in 0..4 {
                for by in [-1e-3, 1e-3] {
                    let mut moved = best.clone();
                    moved[i] += by;
                    assert!(objective.value(&moved) > objective.value(&best));
                }
            }
        }
    }

    #[test]
    fn weights_outside_the_set_are_an_error() {
        let objective = objective(1.0);
        assert_eq!(objective.largest_norm(), 2.0);
        assert!(objective.vector(&[(vec![0, 1], 1.0)].into()).is_ok());
        assert!(objective.vector(&[(vec![2], 1.0)].into()).is_err());
    }
}
