use super::weight::Weight;
use super::{Candidate, Select};

/// All places but one by weight; the last to the first candidate of the smallest degree. So every monomial of degree
/// l is in the feature set after O(d^(l-1)) growths, whatever the weights say.
pub(super) struct Fallback;

impl Select for Fallback {
    fn choose(&self, candidates: Vec<Candidate>, count: usize) -> Vec<Candidate> {
        let Some(places) = count.checked_sub(1) else { return Vec::new() };
        let mut chosen = Weight.choose(candidates.clone(), places);
        let order = |candidate: &Candidate| (candidate.degree, candidate.origin, candidate.slot);
        let lowest = candidates.into_iter().filter(|candidate| !chosen.contains(candidate)).min_by_key(order);
        chosen.extend(lowest);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidate;
    use super::*;

    #[test]
    fn one_place_goes_to_the_smallest_degree() {
        let candidates = vec![
            candidate(Some(0), 2, 2, 0.9),
            candidate(Some(0), 3, 2, 0.8),
            candidate(None, 7, 1, 0.0),
            candidate(None, 9, 1, 0.1),
        ];
        let chosen: Vec<u32> = Fallback.choose(candidates, 2).iter().map(|candidate| candidate.slot).collect();
        assert_eq!(chosen, [2, 7]);
    }
}
