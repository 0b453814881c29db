//! Which monomials become parents.
//!
//! A rule is a `Select`; for each growth it makes a `Choice` that is offered every monomial that may become a parent.

mod fallback;
mod picky;
mod ssm;
mod weight;

use serde::{Deserialize, Serialize};

/// The rules by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectKind {
    /// The largest weights, each on its feature's own scale.
    #[default]
    Weight,
    /// Those where the model is most wrong: `E[r^2 m^2] / E[m^2]`, `r` being the slope of the loss and `m` the monomial, over
    /// the epoch.
    Ssm,
    /// As `weight`, but one place goes to a monomial of the smallest degree, so that every monomial comes in at last.
    Fallback,
    /// As `weight`, but the products of new parents are on trial for an epoch, and only the strongest enter the feature set.
    PickyWeight,
    /// As `ssm`, but the products of new parents are on trial for an epoch, and only the strongest enter the feature set.
    PickySsm,
}

/// A monomial that may become a parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The parent that it is a product of, unless it is a base feature.
    pub(crate) origin: Option<u32>,
    /// Its last factor.
    pub(crate) slot: u32,
    pub(crate) degree: usize,
    /// What speaks for it, as the rule sees it.
    pub(crate) strength: f32,
}

/// What is known of a monomial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// `|w| N`: its weight on its own scale.
    pub(crate) weight: f32,
    /// `E[r^2 m^2] / E[m^2]` over the epoch, if the rule asks for it.
    pub(crate) index: f32,
}

/// A rule by which candidates are chosen.
pub(crate) trait Select: Sync {
    /// What speaks for a candidate: its weight, for all rules that do not [observe](Select::observes).
    fn strength(&self, evidence: Evidence) -> f32 {
        evidence.weight
    }

    /// True if [`Evidence::index`] is wanted.
    fn observes(&self) -> bool {
        false
    }

    /// True if products have to pass a trial before they enter the feature set.
    fn is_picky(&self) -> bool {
        false
    }

    /// A choice of at most `count` candidates.
    fn choice(&self, count: usize) -> Box<dyn Choice>;
}

/// A choice that is being made. There may be millions of candidates, so it keeps only those that may be chosen.
pub(crate) trait Choice {
    /// Considers a candidate.
    fn offer(&mut self, candidate: Candidate);

    /// What is weaker than this need not be offered. It only rises.
    fn floor(&self) -> f32 {
        0.0
    }

    /// The chosen ones.
    fn chosen(self: Box<Self>) -> Vec<Candidate>;
}

impl SelectKind {
    /// The rule of this name.
    pub(crate) fn rule(self) -> &'static dyn Select {
        match self {
            SelectKind::Weight => &weight::Weight,
            SelectKind::Ssm => &ssm::Ssm,
            SelectKind::Fallback => &fallback::Fallback,
            SelectKind::PickyWeight => &picky::Picky(weight::Weight),
            SelectKind::PickySsm => &picky::Picky(ssm::Ssm),
        }
    }
}

/// The `count` strongest, strongest first. Equals are ordered by where they come from, so that the order does not depend
/// on the storage. A strength of 0 points nowhere.
struct Strongest {
    count: usize,
    found: Vec<Candidate>,
    /// What is weaker than this cannot be chosen any more.
    floor: f32,
}

impl Choice for Strongest {
    fn offer(&mut self, candidate: Candidate) {
        if candidate.strength > 0.0 && candidate.strength >= self.floor {
            self.found.push(candidate);
            if self.found.len() / 2 > self.count.max(512) {
                self.cut();
            }
        }
    }

    fn floor(&self) -> f32 {
        // A strength of 0 is not chosen either.
        self.floor.max(f32::from_bits(1))
    }

    fn chosen(mut self: Box<Self>) -> Vec<Candidate> {
        self.cut();
        self.found
    }
}

impl Strongest {
    fn new(count: usize) -> Box<Strongest> {
        Box::new(Strongest { count, found: Vec::new(), floor: 0.0 })
    }

    /// Strongest first, and no more than can be chosen.
    fn cut(&mut self) {
        let origin =
            |candidate: &Candidate| (candidate.origin.map_or(0, |origin| u64::from(origin) + 1), candidate.slot);
        let order =
            |a: &Candidate, b: &Candidate| b.strength.total_cmp(&a.strength).then_with(|| origin(a).cmp(&origin(b)));
        self.found.sort_unstable_by(order);
        self.found.truncate(self.count);
        if self.found.len() == self.count {
            self.floor = self.found.last().map_or(0.0, |weakest| weakest.strength);
        }
    }
}

#[cfg(test)]
fn candidate(origin: Option<u32>, slot: u32, degree: usize, strength: f32) -> Candidate {
    Candidate { origin, slot, degree, strength }
}

/// The slots of the candidates that a rule chooses.
#[cfg(test)]
fn chosen_by(rule: &dyn Select, candidates: &[Candidate], count: usize) -> Vec<u32> {
    let mut choice = rule.choice(count);
    candidates.iter().for_each(|candidate| choice.offer(*candidate));
    choice.chosen().iter().map(|candidate| candidate.slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rules_that_do_not_observe_go_by_weight() {
        use SelectKind::{Fallback, PickySsm, PickyWeight, Ssm, Weight};
        for kind in [Weight, Ssm, Fallback, PickyWeight, PickySsm] {
            let strength = kind.rule().strength(Evidence { weight: 0.25, index: 4.0 });
            assert_eq!(strength == 0.25, !kind.rule().observes(), "{kind:?}");
        }
    }

    proptest! {
        #[test]
        fn the_strongest_of_many_are_those_of_a_sorted_list(
            strengths in prop::collection::vec(0u8..200, 0..4000), count in 0usize..40,
        ) {
            let mut all: Vec<Candidate> =
                (0..).zip(&strengths).map(|(slot, strength)| candidate(None, slot, 1, f32::from(*strength))).collect();
            let mut strongest = Strongest::new(count);
            all.iter().for_each(|candidate| strongest.offer(*candidate));
            all.retain(|candidate| candidate.strength > 0.0);
            all.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.slot.cmp(&b.slot)));
            all.truncate(count);
            prop_assert_eq!(strongest.chosen(), all);
        }
    }
}
