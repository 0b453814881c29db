//! apple, said in the plainest way.

use crate::*;

#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    pub(crate) weight: f64,
    pub(crate) gradient: f64,
    pub(crate) scale: f64,
}

#[derive(Default)]
pub(crate) struct Oracle {
    /// Of every product that an example has touched.
    pub(crate) weights: BTreeMap<Product, Weight>,
    pub(crate) parents: Vec<Product>,
    /// Of each parent: `G_parent / G_constant` when it became one.
    pub(crate) heritages: Vec<f64>,
    /// All features in the order of their first appearance.
    pub(crate) order: Vec<u32>,
    /// Features that have had a value other than 1.
    pub(crate) fractional: BTreeSet<u32>,
    pub(crate) grown: u32,
    pub(crate) examples: u64,
    pub(crate) base_features: u64,
    pub(crate) features: u64,
    pub(crate) importance: f64,
    pub(crate) norm: f64,
    pub(crate) smallest: f64,
    pub(crate) largest: f64,
}

pub(crate) fn times(product: &[u32], feature: u32) -> Product {
    let mut longer = product.to_vec();
    longer.push(feature);
    longer.sort_unstable();
    longer
}

pub(crate) fn without(product: &[u32], feature: u32) -> Product {
    let mut shorter = product.to_vec();
    shorter.remove(shorter.iter().position(|factor| *factor == feature).unwrap());
    shorter
}

/// What the oracle makes of an example.
pub(crate) struct Answer {
    pub(crate) prediction: f64,
    /// Two exact learners may part here: a last bit decides.
    pub(crate) knife_edge: bool,
}

impl Oracle {
    /// The parent that a product belongs to: the first that it is one factor more than.
    pub(crate) fn owner(&self, product: &[u32]) -> Option<usize> {
        self.parents.iter().position(|parent| product.iter().any(|factor| without(product, *factor) == *parent))
    }

    /// Every active product of an example, each once.
    pub(crate) fn active(&self, features: &Features) -> BTreeMap<Product, f64> {
        let mut active = BTreeMap::from([(vec![], 1.0)]);
        active.extend(features.iter().map(|(feature, value)| (vec![*feature], *value)));
        for parent in self.parents.iter().filter(|parent| parent.iter().all(|factor| features.contains_key(factor))) {
            for feature in features.keys() {
                if !parent.contains(feature) || self.fractional.contains(feature) {
                    let product = times(parent, *feature);
                    let value = product.iter().map(|factor| features[factor]).product();
                    active.insert(product, value);
                }
            }
        }
        active
    }

    /// What the `G` of a new product starts with.
    pub(crate) fn inherited(&self, product: &[u32], inherit: f64) -> f64 {
        if product.len() < 2 {
            return 0.0;
        }
        let owner = self.owner(product).unwrap();
        let parent = &self.parents[owner];
        let last = *product.iter().find(|factor| without(product, **factor) == *parent).unwrap();
        inherit * self.heritages[owner] * self.gradient(&[last])
    }

    pub(crate) fn gradient(&self, product: &[u32]) -> f64 {
        self.weights.get(product).map_or(0.0, |weight| weight.gradient)
    }

    pub(crate) fn learn(&mut self, settings: &Settings, example: &Drawn) -> Answer {
        let features = example.features();
        for (name, _) in example.features.iter().filter(|(_, value)| *value != 0.0) {
            if !self.order.contains(name) {
                self.order.push(*name);
            }
        }
        self.fractional.extend(features.iter().filter(|(_, value)| **value != 1.0).map(|(feature, _)| *feature));
        let y = f64::from(example.label);
        self.smallest = self.smallest.min(y);
        self.largest = self.largest.max(y);
        let (low, high) =
            if settings.loss == LossKind::Logistic { (-50.0, 50.0) } else { (self.smallest, self.largest) };
        let active = self.active(&features);
        let weight_of = |product: &Product| self.weights.get(product).map_or(0.0, |weight| weight.weight);
        let score: f64 = active.iter().map(|(product, x)| weight_of(product) * x).sum();
        let prediction = score.clamp(low, high);
        self.examples += 1;
        self.base_features += features.len() as u64;
        self.features += active.len() as u64;
        if example.importance > 0.0 {
            self.step(settings, &active, prediction, y, f64::from(example.importance));
        }
        // Where the slope is 0 up to the last bits, one may pass over the example and the other not.
        let flat = settings.loss == LossKind::Logistic && y * prediction > 15.0;
        let clipped = (score - prediction).abs() > 1e-3;
        Answer { prediction, knife_edge: flat || (prediction - y).abs() < 1e-3 && !clipped }
    }

    pub(crate) fn step(
        &mut self,
        settings: &Settings,
        active: &BTreeMap<Product, f64>,
        p: f64,
        y: f64,
        importance: f64,
    ) {
        let slope = slope(settings.loss, p, y);
        if slope == 0.0 {
            return;
        }
        let inherit = f64::from(settings.inherit);
        let inherited: Vec<f64> = active.keys().map(|product| self.inherited(product, inherit)).collect();
        let (mut norm, mut sensitivity) = (0.0, 0.0);
        for ((product, x), inherited) in active.iter().zip(inherited) {
            let new = Weight { gradient: inherited, ..Weight::default() };
            let weight = self.weights.entry(product.clone()).or_insert(new);
            weight.gradient += importance * slope * slope * x * x;
            if x.abs() > weight.scale {
                weight.weight *= if weight.scale > 0.0 { weight.scale / x.abs() } else { 1.0 };
                weight.scale = x.abs();
            }
            norm += (x / weight.scale).powi(2);
            sensitivity += x * x / (weight.scale * weight.gradient.sqrt());
        }
        self.importance += importance;
        self.norm += importance * norm;
        let scale = (self.importance / self.norm).sqrt();
        let size = step(settings.loss, p, y, f64::from(settings.learning_rate) * importance, scale * sensitivity);
        let kept = 1.0 / (1.0 + f64::from(settings.l2) * (-size / slope));
        self.weights.values_mut().for_each(|weight| weight.weight *= kept);
        for (product, x) in active {
            let weight = self.weights.get_mut(product).unwrap();
            weight.weight += scale * size * x / (weight.scale * weight.gradient.sqrt());
        }
    }

    /// True if the epoch is over: a course of `length` has `epochs` of them, and none ends with the last.
    pub(crate) fn is_due(&self, settings: &Settings, length: u64) -> bool {
        let epoch = (length / u64::from(settings.epochs)).max(1);
        let whole = epoch * u64::from(self.grown + 2) <= length;
        self.grown + 1 < settings.epochs && whole && self.examples >= epoch * u64::from(self.grown + 1)
    }

    /// The strongest become parents. False if some are so close that rounding decides.
    pub(crate) fn grow(&mut self, settings: &Settings) -> bool {
        self.grown += 1;
        let average = self.base_features as f64 / self.examples as f64;
        let base = average + f64::from(settings.headroom);
        let count = base.powf(f64::from(settings.alpha)).floor() as usize;
        let mut candidates: Vec<(f64, Product)> = self
            .weights
            .iter()
            .filter(|(product, _)| !product.is_empty() && !self.parents.contains(product))
            .map(|(product, weight)| (weight.weight.abs() * weight.scale, product.clone()))
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let by_weight = match settings.select {
            SelectKind::Weight => count,
            _ => count.saturating_sub(1),
        };
        let close = |pair: &[(f64, Product)]| pair[0].0 - pair[1].0 < 1e-4 * pair[0].0;
        let sure = !candidates.windows(2).take(by_weight).any(close);
        let rest = candidates.split_off(by_weight.min(candidates.len()));
        let chosen: Vec<Product> = candidates.into_iter().map(|(_, product)| product).collect();
        let age = |product: &[u32]| {
            let owner = self.owner(product).filter(|_| product.len() > 1);
            let last = match owner {
                Some(parent) => *product.iter().find(|f| without(product, **f) == self.parents[parent]).unwrap(),
                None => product[0],
            };
            (product.len(), owner, self.order.iter().position(|feature| *feature == last))
        };
        let last = rest.into_iter().map(|(_, product)| product).min_by_key(|product| age(product));
        let last = last.filter(|_| settings.select == SelectKind::Fallback && count > 0);
        let constant = self.gradient(&[]);
        for parent in chosen.into_iter().chain(last) {
            self.heritages.push(if constant > 0.0 { self.gradient(&parent) / constant } else { 0.0 });
            self.parents.push(parent);
        }
        sure
    }
}
