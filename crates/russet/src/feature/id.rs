use bytemuck::{Pod, Zeroable};
use std::fmt;
use std::ops::Range;

/// The identity of a base feature: 64 bits hashed from its namespace and name.
///
/// ```
/// use russet::feature::Namespace;
/// let words = Namespace::new(b"words");
/// assert_eq!(words.feature(b"apple"), words.feature(b"apple"));
/// assert_ne!(words.feature(b"apple"), Namespace::ANONYMOUS.feature(b"apple"));
/// // An all-digit name is its own number, however it is written.
/// assert_eq!(words.feature(b"007"), words.numbered(7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct FeatureId(pub u64);

impl fmt::Debug for FeatureId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{:016x}", self.0)
    }
}

impl FeatureId {
    /// The identity of the n-gram that continues `self` with `next`.
    pub fn followed_by(self, next: FeatureId) -> FeatureId {
        FeatureId(mix(self.0.rotate_left(23) ^ mix(next.0 ^ NGRAM)))
    }
}

/// A namespace: what its features' names are hashed together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace(u64);

const TEXT: u64 = 0x9e6c_63d0_76cc_4ced;
const NGRAM: u64 = 0x2545_f491_4f6c_dd1d;

impl Namespace {
    /// The namespace without a name.
    pub const ANONYMOUS: Namespace = Namespace(0x5bd1_e995_7b93_a1c5);

    /// The namespace called `name`; an empty name is the anonymous one.
    pub fn new(name: &[u8]) -> Namespace {
        if name.is_empty() {
            return Namespace::ANONYMOUS;
        }
        Namespace(hash(Namespace::ANONYMOUS.0, name))
    }

    /// The feature called `name`. A name of digits only is the number they write.
    pub fn feature(self, name: &[u8]) -> FeatureId {
        match number(name) {
            Some(number) => self.numbered(number),
            None => self.verbatim(name),
        }
    }

    /// The feature called `name`, letter by letter, even if they are digits: `007` is not `7`.
    pub fn verbatim(self, name: &[u8]) -> FeatureId {
        FeatureId(hash(self.0, name))
    }

    /// The same for a name that stands in a longer text: faster where eight more bytes follow it.
    ///
    /// ```
    /// use russet::feature::Namespace;
    /// let text = b"1 | apple:0.5 pear:0.25";
    /// assert_eq!(Namespace::ANONYMOUS.verbatim_in(text, 4..9), Namespace::ANONYMOUS.verbatim(b"apple"));
    /// ```
    #[inline]
    pub fn verbatim_in(self, text: &[u8], name: Range<usize>) -> FeatureId {
        FeatureId(hash_in(self.0, text, name))
    }

    /// The feature whose name is a number.
    #[inline]
    pub fn numbered(self, number: u64) -> FeatureId {
        FeatureId(mix(number.wrapping_add(self.0)))
    }

    /// The number that names a feature of this namespace; another feature's is a random one, almost surely huge.
    #[inline]
    pub fn number(self, id: FeatureId) -> u64 {
        unmix(id.0).wrapping_sub(self.0)
    }
}

/// The number a name writes, if it is one: digits only, at most 19 of them.
fn number(name: &[u8]) -> Option<u64> {
    if name.is_empty() || name.len() > 19 {
        return None;
    }
    name.iter().try_fold(0u64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u64::from(byte - b'0')))
}

/// A bijection of 64 bits in which every output bit depends on every input bit.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x ^= x >> 32;
    x = x.wrapping_mul(0xe703_7ed1_a0b4_28db);
    x ^= x >> 29;
    x = x.wrapping_mul(0x8ebc_6af0_9c88_c6e3);
    x ^ (x >> 32)
}

/// What [`mix`] makes `x` of.
#[inline]
fn unmix(mut x: u64) -> u64 {
    x ^= x >> 32;
    x = x.wrapping_mul(0x776c_d5b0_c8f4_aecb);
    x ^= x >> 29 ^ x >> 58;
    x = x.wrapping_mul(0x2e1b_9953_f3b3_9353);
    x ^ (x >> 32)
}

/// Hash of a byte string.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    hash_in(seed, bytes, 0..bytes.len())
}

/// Hash of a part of a text: eight bytes a step, each folded in by a 64 x 64 -> 128 bit product.
#[inline]
fn hash_in(seed: u64, text: &[u8], part: Range<usize>) -> u64 {
    let (chunks, rest) = text[part.clone()].as_chunks::<8>();
    let mut state = seed ^ TEXT;
    for chunk in chunks {
        state = fold(state ^ u64::from_le_bytes(*chunk), 0xa076_1d64_78bd_642f);
    }
    let last = last_bytes(text, part.end, rest);
    state = fold(state ^ last, 0xe703_7ed1_a0b4_28db);
    mix(state ^ (part.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Up to seven bytes, filled up with zeros: those of `text` before `end`. Read in one go with what stands behind or before them.
#[inline]
fn last_bytes(text: &[u8], end: usize, bytes: &[u8]) -> u64 {
    let bits = 8 * bytes.len() as u32;
    if let Some(eight) = text[end - bytes.len()..].first_chunk() {
        return u64::from_le_bytes(*eight) & ((1 << bits) - 1);
    }
    match text[..end].last_chunk() {
        Some(eight) => u64::from_le_bytes(*eight).checked_shr(64 - bits).unwrap_or(0),
        None => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn names_of_any_length_get_different_ids() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        let mut seen = HashSet::new();
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                assert!(seen.insert(Namespace::ANONYMOUS.feature(&text.as_bytes()[start..end])));
            }
        }
    }

    proptest! {
        #[test]
        fn mixing_can_be_undone(x: u64) {
            prop_assert_eq!(unmix(mix(x)), x);
            prop_assert_eq!(Namespace::ANONYMOUS.number(Namespace::ANONYMOUS.numbered(x)), x);
        }
    }

    proptest! {
        #[test]
        fn what_follows_a_name_makes_no_difference(name: Vec<u8>, before: Vec<u8>, behind: Vec<u8>) {
            let text = [&before[..], &name, &behind].concat();
            let found = Namespace::ANONYMOUS.verbatim_in(&text, before.len()..before.len() + name.len());
            prop_assert_eq!(found, Namespace::ANONYMOUS.verbatim(&name));
        }
    }

    #[test]
    fn a_trailing_zero_byte_makes_another_name() {
        assert_ne!(Namespace::ANONYMOUS.feature(b"a"), Namespace::ANONYMOUS.feature(b"a\0"));
    }

    #[test]
    fn ids_are_stable_for_ever() {
        // Model files hold these: a change of the hash would orphan every saved model.
        assert_eq!(Namespace::ANONYMOUS.numbered(1).0, 2_491_636_182_285_674_804);
        assert_eq!(Namespace::ANONYMOUS.feature(b"sex=female").0, 14_186_787_874_575_851_929);
        assert_eq!(Namespace::new(b"words").feature(b"apple").0, 14_237_440_401_588_402_460);
    }

    #[test]
    fn the_order_of_an_ngram_matters() {
        let [a, b] = [b"a", b"b"].map(|name| Namespace::ANONYMOUS.feature(name));
        assert_ne!(a.followed_by(b), b.followed_by(a));
    }
}
