/// The exact area under the ROC curve: the chance that a positive example scores above a negative one, ties
/// counting one half.
///
/// ```
/// use russet::metrics::Auc;
/// let mut auc = Auc::default();
/// for (score, positive) in [(0.9, true), (0.4, false), (0.4, true), (0.1, false)] {
///     auc.add(score, positive, 1.0);
/// }
/// assert_eq!(auc.value(), Some(0.875));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Auc {
    /// (score, importance with the class as its sign)
    scores: Vec<(f32, f32)>,
}

impl Auc {
    /// Adds an example.
    pub fn add(&mut self, score: f32, positive: bool, importance: f32) {
        self.scores.push((score, if positive { importance } else { -importance }));
    }

    /// The area, if there are examples of both classes.
    pub fn value(self) -> Option<f64> {
        let mut scores = self.scores;
        scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut negatives, mut positives, mut area) = (0.0f64, 0.0f64, 0.0f64);
        for ties in scores.chunk_by(|a, b| a.0 == b.0) {
            let weight = |wanted: f32| ties.iter().map(|tie| f64::from((tie.1 * wanted).max(0.0))).sum::<f64>();
            let (tied_positives, tied_negatives) = (weight(1.0), weight(-1.0));
            area += tied_positives * (negatives + tied_negatives / 2.0);
            negatives += tied_negatives;
            positives += tied_positives;
        }
        (negatives > 0.0 && positives > 0.0).then(|| area / (negatives * positives))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_count_of_pairs(examples in prop::collection::vec((0i32..6, any::<bool>(), 1u8..4), 0..40)) {
            let mut auc = Auc::default();
            let (mut won, mut pairs) = (0.0, 0.0);
            for (score, positive, importance) in &examples {
                auc.add(*score as f32 / 3.0 - 1.0, *positive, f32::from(*importance));
            }
            for positive in examples.iter().filter(|example| example.1) {
                for negative in examples.iter().filter(|example| !example.1) {
                    let weight = f64::from(positive.2) * f64::from(negative.2);
                    pairs += weight;
                    won += weight * match positive.0.cmp(&negative.0) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
            match auc.value() {
                Some(value) => prop_assert!((value - won / pairs).abs() < 1e-12),
                None => prop_assert_eq!(pairs, 0.0),
            }
        }
    }

    #[test]
    fn minus_zero_ties_with_zero() {
        let mut auc = Auc::default();
        auc.add(-0.0, true, 1.0);
        auc.add(0.0, false, 1.0);
        assert_eq!(auc.value(), Some(0.5));
    }
}
