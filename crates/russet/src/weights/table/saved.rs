//! Weights as they are saved.

use super::WeightTable;
use crate::weights::Slot;

/// A weight as it is saved: `w`, `G`, `N` and the count of its feature, in little-endian order.
pub(crate) type Saved = [u8; 16];

/// How many saved weights are read at a time.
const PIECE: usize = 1 << 14;

/// A saved weight, without a key, and the count of its feature.
#[inline]
pub(crate) fn unpacked(saved: &Saved) -> (Slot, u32) {
    let [weight, gradient, scale, count]: [[u8; 4]; 4] = bytemuck::cast(*saved);
    let [weight, gradient, scale] = [weight, gradient, scale].map(f32::from_le_bytes);
    (Slot { weight, gradient, scale, key: 0 }, u32::from_le_bytes(count))
}

impl WeightTable {
    /// Replaces all weights, and their counts, by saved ones, which `read` reads piece by piece to where it is told. False if one
    /// of them cannot be. The table keeps each weight together.
    pub(crate) fn restore<E>(&mut self, mut read: impl FnMut(&mut [u8]) -> Result<(), E>) -> Result<bool, E> {
        self.expect(self.len());
        let (slots, counts) = self.slots_and_counts();
        debug_assert_eq!(slots.len(), counts.len());
        let mut sound = true;
        // In pieces that are in the cache still when the counts are taken out.
        for (slots, counts) in slots.chunks_mut(PIECE).zip(counts.chunks_mut(PIECE)) {
            read(bytemuck::cast_slice_mut(slots))?;
            for (slot, count) in slots.iter_mut().zip(counts) {
                (*slot, *count) = unpacked(bytemuck::cast_ref(slot));
                sound &= slot.is_sound();
            }
        }
        Ok(sound)
    }
}
