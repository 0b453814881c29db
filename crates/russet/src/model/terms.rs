use serde::Serialize;

use super::Model;
use crate::expansion;
use crate::step::Shrinkage;
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
        for slot in std::iter::once(0).chain(self.features.iter().map(|(_, slot, _)| slot)) {
            let weight = self.base_weight(slot as usize);
            strongest.add(weight, 1, || if slot == 0 { vec![] } else { vec![slot] });
        }
    }

    /// A base weight as predictions use it: `a w + (1 - a) v`, `v` being the guard's and `a` what it leaves to others.
    fn base_weight(&self, slot: usize) -> Weight {
        let share = self.adaptive_share();
        let own = self.linear.slots().get(slot).map(|slot| Weight::new(slot, &self.shrinkage, share));
        let guard = self.guard.as_ref().and_then(|guard| {
            let slot = guard.linear.slots().get(slot)?;
            Some(Weight::new(slot, &guard.state.shrinkage, 1.0 - share))
        });
        let (own, guard) = (own.unwrap_or_default(), guard.unwrap_or_default());
        Weight { weight: own.weight + guard.weight, scale: own.scale.max(guard.scale) }
    }

    fn visit_products(&self, strongest: &mut Strongest) {
        if let Some(growth) = &self.growth {
            let share = self.adaptive_share();
            growth.visit_products(&self.products, |parent, slot, place| {
                let product = || growth.parents.get(parent).monomial.times(slot).slots().to_vec();
                let epoch = growth.parents.get(parent).epoch + 1;
                strongest.add(Weight::new(&self.products.get(place), &self.shrinkage, share), epoch, product);
            });
            return;
        }
        let (slots, slot_count, limit) = (self.products.slots(), self.features.slot_count(), self.products.limit());
        let mut shared_from = 0;
        expansion::visit_places(self.settings.expansion, slot_count, limit, &mut |place, product| {
            let weight = slots.get(place).map(|slot| Weight::new(slot, &self.shrinkage, 1.0));
            strongest.add(weight.unwrap_or_default(), 1, || product.to_vec());
            shared_from = place + 1;
        });
        // Places after the last that has a name; before it, a place may be shared too, but the name is its first user's.
        for (place, slot) in slots.iter().enumerate().skip(shared_from) {
            strongest.add(Weight::new(slot, &self.shrinkage, 1.0), 1, || vec![SHARED, place as u32]);
        }
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

/// A weight as predictions use it, and the scale of its feature.
#[derive(Clone, Copy, Default)]
struct Weight {
    weight: f32,
    scale: f32,
}

impl Weight {
    fn new(slot: &Slot, shrinkage: &Shrinkage, share: f32) -> Weight {
        Weight { weight: share * shrinkage.weight(slot.weight), scale: slot.scale }
    }
}

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
    fn add(&mut self, weight: Weight, epoch: u32, product: impl FnOnce() -> Vec<u32>) {
        let Weight { weight, scale } = weight;
        if weight == 0.0 || self.count == 0 {
            return;
        }
        // Plain gradient steps keep no scale; there the weight has to speak for itself.
        let effect = weight * if scale > 0.0 { scale } else { 1.0 };
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
