//! What comes after the model's own weights are done with an example, and does not change them: the guard's linear expert
//! learns, the two experts are compared, and progressive validation takes note.

use crate::expansion;
use crate::guard::{Guard, Mixture, Use};
use crate::loss::Loss;
use crate::metrics::Tally;
use crate::settings::Settings;
use crate::step::{Active, Scratches, Step, Surprise};
use crate::weights::{BaseFeatures, Features, Loops};

/// What has to be known of an example to judge it, besides its base features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// What the model's own weights say, not clipped.
    pub(crate) score: f32,
    pub(crate) label: f32,
    pub(crate) importance: f32,
    /// What the data adds to every score of the example.
    pub(crate) offset: f32,
    /// What predictions are clipped to.
    pub(crate) range: (f32, f32),
    pub(crate) used: Use,
}

impl Seen {
    /// True if the model's own weights learn from it.
    #[inline(always)]
    pub(crate) fn is_learned(&self) -> bool {
        self.importance > 0.0 && self.used.learned
    }

    /// True if the loss of the model's own prediction has a slope.
    #[inline(always)]
    pub(crate) fn has_slope(&self, loss: impl Loss) -> bool {
        loss.slope(self.clip(self.score), self.label) != 0.0
    }

    #[inline(always)]
    pub(crate) fn clip(&self, score: f32) -> f32 {
        clip(score, self.range)
    }
}

/// A score as a prediction, within the range that labels have had.
#[inline(always)]
pub(crate) fn clip(score: f32, (low, high): (f32, f32)) -> f32 {
    // A sum of weights of both signs may overflow to "not a number"; then nothing is known.
    if score.is_nan() { 0.0f32.clamp(low, high) } else { score.clamp(low, high) }
}

/// Whoever judges.
pub(crate) struct Judge<'a> {
    pub(crate) guard: Option<&'a mut Guard>,
    pub(crate) tally: &'a mut Tally,
    pub(crate) settings: &'a Settings,
    pub(crate) pace: f32,
    pub(crate) scratches: &'a mut Scratches,
    /// The guard's steps are those of [`crate::step::Single`].
    pub(crate) single: bool,
}

impl Judge<'_> {
    /// Judges an example, and gives what was predicted for it.
    #[inline(always)]
    pub(crate) fn judge<L: Loops>(
        self,
        loops: L,
        step: impl Step,
        loss: impl Loss,
        seen: &Seen,
        base: &BaseFeatures,
    ) -> f32 {
        let Judge { guard, tally, settings, pace, scratches, single } = self;
        let Seen { score, label, importance, .. } = *seen;
        let Some(guard) = guard else {
            let own = seen.clip(score);
            tally.add(own, label, importance, loss.value(own, label));
            return own;
        };
        let is_learned = importance > 0.0 && seen.used.learned;
        let surprise = |prediction: f32| Surprise { prediction, label, importance };
        // The linear expert learns from its own prediction, as it would alone.
        if single {
            let (mut weights, mixture) = guard.single(settings, pace, &mut scratches.hand);
            let features = Features { slots: &base.slots[1..], values: &base.values[1..] };
            let said = weights.open::<L, false>(loops, features) + seen.offset;
            let (mixed, linear) = compare(mixture, tally, loss, seen, said);
            if is_learned {
                weights.step::<L, false>(loops, loss, surprise(linear), loss.slope(linear, label));
            }
            return mixed;
        }
        let active = Active { base, linear: expansion::linear(base), products: &[], straight: None };
        let said = guard.open(loops, active, scratches) + seen.offset;
        let (mixed, linear) = compare(&mut guard.state.mixture, tally, loss, seen, said);
        if is_learned {
            step.step(loops, guard.moved(settings, pace), active, loss, surprise(linear), scratches);
        }
        mixed
    }
}

/// Takes note of an example for which the linear expert `said` something: what is predicted, and what the linear expert predicts.
#[inline(always)]
fn compare(mixture: &mut Mixture, tally: &mut Tally, loss: impl Loss, seen: &Seen, said: f32) -> (f32, f32) {
    let Seen { score, label, importance, .. } = *seen;
    let own = seen.clip(score);
    let (mixed, linear) = (seen.clip(mixture.mix(score, said)), seen.clip(said));
    let (own_loss, linear_loss) = (loss.value(own, label), loss.value(linear, label));
    // Mostly one of the two has all the say.
    let mixed_loss = match mixed {
        mixed if mixed == own => own_loss,
        mixed if mixed == linear => linear_loss,
        mixed => loss.value(mixed, label),
    };
    tally.add(mixed, label, importance, mixed_loss);
    if seen.used.judges {
        mixture.add(own_loss, linear_loss, importance);
    }
    (mixed, linear)
}
