use super::{BaseFeatures, Lanes, Row, Slot};

/// The three loops over an example's active features. Every version gives the same bits.
///
/// Each takes rows of one table. They are `unsafe` because they do not check that a row is inside the table.
pub(crate) trait Loops: Copy {
    /// Adds `sum_i w_i x_i` to `total`, with L1's pull of `gravity` on each weight.
    ///
    /// # Safety
    /// Every row is inside `slots`.
    unsafe fn score(slots: &[Slot], rows: &[Row], base: &BaseFeatures, gravity: f32, total: &mut Lanes);

    /// For each feature: `G += g^2 x^2`, `N = max(N, |x|)`, and the direction `x / (N sqrt(G))` in which its weight
    /// will move.
    ///
    /// # Safety
    /// Every row is inside `slots`; the base features are distinct; `directions` has room for all active features.
    unsafe fn measure(
        slots: &mut [Slot],
        rows: &[Row],
        base: &BaseFeatures,
        squared_slope: f32,
        sums: &mut Sums,
        directions: &mut [f32],
    );

    /// `w_i += step * direction_i`
    ///
    /// # Safety
    /// Every row is inside `slots`.
    unsafe fn apply(slots: &mut [Slot], rows: &[Row], base: &BaseFeatures, step: f32, directions: &[f32]);
}

/// The sums that [`Loops::measure`] adds to.
#[derive(Default)]
pub(crate) struct Sums {
    /// `sum_i x_i^2 / N_i^2`
    pub(crate) norm: Lanes,
    /// `sum_i x_i^2 / (N_i sqrt(G_i))`, the sensitivity
    pub(crate) sensitivity: Lanes,
}

/// One feature at a time, said plainly: the oracle.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// Several features at a time, where a row's weights are its own.
#[derive(Clone, Copy)]
pub(crate) struct Wide;
