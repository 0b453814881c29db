//! Sets of base slots where there are few.

use crate::weights::BaseFeatures;

/// Up to how many base slots there may be, the constant's included: sets of them fit into two numbers.
pub(super) const WIDEST: u32 = 128;

/// A set of base slots below [`WIDEST`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Few {
    /// Those below 64.
    low: u64,
    /// The others, less 64.
    high: u64,
}

impl Few {
    /// Those of `slots` that are below [`WIDEST`].
    #[inline(always)]
    pub(crate) fn of(slots: &[u32]) -> Few {
        let bit = |place: u32| 1u64.checked_shl(place).unwrap_or(0);
        let (mut low, mut high) = (0, 0);
        for &slot in slots {
            low |= bit(slot);
            high |= bit(slot.wrapping_sub(64));
        }
        Few { low, high }
    }

    /// The first slots, below `end`.
    fn first(end: usize) -> Few {
        let below = |end: usize| 1u64.checked_shl(end as u32).unwrap_or(0).wrapping_sub(1);
        Few { low: below(end), high: below(end.saturating_sub(64)) }
    }

    /// Those of an example.
    #[inline(always)]
    pub(crate) fn of_base(base: &BaseFeatures) -> Few {
        if base.is_straight() { Few::first(base.slots.len()) } else { Few::of(&base.slots) }
    }

    pub(crate) fn without(self, slot: u32) -> Few {
        let Few { low, high } = Few::of(&[slot]);
        Few { low: self.low & !low, high: self.high & !high }
    }

    /// How many are in both sets.
    #[inline(always)]
    pub(crate) fn count_common(self, other: Few) -> u32 {
        (self.low & other.low).count_ones() + (self.high & other.high).count_ones()
    }
}

/// True if every base slot below `width` fits into [`Few`].
#[inline]
pub(crate) fn is_narrow(width: u32) -> bool {
    width <= WIDEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_slots() {
        for end in 1..=WIDEST {
            let slots: Vec<u32> = (0..end).collect();
            assert_eq!(Few::first(end as usize), Few::of(&slots));
            let (some, there) =
                (Few::of(&[0, 63, 64, 127, 128, u32::MAX]), [0, 63, 64, 127].iter().filter(|slot| **slot < end));
            assert_eq!(Few::of(&slots).count_common(some) as usize, there.count());
            assert_eq!(Few::of(&slots).without(end - 1), Few::first(end as usize - 1));
        }
    }
}
