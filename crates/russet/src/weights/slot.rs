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
    /// What a table that finds weights by key needs to know them; 0 in other tables.
    pub(crate) key: u32,
}

impl Slot {
    /// The weight of a product that is not in the feature set: with an infinite `N` it never moves and counts for nothing,
    /// and with the largest `G` there is not even a bit of it that changes. So rows need not leave anything out.
    pub const SEALED: Slot = Slot { weight: 0.0, gradient: f32::MAX, scale: f32::INFINITY, key: 0 };

    /// True if this is [`Slot::SEALED`].
    #[inline]
    pub fn is_sealed(&self) -> bool {
        self.scale == f32::INFINITY
    }

    /// True if its numbers are such as learning can lead to: a file may say anything.
    #[inline]
    pub(crate) fn is_sound(&self) -> bool {
        // Without a branch, and as one comparison of all of them: this is asked of every weight that is loaded. The bits of finite
        // numbers that are not negative, and of no others, are these; -0 is negative, as `1 / N` would be.
        const POSITIVE: u32 = f32::MAX.to_bits();
        let magnitude = self.weight.to_bits() & !(1 << 31);
        let fields = [magnitude, self.gradient.to_bits(), self.scale.to_bits(), 0];
        fields.map(|bits| bits <= POSITIVE) == [true; 4]
    }

    /// True if no example has touched it.
    pub fn is_untouched(&self) -> bool {
        self.scale == 0.0 && self.weight == 0.0 && self.gradient == 0.0 || self.is_sealed()
    }

    /// Takes note of a value larger than any before: the weight is rescaled by `N / N'`, so that it means
    /// the same on the new scale.
    #[inline]
    pub(crate) fn widen(&mut self, magnitude: f32) {
        if self.scale > 0.0 {
            self.weight *= self.scale / magnitude;
        }
        self.scale = magnitude;
    }

    /// `1 / N`; finite also where `N` is 0, as only a value of 0 meets that.
    #[inline]
    pub(crate) fn inverse_scale(&self) -> f32 {
        super::at_most(1.0 / self.scale, f32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_not_sound() {
        let sound = Slot { weight: -2.0, gradient: 3.0, scale: 4.0, key: 0 };
        assert!(sound.is_sound() && Slot::default().is_sound());
        for wrong in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
            assert!(!Slot { weight: wrong, ..sound }.is_sound());
            assert!(!Slot { gradient: wrong, ..sound }.is_sound());
            assert!(!Slot { scale: wrong, ..sound }.is_sound());
        }
        for wrong in [-1.0, -0.0, -f32::MIN_POSITIVE] {
            assert!(Slot { weight: wrong, ..sound }.is_sound());
            assert!(!Slot { gradient: wrong, ..sound }.is_sound());
            assert!(!Slot { scale: wrong, ..sound }.is_sound());
        }
    }
}
