use serde::Serialize;

use super::Model;
use crate::expansion;
use crate::weights::Slot;

/// One weight of a model, for a person to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The feature's name, or the names of a product's features joined by ` * `.
    pub name: String,
    /// The weight.
    pub weight: f32,
    /// The weight on the feature's own scale: what the feature adds to a prediction at its largest value.
    pub effect: f32,
    /// How many features are multiplied; 0 for the constant, `None` where products share the weight.
    pub degree: Option<usize>,
}

impl Model {
    /// Every term with a weight other than 0, the largest effect first.
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = self.linear_terms();
        terms.extend(self.product_terms());
        terms.retain(|term| term.weight != 0.0);
        terms.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()).then_with(|| a.name.cmp(&b.name)));
        terms
    }

    fn linear_terms(&self) -> Vec<Term> {
        let slots = self.linear.slots();
        let names = self.features.iter().map(|(_, slot, name)| (slot, String::from_utf8_lossy(name).into_owned(), 1));
        std::iter::once((0, "constant".to_owned(), 0))
            .chain(names)
            .filter_map(|(slot, name, degree)| Some(self.term(name, slots.get(slot as usize)?, Some(degree))))
            .collect()
    }

    fn product_terms(&self) -> Vec<Term> {
        let slots = self.products.slots();
        let mut named = vec![false; slots.len()];
        let mut terms = Vec::new();
        let limit = self.products.limit();
        for (place, product) in expansion::named_places(self.settings.expansion, self.features.slot_count(), limit) {
            named[place] = true;
            if !slots[place].is_untouched() {
                let names: Vec<_> = product.iter().map(|slot| self.features.name(*slot)).collect();
                terms.push(self.term(names.join(" * "), &slots[place], Some(product.len())));
            }
        }
        let shared = slots.iter().enumerate().filter(|(place, slot)| !named[*place] && !slot.is_untouched());
        terms.extend(shared.map(|(place, slot)| self.term(format!("(shared by products: #{place})"), slot, None)));
        terms
    }

    fn term(&self, name: String, slot: &Slot, degree: Option<usize>) -> Term {
        let weight = self.shrinkage.weight(slot.weight);
        // Plain gradient steps keep no scale; there the weight has to speak for itself.
        let scale = if slot.scale > 0.0 { slot.scale } else { 1.0 };
        Term { name, weight, effect: weight * scale, degree }
    }
}
