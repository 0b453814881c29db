//! The products of a fixed expansion: each has a place that follows from the slots of its factors.

use super::ParallelError;
use super::features::Moves;
use crate::expansion::{slots_needed, visit_places};
use crate::model::Model;
use crate::settings::ExpansionKind;
use crate::weights::WeightTable;

/// Moves the weights of products to where the new slots of their factors say.
pub(super) fn move_products(model: &mut Model, moves: &Moves) -> Result<(), ParallelError> {
    let (kind, limit) = (model.settings.expansion, model.products.limit());
    let needed = slots_needed(kind, model.features.slot_count());
    if moves.is_none() {
        model.products.grow_to(usize::try_from(needed).unwrap_or(usize::MAX));
        return Ok(());
    }
    if needed > limit as u64 {
        // Shared weights are found by hashing slots, which are others now.
        return Err(ParallelError::Crowded);
    }
    let mut table = WeightTable::with_limit(limit);
    table.grow_to(needed as usize);
    visit_places(kind, moves.len(), model.products.len(), &mut |place, factors| {
        let mut factors: Vec<u32> = factors.iter().map(|slot| moves.of(*slot)).collect();
        factors.sort_unstable();
        table.copy_weight(place_of(kind, &factors), &model.products, place);
    });
    model.products = table;
    Ok(())
}

/// The place of a product, by its factors in order, where none is shared.
fn place_of(kind: ExpansionKind, factors: &[u32]) -> usize {
    let pairs_below = |slot: u32| slots_needed(ExpansionKind::Quadratic, slot as usize);
    let place = match (kind, factors) {
        (ExpansionKind::Quadratic, &[first, second]) => pairs_below(second) + u64::from(first),
        (_, &[second, third]) => slots_needed(kind, third as usize) + pairs_below(second),
        (_, &[first, second, third]) => slots_needed(kind, third as usize) + pairs_below(second) + u64::from(first),
        _ => unreachable!("products have two factors or three"),
    };
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_where_the_expansion_has_them() {
        for kind in [ExpansionKind::Quadratic, ExpansionKind::Cubic] {
            let mut count = 0;
            visit_places(kind, 9, usize::MAX, &mut |place, factors| {
                assert_eq!(place_of(kind, factors), place, "{kind:?} {factors:?}");
                count += 1;
            });
            assert!(count >= 36);
        }
    }
}
