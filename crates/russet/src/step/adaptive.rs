use serde::{Deserialize, Serialize};

use super::{Active, Moved, Scratches, Step, Surprise};
use crate::loss::Loss;
use crate::weights::{Loops, bounded};

/// The adaptive, normalised, importance-aware step; see the [module](crate::step).
#[derive(Clone, Copy, Debug)]
pub struct Adaptive;

/// What the global scale of the step is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GlobalScale {
    /// `T`: the importance of all examples learned from.
    pub importance: f64,
    /// `S`: the sum of importance times `sum_i x_i^2 / N_i^2`.
    pub norm: f64,
}

impl GlobalScale {
    /// Takes note of an example and gives `c = sqrt(T / S)`.
    #[inline]
    pub(crate) fn add(&mut self, importance: f32, norm: f32) -> f32 {
        self.importance += f64::from(importance);
        self.norm += f64::from(importance) * f64::from(norm);
        if self.norm > 0.0 { ((self.importance / self.norm) as f32).sqrt() } else { 1.0 }
    }
}

impl Step for Adaptive {
    const NEEDS_SLOPE: bool = true;

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
        let Surprise { prediction, label, importance } = surprise;
        let slope = loss.slope(prediction, label);
        let squared_slope = (importance * slope * slope).min(f32::MAX);
        if squared_slope == 0.0 {
            return;
        }
        // Products first: new ones inherit from base weights as they were before this example.
        let Active { base, linear, products, .. } = active;
        let origins = moved.linear.slots();
        let products = moved.products.measure(loops, products, base, origins, squared_slope, &mut scratches.products);
        let linear = moved.linear.measure(loops, &[linear], base, &[], squared_slope, &mut scratches.linear);
        let scale = moved.scale.add(importance, linear.norm + products.norm);
        let sensitivity = scale * (linear.sensitivity + products.sensitivity);
        let size = loss.step(prediction, label, moved.rate * importance, sensitivity);
        // The step as a multiple of the plain gradient step: how long L1 and L2 pull.
        let size = moved.shrinkage.pull(size, -size / slope, moved.settings.l1, moved.settings.l2);
        moved.move_weights(loops, active, scale * size, scratches);
    }
}

impl Moved<'_> {
    #[inline(always)]
    pub(super) fn move_weights<L: Loops>(
        &mut self,
        loops: L,
        active: Active<'_>,
        step: f32,
        scratches: &mut Scratches,
    ) {
        // An infinite step would not even leave weights alone that it has no direction for.
        let step = if step.is_nan() { 0.0 } else { bounded(step) };
        self.linear.close(loops, &[active.linear], active.base, step, &mut scratches.linear);
        self.products.close(loops, active.products, active.base, step, &mut scratches.products);
        if self.shrinkage.is_spent() {
            self.shrinkage.settle(&mut [self.linear, self.products]);
        }
    }
}
