//! How often a feature is active. Counting costs time and is only for people to read, so it is done on every one of the
//! first examples, and then on a fixed share of them. The count of the constant, which is always active, says how many
//! examples were counted.

/// Up to this example, every one is counted.
const ALL: u64 = 1 << 12;
/// After that, every one whose number is a multiple of this.
const EVERY: u64 = 1 << 5;

/// True if features are counted on the `number`th example (from 1).
#[inline]
pub(crate) fn is_counted(number: u64) -> bool {
    number <= ALL || number.is_multiple_of(EVERY)
}
