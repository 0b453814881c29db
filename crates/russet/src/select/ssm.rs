use super::{Choice, Evidence, Select, Strongest};

/// Those where the model is most wrong, after Sanger, Sutton and Matheus (1992).
pub(super) struct Ssm;

impl Select for Ssm {
    fn strength(&self, evidence: Evidence) -> f32 {
        evidence.index
    }

    fn observes(&self) -> bool {
        true
    }

    fn choice(&self, count: usize) -> Box<dyn Choice> {
        Strongest::new(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{BaseFeatures, Place, Row, Slot, WeightTable};

    /// `E[r^2 m^2] / E[m^2]` of each base feature after some examples: values by slot, importance, slope.
    fn indices(examples: &[(&[f32], f32, f32)]) -> Vec<f32> {
        let mut table = WeightTable::new(4);
        table.grow_to(3);
        (0..3).for_each(|place| table.set(place, Slot { scale: 10.0, ..Slot::default() }));
        for (values, importance, slope) in examples {
            let slots = (0..values.len() as u32).collect();
            let base = BaseFeatures { slots, values: values.to_vec(), ..BaseFeatures::default() };
            let row = Row::whole(Place::Own(0), 1.0, 0, values.len() as u32);
            table.observe(&[row], &base, *importance, *slope);
        }
        (0..3).map(|place| table.moments(place).index()).collect()
    }

    #[test]
    fn a_feature_counts_by_the_error_where_it_is_active_not_by_its_size() {
        // The second is active where the slope is 2, the third, ten times as large, where it is 1.
        let found = indices(&[(&[1.0, 1.0, 0.0], 1.0, 2.0), (&[1.0, 0.0, 10.0], 1.0, 1.0)]);
        assert_eq!(found, [2.5, 4.0, 1.0]);
        let [second, third] = [found[1], found[2]].map(|index| Ssm.strength(Evidence { weight: 0.0, index }));
        assert!(second > third);
    }

    #[test]
    fn importance_counts_as_so_many_examples() {
        let once = indices(&[(&[1.0, 1.0, 2.0], 3.0, 2.0), (&[1.0, 1.0, 1.0], 1.0, 1.0)]);
        let thrice = indices(&[
            (&[1.0, 1.0, 2.0], 1.0, 2.0),
            (&[1.0, 1.0, 2.0], 1.0, 2.0),
            (&[1.0, 1.0, 2.0], 1.0, 2.0),
            (&[1.0, 1.0, 1.0], 1.0, 1.0),
        ]);
        assert_eq!(once, thrice);
    }
}
