use super::{Candidate, Choice, Select, Strongest};

/// All places but one by weight; the last to the first candidate of the smallest degree. So every monomial of degree
/// l is in the feature set after O(d^(l-1)) growths, whatever the weights say.
pub(super) struct Fallback;

struct WithLowest {
    strongest: Box<Strongest>,
    /// The `count` first candidates by degree: the strongest cannot be all of them.
    lowest: Vec<Candidate>,
    count: usize,
}

impl Select for Fallback {
    fn choice(&self, count: usize) -> Box<dyn Choice> {
        let strongest = Strongest::new(count.saturating_sub(1));
        Box::new(WithLowest { strongest, lowest: Vec::new(), count })
    }
}

impl WithLowest {
    fn cut(&mut self) {
        self.lowest.sort_unstable_by_key(|candidate| (candidate.degree, candidate.origin, candidate.slot));
        self.lowest.truncate(self.count);
    }
}

impl Choice for WithLowest {
    fn offer(&mut self, candidate: Candidate) {
        self.strongest.offer(candidate);
        self.lowest.push(candidate);
        if self.lowest.len() / 2 > self.count.max(512) {
            self.cut();
        }
    }

    fn chosen(mut self: Box<Self>) -> Vec<Candidate> {
        self.cut();
        let mut chosen = self.strongest.chosen();
        let lowest = self.lowest.into_iter().find(|candidate| !chosen.contains(candidate));
        chosen.extend(lowest);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::super::{candidate, chosen_by};
    use super::*;

    #[test]
    fn one_place_goes_to_the_smallest_degree() {
        let candidates = [
            candidate(Some(0), 2, 2, 0.9),
            candidate(Some(0), 3, 2, 0.8),
            candidate(None, 7, 1, 0.0),
            candidate(None, 9, 1, 0.1),
        ];
        assert_eq!(chosen_by(&Fallback, &candidates, 2), [2, 7]);
        assert!(chosen_by(&Fallback, &candidates, 0).is_empty());
    }
}
