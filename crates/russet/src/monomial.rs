//! Products of base features, in one canonical form: a multiset, so `x * y` and `y * x` are one monomial.

/// A product of base features: their slots in ascending order, a slot as often as its feature is a factor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Monomial(Vec<u32>);

impl Monomial {
    /// A base feature alone.
    pub(crate) fn base(slot: u32) -> Monomial {
        Monomial(vec![slot])
    }

    /// This monomial times a base feature.
    pub(crate) fn times(&self, slot: u32) -> Monomial {
        let mut slots = self.0.clone();
        slots.insert(slots.partition_point(|other| *other <= slot), slot);
        Monomial(slots)
    }

    /// The product of base features in any order; there must be one at least.
    pub(crate) fn of(mut slots: Vec<u32>) -> Monomial {
        slots.sort_unstable();
        Monomial(slots)
    }

    /// This monomial with one factor less, which it must have.
    pub(crate) fn without(&self, slot: u32) -> Monomial {
        let mut slots = self.0.clone();
        slots.remove(slots.partition_point(|other| *other < slot));
        Monomial(slots)
    }

    /// How many factors there are.
    pub(crate) fn degree(&self) -> usize {
        self.0.len()
    }

    /// The factors' slots, ascending.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.0
    }

    /// True if a base feature is a factor.
    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.0.binary_search(&slot).is_ok()
    }

    /// If `other` has the same degree and differs in exactly one factor: that factor of `other`. The two then have a
    /// product in common: this one times that factor. The obvious way, for tests to compare with.
    #[cfg(test)]
    pub(crate) fn one_step_to(&self, other: &Monomial) -> Option<u32> {
        if self.degree() != other.degree() {
            return None;
        }
        let only_in = |a: &[u32], b: &[u32]| {
            let (mut rest, mut only) = (b, Vec::new());
            for slot in a {
                match rest.iter().position(|other| other >= slot) {
                    Some(place) if rest[place] == *slot => rest = &rest[place + 1..],
                    Some(place) => {
                        rest = &rest[place..];
                        only.push(*slot);
                    }
                    None => {
                        rest = &[];
                        only.push(*slot);
                    }
                }
            }
            only
        };
        match only_in(&other.0, &self.0).as_slice() {
            [slot] => Some(*slot),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(slots: &[u32]) -> Monomial {
        let mut rest = slots.iter();
        let first = Monomial::base(*rest.next().unwrap());
        rest.fold(first, |monomial, slot| monomial.times(*slot))
    }

    #[test]
    fn the_order_of_factors_does_not_matter() {
        assert_eq!(of(&[3, 1, 2, 1]), of(&[1, 2, 1, 3]));
        assert_eq!(of(&[3, 1, 2, 1]).slots(), [1, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn one_step_leads_to_a_common_product(
            a in prop::collection::vec(1u32..5, 1..5), b in prop::collection::vec(1u32..5, 1..5),
        ) {
            let (a, b) = (of(&a), of(&b));
            let brute = (1..5).find(|slot| a != b && (1..5).any(|other| a.times(*slot) == b.times(other)));
            prop_assert_eq!(a.one_step_to(&b), brute, "{:?} {:?}", a, b);
        }
    }
}
