use crate::weights::extend_with_zeros;

/// A set of base slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(pub(super) Vec<u64>);

impl Bits {
    #[inline]
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            extend_with_zeros(&mut self.0, word + 1, usize::MAX);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    /// True if 1, 2 and so on up to `count` are in the set; false also if there are too many to tell quickly.
    #[inline]
    pub(super) fn has_first(&self, count: usize) -> bool {
        let wanted = (1u64 << (count % 64)) - 1;
        count < 64 && self.0.first().is_some_and(|word| word >> 1 & wanted == wanted)
    }

    /// The set as words of 64 slots each.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.0
    }

    pub(crate) fn clear(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }
}
