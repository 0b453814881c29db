//! Which monomials become parents.

mod fallback;
mod weight;

use serde::{Deserialize, Serialize};

/// The rules by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectKind {
    /// The largest weights, each on its feature's own scale.
    #[default]
    Weight,
    /// The same, but one place goes to a monomial of the smallest degree, so that every monomial comes in at last.
    Fallback,
}

/// A monomial that may become a parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The parent that it is a product of, unless it is a base feature.
    pub(crate) origin: Option<u32>,
    /// Its last factor.
    pub(crate) slot: u32,
    pub(crate) degree: usize,
    /// `|w| N`: its weight on its own scale.
    pub(crate) strength: f32,
}

/// Chooses from candidates.
pub(crate) trait Select {
    /// At most `count` of the candidates.
    fn choose(&self, candidates: Vec<Candidate>, count: usize) -> Vec<Candidate>;
}

impl SelectKind {
    /// The rule of this name.
    pub(crate) fn rule(self) -> &'static dyn Select {
        match self {
            SelectKind::Weight => &weight::Weight,
            SelectKind::Fallback => &fallback::Fallback,
        }
    }
}

/// The `count` strongest, strongest first. Equals are ordered by where they come from, so that the order does not depend
/// on the storage. There may be millions to choose a few hundred from, so only those are sorted.
fn strongest(mut candidates: Vec<Candidate>, count: usize) -> Vec<Candidate> {
    let origin = |candidate: &Candidate| (candidate.origin.map_or(0, |origin| u64::from(origin) + 1), candidate.slot);
    let order =
        |a: &Candidate, b: &Candidate| b.strength.total_cmp(&a.strength).then_with(|| origin(a).cmp(&origin(b)));
    if count < candidates.len() {
        candidates.select_nth_unstable_by(count, order);
        candidates.truncate(count);
    }
    candidates.sort_unstable_by(order);
    candidates
}

#[cfg(test)]
pub(crate) fn candidate(origin: Option<u32>, slot: u32, degree: usize, strength: f32) -> Candidate {
    Candidate { origin, slot, degree, strength }
}
