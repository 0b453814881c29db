use super::{Choice, Evidence, Select};

/// Another rule, by which products are also chosen one by one: those of new parents are on trial for an epoch, in which they
/// learn from the model's errors without a say in its predictions, and the strongest by the rule enter the feature set.
pub(super) struct Picky<S>(pub(super) S);

impl<S: Select> Select for Picky<S> {
    fn strength(&self, evidence: Evidence) -> f32 {
        self.0.strength(evidence)
    }

    fn observes(&self) -> bool {
        self.0.observes()
    }

    fn is_picky(&self) -> bool {
        true
    }

    fn choice(&self, count: usize) -> Box<dyn Choice> {
        self.0.choice(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ssm::Ssm, weight::Weight};
    use super::*;

    #[test]
    fn candidates_are_tested_as_the_rule_does() {
        let evidence = Evidence { weight: 0.25, index: 4.0 };
        assert_eq!((Picky(Weight).strength(evidence), Picky(Ssm).strength(evidence)), (0.25, 4.0));
        assert!(Picky(Ssm).observes() && !Picky(Weight).observes());
        assert!(Picky(Weight).is_picky() && !Weight.is_picky());
    }
}
