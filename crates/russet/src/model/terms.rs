use serde::Serialize;

use super::Model;
use super::reading::Table;
use crate::expansion;
use crate::growth::Growth;

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
    /// In which share of the examples it was active since it came in, of those that moved weights and were counted:
    /// the first 4096, then every 32nd. Not known where products share weights.
    pub active: Option<f64>,
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
    /// In which share of the examples it was active since it came into the feature set: see [`Term::active`].
    pub active: Option<f64>,
}

impl Model {
    /// How the parents of an adaptive expansion grew from each other: each before its offspring. Empty for other
    /// expansions.
    pub fn tree(&self) -> Vec<Branch> {
        let Some(growth) = &self.growth else { return Vec::new() };
        let mut branches = Vec::new();
        growth.parents.walk(|depth, number| branches.push(self.branch(growth, depth, number)));
        branches
    }

    fn branch(&self, growth: &Growth, depth: usize, number: u32) -> Branch {
        let parent = growth.parents.get(number);
        let name = self.product_name(parent.monomial.slots());
        let place = match parent.origin {
            (None, slot) => Some((Table::Linear, slot as usize, 0)),
            (Some(origin), slot) => {
                let place = growth.place_of(origin, slot, &self.products);
                place.map(|place| (Table::Products, place, growth.counted_before(origin)))
            }
        };
        let effect = place.map_or(0.0, |(table, place, _)| self.effect(table, place));
        let active = place.and_then(|(table, place, before)| self.active_share(table, place, before));
        Branch { depth, name, epoch: parent.epoch, effect, active }
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
            let product = || if slot == 0 { vec![] } else { vec![slot] };
            self.visit(strongest, Table::Linear, slot as usize, None, product);
        }
    }

    fn visit_products(&self, strongest: &mut Strongest) {
        let table = Table::Products;
        if let Some(growth) = &self.growth {
            growth.visit_products(&self.products, |parent, slot, place| {
                let product = || growth.parents.get(parent).monomial.times(slot).slots().to_vec();
                self.visit(strongest, table, place, Some(parent), product);
            });
            return;
        }
        let (slot_count, limit) = (self.features.slot_count(), self.products.limit());
        let mut shared_from = 0;
        expansion::visit_places(self.settings.expansion, slot_count, limit, &mut |place, product| {
            self.visit(strongest, table, place, None, || product.to_vec());
            shared_from = place + 1;
        });
        // Places after the last that has a name; before it, a place may be shared too, but the name is its first user's.
        for place in shared_from..self.products.len() {
            self.visit(strongest, table, place, None, || vec![SHARED, place as u32]);
        }
    }

    fn visit(
        &self,
        strongest: &mut Strongest,
        table: Table,
        place: usize,
        parent: Option<u32>,
        product: impl FnOnce() -> Vec<u32>,
    ) {
        let weight = self.effective_weight(table, place);
        if weight != 0.0 {
            let effect = self.effect(table, place);
            strongest.add(|| Found { table, place, parent, weight, effect, product: product() });
        }
    }

    fn term(&self, found: &Found) -> Term {
        let (name, degree) = match found.product.as_slice() {
            [SHARED, place] => (format!("(shared by products: #{place})"), None),
            // A place whose factors were never seen is used by others that share it.
            product if product.iter().any(|slot| !self.features.has_name(*slot)) => {
                ("(shared by products)".to_owned(), None)
            }
            product => (self.product_name(product), Some(product.len())),
        };
        let Found { table, place, parent, weight, effect, .. } = *found;
        let came = |growth: &Growth| parent.map_or(1, |parent| growth.first_epoch(parent));
        let epoch = self.growth.as_ref().map(came);
        // A weight that products share is counted for all of them.
        let shared = table == Table::Products && self.products_share_weights();
        let before = parent.zip(self.growth.as_ref()).map_or(0, |(parent, growth)| growth.counted_before(parent));
        let active = if shared { None } else { self.active_share(table, place, before) };
        Term { name, weight, effect, degree, epoch, active }
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
    table: Table,
    place: usize,
    /// The parent whose product it is, if the feature set grows.
    parent: Option<u32>,
    weight: f32,
    effect: f32,
    product: Vec<u32>,
}

impl Strongest {
    fn add(&mut self, found: impl FnOnce() -> Found) {
        if self.count == 0 {
            return;
        }
        self.found.push(found());
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
