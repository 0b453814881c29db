use super::{Active, Moved, Scratches, Step, Surprise};
use crate::loss::Loss;
use crate::weights::Loops;

/// `w <- (1 - eta_t lambda) w - eta_t h slope(p) x` with `eta_t = 1 / (lambda (t + 1))`, t = 1, 2, ...
///
/// The theorem's setting: stochastic gradient descent on the expected loss plus `lambda |w|^2 / 2`, `lambda`
/// being the `l2` of the settings. The factor `1 - eta_t lambda = t / (t + 1)` is applied lazily.
#[derive(Clone, Copy, Debug)]
pub struct Sgd;

impl Step for Sgd {
    const NEEDS_SLOPE: bool = false;

    #[inline(always)]
    fn step<L: Loops>(
        self,
        loops: L,
        mut moved: Moved<'_>,
        active: Active<'_>,
        loss: impl Loss,
        surprise: Surprise,
        scratches: &mut Scratches,
    ) {
        *moved.rounds += 1;
        let rounds = *moved.rounds;
        let rate = 1.0 / (f64::from(moved.settings.l2) * (rounds + 1) as f64);
        let slope = loss.slope(surprise.prediction, surprise.label);
        let size = -rate * f64::from(surprise.importance) * f64::from(slope);
        let size = size.clamp(f32::MIN.into(), f32::MAX.into()) as f32;
        let kept = rounds as f64 / (rounds + 1) as f64;
        let size = moved.shrinkage.pull_by(size, kept, rate * f64::from(moved.settings.l1));
        moved.linear.point_along_values(&[active.linear], active.base, &mut scratches.linear);
        moved.products.point_along_values(active.products, active.base, &mut scratches.products);
        moved.move_weights(loops, active, size, scratches);
    }
}
