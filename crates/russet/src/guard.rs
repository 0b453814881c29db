//! The guard of an adaptive expansion: a linear learner beside it, so that products which only fit noise do no harm.
//!
//! Two experts predict each example: the adaptive expansion, and base weights of the guard's own that know of no
//! product. Each learns from its own prediction. The model predicts with `a p + (1 - a) q`, `p` and `q` being their
//! scores, so a prediction is still a sum over terms. Until the feature set grows for the first time the two are the
//! same; then the guard starts as a copy. How `a` is found: see [`Mixture`]; by which examples: see [`Pass`].

use serde::{Deserialize, Serialize};

use crate::feature::mix;
use crate::settings::Settings;
use crate::step::{Active, GlobalScale, Moved, Scratches, Shrinkage, Single};
use crate::weights::{Cpu, Hand, LANES, Loops, WeightTable, sum};

/// The linear expert, and how far it is trusted.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) linear: WeightTable,
    /// Stays empty: a linear learner has no products.
    products: WeightTable,
    pub(crate) state: GuardState,
}

/// What of a guard is saved besides its weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardState {
    pub(crate) scale: GlobalScale,
    pub(crate) shrinkage: Shrinkage,
    pub(crate) rounds: u64,
    pub(crate) mixture: Mixture,
}

impl GuardState {
    /// True if the numbers are such as learning can lead to: a file may say anything.
    pub(crate) fn is_sound(&self) -> bool {
        self.shrinkage.is_sound() && self.scale.importance >= 0.0 && self.scale.norm >= 0.0 && self.mixture.is_sound()
    }
}

impl Guard {
    /// A linear learner with these weights and this state.
    pub(crate) fn new(linear: WeightTable, state: GuardState) -> Guard {
        Guard { linear, products: WeightTable::with_limit(0), state }
    }

    /// The linear expert's `w . x`.
    #[inline(always)]
    pub(crate) fn score<L: Loops>(&self, loops: L, active: Active<'_>) -> f32 {
        let shrinkage = &self.state.shrinkage;
        let mut total = [0.0; LANES];
        self.linear.score(loops, &[active.linear], active.base, shrinkage.gravity(), &mut total);
        sum(&total) * shrinkage.contraction()
    }

    /// The same at the beginning of a step.
    #[inline(always)]
    pub(crate) fn open<L: Loops>(&self, loops: L, active: Active<'_>, scratches: &mut Scratches) -> f32 {
        let shrinkage = &self.state.shrinkage;
        let mut total = [0.0; LANES];
        let (linear, gravity) = ([active.linear], shrinkage.gravity());
        self.linear.open(loops, &linear, active.base, gravity, &mut total, &mut scratches.linear);
        sum(&total) * shrinkage.contraction()
    }

    /// What a step of the linear expert moves.
    #[inline(always)]
    pub(crate) fn moved<'a>(&'a mut self, settings: &'a Settings, pace: f32) -> Moved<'a> {
        let Guard { linear, products, state: GuardState { scale, shrinkage, rounds, .. } } = self;
        // The rate of a linear learner that is alone, which it stands for.
        let rate = settings.learning_rate * pace;
        Moved { linear, products, scale, shrinkage, rounds, settings, rate }
    }

    /// The same where [`Single`] suits, and the mixture.
    #[inline(always)]
    pub(crate) fn single<'a>(
        &'a mut self,
        settings: &Settings,
        pace: f32,
        hand: &'a mut Hand,
    ) -> (Single<'a>, &'a mut Mixture) {
        let Guard { linear: table, state: GuardState { scale, mixture, .. }, .. } = self;
        (Single { table, scale, rate: settings.learning_rate * pace, hand }, mixture)
    }

    /// True if [`Guard::single`] does what a step does.
    #[inline]
    pub(crate) fn has_single_steps(&self, settings: &Settings, cpu: Cpu) -> bool {
        Single::suits(settings, &self.state.shrinkage, cpu)
    }
}

/// Which pass over the data it is, as far as the guard has to know.
///
/// An example that was learned from in an earlier pass says nothing of how well noise is told from truth: whoever fits
/// it best looks best. So in a course of several passes the experts are compared by one example in [`JUDGES`] alone,
/// and these are learned from in the last pass only, each after it was predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    /// There is one.
    #[default]
    Only,
    /// There will be others.
    Earlier,
    /// The last of several.
    Last,
}

/// How many examples there are to one that judges, in a course of several passes.
const JUDGES: u64 = 8;

/// What an example is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) judges: bool,
    pub(crate) learned: bool,
}

impl Pass {
    /// What to use the example on a line of the input for. It is the same example in every pass, cached or not.
    #[inline]
    pub(crate) fn use_of(self, line: u64) -> Use {
        if self == Pass::Only {
            return Use { judges: true, learned: true };
        }
        let judges = is_judge(line);
        Use { judges, learned: !judges || self != Pass::Earlier }
    }
}

/// By a hash, for data may come in cycles. Not inlined: the compiler would rather compute it for nothing than ask.
#[inline(never)]
fn is_judge(line: u64) -> bool {
    mix(line).is_multiple_of(JUDGES)
}

/// How much say the adaptive expansion has beside the linear expert: exponential weights.
///
/// With `A` and `L` the losses of the two since the feature set last grew and `m` the number of examples they stand
/// for, the adaptive expansion's share is `a = 1 / (1 + (A / L)^(m CONFIDENCE))`. If the losses were
/// those of normal errors of unknown variance, `CONFIDENCE = 1/2` would make this the posterior probability that the
/// adaptive expansion is the better. A growth makes another learner of it, so what it lost before no longer counts.
/// Relative losses make the rule the same for every loss and every scale of labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mixture {
    /// `A`, each loss times importance.
    adaptive_loss: f64,
    /// `L`, likewise.
    linear_loss: f64,
    importance: f64,
    squared_importance: f64,
}

/// Losses are not normal, and those of near examples hang together: less than 1/2. Between 0.05 and 0.15 it hardly
/// matters; see docs/study-default.md.
const CONFIDENCE: f64 = 0.1;

/// An expert with a smaller share than this has none: it need not be asked, and its outliers do no harm.
const SMALLEST_SHARE: f64 = 0.01;

/// At least the logarithm of the odds of [`SMALLEST_SHARE`].
const CERTAIN: f64 = 4.6;

impl Mixture {
    /// Takes note of the two losses of an example.
    pub(crate) fn add(&mut self, adaptive_loss: f64, linear_loss: f64, importance: f32) {
        let importance = f64::from(importance);
        self.adaptive_loss += importance * adaptive_loss;
        self.linear_loss += importance * linear_loss;
        self.importance += importance;
        self.squared_importance += importance * importance;
    }

    /// Adds what another has noted since it was as `earlier`.
    pub(crate) fn merge(&mut self, other: &Mixture, earlier: &Mixture) {
        self.adaptive_loss += other.adaptive_loss - earlier.adaptive_loss;
        self.linear_loss += other.linear_loss - earlier.linear_loss;
        self.importance += other.importance - earlier.importance;
        self.squared_importance += other.squared_importance - earlier.squared_importance;
    }

    /// `a`: the adaptive expansion's share in predictions, from 0 to 1.
    pub(crate) fn adaptive_share(&self) -> f32 {
        if self.adaptive_loss == self.linear_loss {
            return 0.5;
        }
        // `m` as Kish has it: few heavy examples among many light ones stand for few.
        let examples = self.importance * self.importance / self.squared_importance;
        // |ln(A / L)| is at least |A - L| / max(A, L): mostly that is enough to know.
        let (difference, larger) = (self.adaptive_loss - self.linear_loss, self.adaptive_loss.max(self.linear_loss));
        if examples * CONFIDENCE * difference.abs() > CERTAIN * larger {
            return if difference > 0.0 { 0.0 } else { 1.0 };
        }
        let odds = examples * CONFIDENCE * libm::log(self.adaptive_loss / self.linear_loss);
        let share = 1.0 / (1.0 + libm::exp(odds));
        if share < SMALLEST_SHARE {
            0.0
        } else if share > 1.0 - SMALLEST_SHARE {
            1.0
        } else {
            share as f32
        }
    }

    /// What both say together.
    #[inline]
    pub(crate) fn mix(&self, adaptive: f32, linear: f32) -> f32 {
        mixed(self.adaptive_share(), adaptive, linear)
    }

    /// True if the numbers are such as examples can lead to.
    fn is_sound(&self) -> bool {
        let sums = [self.adaptive_loss, self.linear_loss, self.importance, self.squared_importance];
        let empty = self.squared_importance == 0.0 && self.adaptive_loss != self.linear_loss;
        // Losses without importance, or one of -0, would make it no number.
        sums.iter().all(|sum| sum.is_finite() && *sum >= 0.0) && !empty && !self.adaptive_share().is_nan()
    }
}

/// `a p + (1 - a) q`
#[inline]
pub(crate) fn mixed(share: f32, adaptive: f32, linear: f32) -> f32 {
    match share {
        // A score without a share may be infinite.
        0.0 => linear,
        1.0 => adaptive,
        _ => share * adaptive + (1.0 - share) * linear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixture(losses: impl IntoIterator<Item = (f64, f64, f32)>) -> Mixture {
        let mut mixture = Mixture::default();
        losses.into_iter().for_each(|(adaptive, linear, importance)| mixture.add(adaptive, linear, importance));
        mixture
    }

    /// With a share that is no number, what makes a prediction never added up to it.
    #[test]
    fn a_share_that_is_no_number_is_not_sound() {
        let sound = Mixture { adaptive_loss: 5.0, linear_loss: 4.0, importance: 1.0, squared_importance: 1.0 };
        assert!(sound.is_sound() && Mixture::default().is_sound());
        assert!(!Mixture { linear_loss: -0.0, ..sound }.is_sound());
        assert!(!Mixture { linear_loss: 0.0, importance: 0.0, ..sound }.is_sound());
    }

    #[test]
    fn whoever_does_better_has_the_say() {
        let bad = mixture((0..1000).map(|_| (1.1, 1.0, 1.0)));
        assert_eq!(bad.adaptive_share(), 0.0);
        assert_eq!(bad.mix(f32::INFINITY, 2.0), 2.0);
        let good = mixture((0..1000).map(|_| (0.9, 1.0, 1.0)));
        assert_eq!(good.adaptive_share(), 1.0);
        assert_eq!(good.mix(3.0, f32::NAN), 3.0);
    }

    #[test]
    fn without_evidence_both_have_the_same_say() {
        for mixture in [Mixture::default(), mixture([(0.0, 0.0, 1.0)]), mixture([(2.0, 2.0, 5.0)])] {
            assert_eq!(mixture.mix(1.0, 3.0), 2.0);
            assert!(mixture.is_sound());
        }
    }

    #[test]
    fn little_evidence_gives_shares_by_the_formula() {
        let mixture = mixture((0..20).map(|_| (1.0, 2.0, 1.0)));
        let expected = 1.0 / (1.0 + 0.5f64.powf(20.0 * CONFIDENCE));
        assert!((f64::from(mixture.adaptive_share()) - expected).abs() < 1e-6);
    }

    #[test]
    fn a_perfect_expert_wins_over_one_that_is_not() {
        assert_eq!(mixture([(0.0, 1.0, 1.0)]).adaptive_share(), 1.0);
        assert_eq!(mixture([(1.0, 0.0, 1.0)]).adaptive_share(), 0.0);
    }

    #[test]
    fn shares_do_not_depend_on_the_unit_of_labels_or_importance() {
        let share = |unit: f64, importance: f32| {
            let losses = (0..50).map(|round| (unit * f64::from(round % 3), unit * f64::from(round % 4), importance));
            mixture(losses).adaptive_share()
        };
        assert_eq!(share(1.0, 1.0), share(1024.0, 1.0));
        assert_eq!(share(1.0, 1.0), share(1.0, 0.25));
    }

    #[test]
    fn judges_are_learned_from_in_the_last_pass_only() {
        let judges: Vec<u64> = (1..=8000).filter(|line| Pass::Earlier.use_of(*line).judges).collect();
        assert!((900..1100).contains(&judges.len()), "{}", judges.len());
        for line in 1..=8000 {
            let judges = judges.contains(&line);
            assert_eq!(Pass::Only.use_of(line), Use { judges: true, learned: true });
            assert_eq!(Pass::Earlier.use_of(line), Use { judges, learned: !judges });
            assert_eq!(Pass::Last.use_of(line), Use { judges, learned: true });
        }
    }

    #[test]
    fn one_heavy_example_stands_for_one() {
        let light = (0..100).map(|_| (1.0, 1.0, 1e-6));
        let share = mixture(light.chain([(1.0, 1.5, 1000.0)])).adaptive_share();
        assert!(share > 0.5 && share < 0.52, "{share}");
    }
}
