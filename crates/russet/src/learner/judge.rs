//! What comes after the model's own weights are done with an example, and does not change them: the guard's linear expert
//! learns, the two experts are compared, and progressive validation takes note.

use crate::expansion;
use crate::guard::{Guard, Use};
use crate::loss::Loss;
use crate::metrics::Tally;
use crate::settings::Settings;
use crate::step::{Active, Scratches, Step, Surprise};
use crate::weights::{BaseFeatures, Loops};

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
        let Judge { guard, tally, settings, pace, scratches } = self;
        let Seen { score, label, importance, .. } = *seen;
        let own = seen.clip(score);
        let own_loss = loss.value(own, label);
        let Some(guard) = guard else {
            tally.add(own, label, importance, own_loss);
            return own;
        };
        let active = Active { base, linear: expansion::linear(base), products: &[] };
        let linear_score = guard.open(loops, active, scratches) + seen.offset;
        let (mixed, linear) = (seen.clip(guard.state.mixture.mix(score, linear_score)), seen.clip(linear_score));
        let linear_loss = loss.value(linear, label);
        // Mostly one of the two has all the say.
        let mixed_loss = match mixed {
            mixed if mixed == own => own_loss,
            mixed if mixed == linear => linear_loss,
            mixed => loss.value(mixed, label),
        };
        tally.add(mixed, label, importance, mixed_loss);
        if seen.used.judges {
            guard.state.mixture.add(own_loss, linear_loss, importance);
        }
        if importance > 0.0 && seen.used.learned {
            // The linear expert learns from its own prediction, as it would alone.
            let surprise = Surprise { prediction: linear, label, importance };
            step.step(loops, guard.moved(settings, pace), active, loss, surprise, scratches);
        }
        mixed
    }
}
