use super::{Bits, Factors};
use crate::expansion::steps;
use crate::monomial::Monomial;

/// A monomial whose products are in the feature set.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) monomial: Monomial,
    /// The parent that it is a product of, unless it is a base feature; and the last factor.
    pub(crate) origin: (Option<u32>, u32),
    /// After which epoch it became a parent, from 1.
    pub(crate) epoch: u32,
    /// What new products of it start with: see [`crate::weights::Row::heritage`].
    pub(crate) heritage: f32,
    /// Those of its factors whose product with it belongs to an earlier parent, ascending.
    pub(super) barred: Vec<u32>,
    /// The factors (by number) whose product with it is not in the feature set by this parent: those barred, and 0/1
    /// features that it has already.
    pub(super) sealed: Bits,
    /// Its products that are parents: the further factor and the parent, by ascending factor.
    pub(super) offspring: Vec<(u32, u32)>,
    /// The numbers of those factors.
    pub(super) offspring_factors: Vec<u32>,
}

impl Parent {
    /// How many of an example's factors make a product that is not in the feature set.
    #[inline]
    pub(crate) fn count_sealed(&self, factors: &Factors) -> u32 {
        if self.sealed.0.len() > factors.listed.len() {
            steps::count(factors.listed.len());
            return factors.listed.iter().map(|factor| u32::from(self.sealed.has(*factor))).sum();
        }
        steps::count(self.sealed.0.len());
        self.sealed.0.iter().zip(&factors.present.0).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// Calls `visit(position)` for each of them.
    #[inline]
    pub(crate) fn visit_sealed(&self, factors: &Factors, mut visit: impl FnMut(usize)) {
        if self.sealed.0.len() > factors.listed.len() {
            steps::count(factors.listed.len());
            let sealed = factors.listed.iter().filter(|factor| self.sealed.has(**factor));
            sealed.for_each(|factor| visit(factors.positions[*factor as usize] as usize));
            return;
        }
        steps::count(self.sealed.0.len());
        for (word, (sealed, present)) in self.sealed.0.iter().zip(&factors.present.0).enumerate() {
            let mut both = sealed & present;
            while both != 0 {
                visit(factors.positions[word * 64 + both.trailing_zeros() as usize] as usize);
                both &= both - 1;
            }
        }
    }
}
