use bytemuck::{Pod, Zeroable};

/// A weight and what its learning rate is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Slot {
    /// The weight `w`, before the pull of L1 and L2 (see [`crate::step::Shrinkage`]).
    pub weight: f32,
    /// `G`: the sum of the squared gradients seen.
    pub gradient: f32,
    /// `N`: the largest |value| the feature has had; 0 if it never appeared.
    pub scale: f32,
    /// `1 / N`, kept so that the inner loop need not divide; 0 where `N` is.
    pub inverse_scale: f32,
}

impl Slot {
    /// True if no example has touched it.
    pub fn is_untouched(&self) -> bool {
        *self == Slot::default()
    }

    /// Takes note of a value larger than any before: the weight is rescaled by `N / N'`, so that it means
    /// the same on the new scale.
    #[inline]
    pub(crate) fn widen(&mut self, magnitude: f32) {
        if self.scale > 0.0 {
            self.weight *= self.scale / magnitude;
        }
        self.scale = magnitude;
        self.inverse_scale = 1.0 / magnitude;
    }
}
