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
    /// The epoch that it came in with, from 1, if the feature set grows.
    pub epoch: Option<u32>,
}

/// A parent in the trees that parents form, for a person to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Branch {
    /// How many parents are above it.
    pub depth: usize,
    /// The monomial: its features' names joined by ` * `.
    pub name: String,
    /// After which epoch it became a parent, from 1.
    pub epoch: u32,
    /// Its own weight on its own scale.
    pub effect: f32,
}

impl Model {
    /// How the parents of an adaptive expansion grew from each other: each before its offspring. Empty for other
    /// expansions.
    pub fn tree(&self) -> Vec<Branch> {
        let Some(growth) = &self.growth else { return Vec::new() };
        let mut branches = Vec::new();
        growth.parents.walk(|depth, number| {
            let parent = growth.parents.get(number);
            let slot = growth.weight_of(parent.origin, &self.linear, &self.products);
            let effect = slot.map_or(0.0, |slot| self.shrinkage.weight(slot.weight) * slot.scale);
            let names: Vec<_> = parent.monomial.slots().iter().map(|slot| self.features.name(*slot)).collect();
            branches.push(Branch { depth, name: names.join(" * "), epoch: parent.epoch, effect });
        });
        branches
    }

    /// The terms with the largest effects, at most `count`; those with a weight of 0 are left out.
    pub fn terms(&self, count: usize) -> Vec<Term> {
        let mut strongest = Strongest { count, found: Vec::new() };
        self.visit_linear(&mut strongest);
        self.visit_products(&mut strongest);
        let mut terms: Vec<Term> = strongest.finish().iter().map(|found| self.term(found)).collect();
        terms.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()).then_with(|| a.name.cmp(&b.name)));
        terms
    }

    fn visit_linear(&self, strongest: &mut Strongest) {
        let slots = self.linear.slots();
        for slot in std::iter::once(0).chain(self.features.iter().map(|(_, slot, _)| slot)) {
            self.visit(slots.get(slot as usize).copied(), strongest, 1, || if slot == 0 { vec![] } else { vec![slot] });
        }
    }

    fn visit_products(&self, strongest: &mut Strongest) {
        if let Some(growth) = &self.growth {
            growth.visit_products(&self.products, |parent, slot, place| {
                let product = || growth.parents.get(parent).monomial.times(slot).slots().to_vec();
                let epoch = growth.parents.get(parent).epoch + 1;
                self.visit(Some(self.products.get(place)), strongest, epoch, product);
            });
            return;
        }
        let (slots, slot_count, limit) = (self.products.slots(), self.features.slot_count(), self.products.limit());
        let mut shared_from = 0;
        expansion::visit_places(self.settings.expansion, slot_count, limit, &mut |place, product| {
            self.visit(slots.get(place).copied(), strongest, 1, || product.to_vec());
            shared_from = place + 1;
        });
        // Places after the last that has a name; before it, a place may be shared too, but the name is its first user's.
        for (place, slot) in slots.iter().enumerate().skip(shared_from) {
            self.visit(Some(*slot), strongest, 1, || vec![SHARED, place as u32]);
        }
    }

    fn visit(&self, slot: Option<Slot>, strongest: &mut Strongest, epoch: u32, product: impl FnOnce() -> Vec<u32>) {
        let Some(slot) = slot.filter(|slot| !slot.is_untouched()) else { return };
        let weight = self.shrinkage.weight(slot.weight);
        // Plain gradient steps keep no scale; there the weight has to speak for itself.
        let scale = if slot.scale > 0.0 { slot.scale } else { 1.0 };
        strongest.add(weight, weight * scale, epoch, product);
    }

    fn term(&self, found: &Found) -> Term {
        let (name, degree) = match found.product.as_slice() {
            [] => ("constant".to_owned(), Some(0)),
            [SHARED, place] => (format!("(shared by products: #{place})"), None),
            // A place whose factors were never seen is used by others that share it.
            product if product.iter().any(|slot| !self.features.has_name(*slot)) => {
                ("(shared by products)".to_owned(), None)
            }
            product => {
                let names: Vec<_> = product.iter().map(|slot| self.features.name(*slot)).collect();
                (names.join(" * "), Some(product.len()))
            }
        };
        let epoch = self.growth.as_ref().map(|_| found.epoch);
        Term { name, weight: found.weight, effect: found.effect, degree, epoch }
    }
}

/// In place of a base slot: what follows is the place of a weight that products share.
const SHARED: u32 = u32::MAX;

/// Keeps the strongest of many terms, in memory for two times their number.
struct Strongest {
    count: usize,
    found: Vec<Found>,
}

struct Found {
    weight: f32,
    effect: f32,
    epoch: u32,
    product: Vec<u32>,
}

impl Strongest {
    fn add(&mut self, weight: f32, effect: f32, epoch: u32, product: impl FnOnce() -> Vec<u32>) {
        if weight == 0.0 || self.count == 0 {
            return;
        }
        self.found.push(Found { weight, effect, epoch, product: product() });
        if self.found.len() / 2 >= self.count.max(64) {
            self.cut();
        }
    }

    /// Strongest first; what is equally strong stays in the order it came.
    fn cut(&mut self) {
        self.found.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
        self.found.truncate(self.count);
    }

    fn finish(mut self) -> Vec<Found> {
        self.cut();
        self.found
    }
}
