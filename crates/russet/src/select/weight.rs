use super::{Candidate, Select, strongest};

/// The largest weights; a weight of 0 points nowhere.
pub(super) struct Weight;

impl Select for Weight {
    fn choose(&self, mut candidates: Vec<Candidate>, count: usize) -> Vec<Candidate> {
        candidates.retain(|candidate| candidate.strength > 0.0);
        strongest(candidates, count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidate;
    use super::*;

    #[test]
    fn the_strongest_are_chosen_whatever_their_degree() {
        let candidates = vec![
            candidate(None, 1, 1, 0.1),
            candidate(Some(0), 2, 2, 0.9),
            candidate(None, 3, 1, 0.5),
            candidate(None, 4, 1, 0.0),
        ];
        let chosen: Vec<u32> = Weight.choose(candidates.clone(), 2).iter().map(|candidate| candidate.slot).collect();
        assert_eq!(chosen, [2, 3]);
        assert_eq!(Weight.choose(candidates, 9).len(), 3);
    }
}
