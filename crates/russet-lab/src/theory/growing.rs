//! One run in the theorem's setting: plain gradient steps on a finite distribution, and a feature set that grows.

use russet::batch::Label;
use russet::settings::Settings;

use super::TheoryError;
use super::course::Course;
use super::objective::{Atom, Objective};
use super::reading::{feature_set, weights};
use crate::random::Random;

/// How many base features there are, and how many of them are 1 in each example.
const D: u32 = 8;
const ACTIVE: u32 = 3;

/// The objective's setting: a distribution and a regularisation parameter.
pub(super) struct Problem {
    atoms: Vec<Atom>,
    pub(super) lambda: f64,
}

/// What one run shows after T examples.
pub(super) struct Measured {
    /// `f(w_(T+1))`
    pub(super) value: f64,
    /// `sum_(t=1..T) (t+2) f(u_t) / sum_(t=1..T) (t+2)`
    pub(super) comparator: f64,
    /// `f(u_1)` and `f(u_T)`: the minima over the first and the last feature set.
    pub(super) minima: [f64; 2],
    /// After how many examples the set last grew.
    pub(super) last_growth: u64,
    /// `f(w_1) = f(0)`
    pub(super) start: f64,
    /// The longest `x`, over the last feature set.
    pub(super) norm: f64,
}

/// The minimum of f over the feature set that holds from example `first` on.
struct Stage {
    first: u64,
    minimum: f64,
}

impl Problem {
    /// Every choice of [`ACTIVE`] of the features, equally likely. The label's log odds are a polynomial of degree 3.
    pub(super) fn new(lambda: f64) -> Problem {
        let choices = (0u32..1 << D).filter(|choice| choice.count_ones() == ACTIVE);
        let choices: Vec<Vec<u32>> =
            choices.map(|choice| (0..D).filter(|feature| choice >> feature & 1 == 1).collect()).collect();
        let mut atoms = Vec::new();
        for features in &choices {
            let has = |wanted: &[u32]| f64::from(wanted.iter().all(|feature| features.contains(feature)));
            let odds = 2.0 * (has(&[0]) - has(&[1])) + 6.0 * (has(&[2, 3]) - has(&[0, 2])) - 4.0 * has(&[3, 4])
                + 8.0 * has(&[1, 5, 6]);
            for label in [-1.0, 1.0] {
                let probability = 1.0 / (1.0 + libm::exp(-label * odds)) / choices.len() as f64;
                atoms.push(Atom { probability, features: features.clone(), label });
            }
        }
        Problem { atoms, lambda }
    }

    /// Learns, with epochs spaced over `length` examples, and measures after as many examples as each checkpoint says.
    pub(super) fn follow(
        &self,
        settings: &Settings,
        length: u64,
        checkpoints: &[u64],
        random: &mut Random,
    ) -> Result<Vec<Measured>, TheoryError> {
        let mut course = Course::new(settings, D, length)?;
        let mut objective = self.objective(&course)?;
        let mut stages = vec![Stage { first: 1, minimum: objective.minimum() }];
        let mut measured = Vec::new();
        for t in 1..=checkpoints.iter().copied().max().unwrap_or(0) {
            let atom = self.draw(random);
            let grown = course.learn(&atom.features, Label::new(atom.label as f32))?;
            if checkpoints.contains(&t) {
                measured.push(measure(&objective, &stages, &course, t)?);
            }
            // The example that a growth follows was still learned from with the smaller set.
            if grown {
                objective = self.objective(&course)?;
                stages.push(Stage { first: t + 1, minimum: objective.minimum() });
            }
        }
        Ok(measured)
    }

    /// The objective over the feature set as it stands.
    fn objective(&self, course: &Course) -> Result<Objective, TheoryError> {
        Ok(Objective::new(&self.atoms, &feature_set(course.model(), D)?, self.lambda))
    }

    fn draw(&self, random: &mut Random) -> &Atom {
        let mut left = random.fraction();
        let found = self.atoms.iter().find(|atom| {
            left -= atom.probability;
            left < 0.0
        });
        // Probabilities may sum to a last bit less than 1.
        found.unwrap_or(&self.atoms[self.atoms.len() - 1])
    }
}

fn measure(objective: &Objective, stages: &[Stage], course: &Course, t: u64) -> Result<Measured, TheoryError> {
    let w = objective.vector(&weights(course.model())?)?;
    Ok(Measured {
        value: objective.value(&w),
        comparator: comparator(stages, t),
        minima: [stages[0].minimum, stages[stages.len() - 1].minimum],
        last_growth: stages[stages.len() - 1].first - 1,
        start: objective.value(&vec![0.0; w.len()]),
        norm: objective.largest_norm(),
    })
}

/// `sum_(t=1..T) (t+2) f(u_t) / sum_(t=1..T) (t+2)`, `f(u_t)` being the minimum of the stage that t is in.
fn comparator(stages: &[Stage], examples: u64) -> f64 {
    // sum_(j=1..t) (j+2)
    let weight_up_to = |t: u64| (t * (t + 5)) as f64 / 2.0;
    let mut sum = 0.0;
    for (place, stage) in stages.iter().enumerate() {
        let end = stages.get(place + 1).map_or(examples, |next| next.first - 1);
        sum += stage.minimum * (weight_up_to(end) - weight_up_to(stage.first - 1));
    }
    sum / weight_up_to(examples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comparator_is_the_weighted_sum() {
        let stages = [(1, 0.9), (4, 0.5), (11, 0.3)].map(|(first, minimum)| Stage { first, minimum });
        let minimum = |t: u64| stages.iter().rfind(|stage| stage.first <= t).unwrap().minimum;
        let sums = |t: u64| ((t + 2) as f64 * minimum(t), (t + 2) as f64);
        let (above, below) = (1..=20).map(sums).fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
        assert!((comparator(&stages, 20) - above / below).abs() < 1e-12);
    }

    #[test]
    fn probabilities_sum_to_one_and_draws_follow_them() {
        let problem = Problem::new(0.5);
        assert!((problem.atoms.iter().map(|atom| atom.probability).sum::<f64>() - 1.0).abs() < 1e-12);
        let (mut random, first) = (Random::new(&[1]), &problem.atoms[0]);
        let drawn = (0..20_000).filter(|_| std::ptr::eq(problem.draw(&mut random), first)).count();
        let expected = first.probability * 20_000.0;
        assert!((drawn as f64 - expected).abs() < 5.0 * expected.sqrt(), "{drawn} {expected}");
    }
}
