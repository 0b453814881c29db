use super::{Choice, Select, Strongest};

/// The largest weights.
pub(super) struct Weight;

impl Select for Weight {
    fn choice(&self, count: usize) -> Box<dyn Choice> {
        Strongest::new(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{candidate, chosen_by};
    use super::*;

    #[test]
    fn the_strongest_are_chosen_whatever_their_degree() {
        let candidates = [
            candidate(None, 1, 1, 0.1),
            candidate(Some(0), 2, 2, 0.9),
            candidate(None, 3, 1, 0.5),
            candidate(None, 4, 1, 0.0),
        ];
        assert_eq!(chosen_by(&Weight, &candidates, 2), [2, 3]);
        assert_eq!(chosen_by(&Weight, &candidates, 9).len(), 3);
    }
}
