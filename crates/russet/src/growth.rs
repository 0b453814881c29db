//! A feature set that grows: its parents, when it grows next, and where the weights of its products are.

use serde::{Deserialize, Serialize};

use crate::expansion::adaptive::{Enumerator, Parents};
use crate::expansion::keys::Keys;
use crate::feature::mix;
use crate::schedule::Schedule;
use crate::select::Candidate;
use crate::settings::Settings;
use crate::step::Shrinkage;
use crate::weights::{BaseFeatures, Place, Row, Slot, WeightTable};

/// The state of an adaptive expansion.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) parents: Parents,
    pub(crate) schedule: Schedule,
    /// How often the feature set has grown.
    pub(crate) grown: u32,
    storage: Storage,
    /// What new weights inherit: see [`Row::heritage`].
    inherit: f32,
    /// Picks the hash by which products share weights when memory is full.
    seed: u64,
}

/// Where the weights of products are in their table.
#[derive(Clone, Debug)]
enum Storage {
    /// Parent p times base slot i is at `p * stride + i`: straight rows, where they fit in memory.
    Blocks { stride: u32 },
    /// Products have places in the order they first appear, found by their key.
    Keyed(Keyed),
}

#[derive(Clone, Debug, Default)]
struct Keyed {
    /// Place 0 is nobody's, and its weight stays 0.
    keys: Keys,
    /// How many products may have a place of their own.
    limit: usize,
    seed: u64,
    /// How often a product found the table full and had to share a weight.
    crowded: u64,
}

/// What of a growth is saved in the header; `parents` are origin + 1 (or 0), last factor and epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrowthHeader {
    pub(crate) schedule: Schedule,
    pub(crate) grown: u32,
    pub(crate) stride: Option<u32>,
    pub(crate) crowded: u64,
    pub(crate) parents: Vec<[u32; 3]>,
}

const NOBODY: (u32, u32) = (u32::MAX, u32::MAX);

/// Blocks that take more slots than this (32 MiB) are mostly empty and leave the processor's caches: keys are faster.
const LARGEST_BLOCKS: usize = 1 << 21;

/// How many products with keys the table's memory allows: a key and its place take three times as much as a weight.
fn keyed_limit(limit: usize) -> usize {
    limit / 4
}

impl Keyed {
    fn new(limit: usize, seed: u64) -> Keyed {
        let mut keyed = Keyed { limit, seed, ..Keyed::default() };
        keyed.keys.push(NOBODY);
        keyed
    }
}

impl Growth {
    /// A feature set that has not grown yet, with what the settings say of it.
    pub(crate) fn new(schedule: Schedule, settings: &Settings) -> Growth {
        let Settings { inherit, seed, .. } = *settings;
        let storage = Storage::Blocks { stride: 0 };
        Growth { parents: Parents::default(), schedule, grown: 0, storage, inherit, seed }
    }

    /// After how many examples the feature set grows next.
    pub(crate) fn next(&self) -> u64 {
        self.schedule.next_growth(self.grown).unwrap_or(u64::MAX)
    }

    /// True if the weights lie in straight rows.
    pub(crate) fn in_blocks(&self) -> bool {
        matches!(self.storage, Storage::Blocks { .. })
    }

    /// How often a product had to share a weight because memory was full.
    pub(crate) fn crowded(&self) -> u64 {
        match &self.storage {
            Storage::Blocks { .. } => 0,
            Storage::Keyed(keyed) => keyed.crowded,
        }
    }

    /// Makes the table fit the parents and base slots below `slot_count`: rows are moved apart when there are more
    /// features than they have room for, and given up for keys when that would need too much memory.
    pub(crate) fn fit(&mut self, table: &mut WeightTable, slot_count: usize) {
        let Storage::Blocks { stride } = self.storage else { return };
        let wanted =
            if slot_count > stride as usize { slot_count.next_power_of_two().max(16) } else { stride as usize };
        if self.parents.len() * wanted > table.limit().min(LARGEST_BLOCKS) {
            self.give_up_blocks(table, stride as usize);
            return;
        }
        if wanted != stride as usize {
            let mut slots = vec![Slot::default(); self.parents.len() * wanted];
            if stride > 0 {
                for (row, moved) in table.slots().chunks(stride as usize).zip(slots.chunks_mut(wanted)) {
                    moved[..row.len()].copy_from_slice(row);
                }
            }
            table.replace(slots);
            self.storage = Storage::Blocks { stride: wanted as u32 };
        }
        table.grow_to(self.parents.len() * wanted);
    }

    fn give_up_blocks(&mut self, table: &mut WeightTable, stride: usize) {
        let (mut keyed, mut slots) = (Keyed::new(keyed_limit(table.limit()), self.seed), vec![Slot::default()]);
        for (place, slot) in table.slots().iter().enumerate().filter(|(_, slot)| !slot.is_untouched()) {
            keyed.keys.push(((place / stride) as u32, (place % stride) as u32));
            slots.push(*slot);
        }
        table.replace(slots);
        self.storage = Storage::Keyed(keyed);
    }

    /// Lists the rows of an example that is learned from. Products that have no place yet are at place 0.
    pub(crate) fn learn_rows(
        &self,
        base: &mut BaseFeatures,
        linear: &WeightTable,
        table: &WeightTable,
        enumerator: &mut Enumerator,
        rows: &mut Vec<Row>,
    ) {
        base.gradients.clear();
        if self.inherit > 0.0 {
            base.gradients.extend(base.slots.iter().map(|slot| linear.slots()[*slot as usize].gradient));
        }
        let share = self.share(linear);
        self.list_rows(base, enumerator, rows, |parent| {
            share * self.weight_of(parent, linear, table).map_or(0.0, |slot| slot.gradient)
        });
    }

    /// A parent's own weight.
    pub(crate) fn weight_of<'t>(
        &self,
        parent: u32,
        linear: &'t WeightTable,
        table: &'t WeightTable,
    ) -> Option<&'t Slot> {
        let place = match (self.parents.get(parent).origin, &self.storage) {
            ((None, slot), _) => return linear.slots().get(slot as usize),
            ((Some(origin), slot), Storage::Blocks { stride }) => Some(origin * stride + slot),
            ((Some(origin), slot), Storage::Keyed(keyed)) => keyed.keys.place((origin, slot)),
        };
        table.slots().get(place? as usize)
    }

    /// What all heritages have in common: `inherit / G_constant`.
    fn share(&self, linear: &WeightTable) -> f32 {
        let constant = linear.slots()[0].gradient;
        if self.inherit > 0.0 && constant > 0.0 { self.inherit / constant } else { 0.0 }
    }

    /// Lists the rows of an example that is only predicted.
    pub(crate) fn predict_rows(&self, base: &mut BaseFeatures, enumerator: &mut Enumerator, rows: &mut Vec<Row>) {
        self.list_rows(base, enumerator, rows, |_| 0.0);
    }

    fn list_rows(
        &self,
        base: &mut BaseFeatures,
        enumerator: &mut Enumerator,
        rows: &mut Vec<Row>,
        heritage: impl Fn(u32) -> f32,
    ) {
        rows.clear();
        let (mut listed, mut masked) = (std::mem::take(&mut base.listed), std::mem::take(&mut base.masked));
        listed.clear();
        masked.clear();
        let end = base.slots.len() as u32;
        enumerator.visit(&self.parents, base, |parent, multiplier, left_out| {
            let active = end - 1 - left_out.len() as u32;
            if active == 0 {
                return;
            }
            let mask = (!left_out.is_empty()).then(|| mask(&base.values[1..], left_out, &mut masked));
            let values = mask.map_or(&base.values[1..], |start| &masked[start as usize..]);
            let place = match &self.storage {
                Storage::Blocks { stride } => Place::Own(parent * stride),
                Storage::Keyed(keyed) => keyed.list(parent, &base.slots[1..], values, &mut listed),
            };
            let heritage = heritage(parent);
            rows.push(Row { place, multiplier, first: 1, end, heritage, parent, masked: mask, active });
        });
        (base.listed, base.masked) = (listed, masked);
    }

    /// Gives a place to the products of an example that have none: its weights are about to move.
    pub(crate) fn admit(&mut self, base: &mut BaseFeatures, rows: &mut [Row], table: &mut WeightTable) {
        let Storage::Keyed(keyed) = &mut self.storage else { return };
        for row in rows {
            let (slots, (_, values)) = (&base.slots[row.first as usize..row.end as usize], row.range(base));
            let present = slots.iter().zip(values).enumerate().filter(|(_, (_, value))| **value != 0.0);
            let products = present.map(|(position, (slot, _))| (position, (row.parent, *slot)));
            match row.place {
                Place::Crowded(_) => keyed.count_shared(products),
                Place::Listed(start) => {
                    let missing: Vec<_> =
                        products.filter(|(position, _)| base.listed[start as usize + position] == 0).collect();
                    for (position, product) in missing {
                        base.listed[start as usize + position] = keyed.admit(product, table);
                    }
                    if keyed.is_full() {
                        row.place = Place::Crowded(start);
                    }
                }
                Place::Own(_) | Place::Shared(_) => {}
            }
        }
    }

    /// Every monomial of the feature set that has a weight and is not a parent yet.
    pub(crate) fn candidates(
        &self,
        linear: &WeightTable,
        table: &WeightTable,
        shrinkage: &Shrinkage,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut add = |origin, slot, degree, weight: &Slot| {
            if !weight.is_untouched() {
                // Plain gradient steps keep no scale; there the weight has to speak for itself.
                let scale = if weight.scale > 0.0 { weight.scale } else { 1.0 };
                let strength = shrinkage.weight(weight.weight).abs() * scale;
                candidates.push(Candidate { origin, slot, degree, strength });
            }
        };
        for (slot, weight) in linear.slots().iter().enumerate().skip(1) {
            if !self.parents.is_root(slot as u32) {
                add(None, slot as u32, 1, weight);
            }
        }
        self.visit_products(table, |parent, slot, weight| {
            if !self.parents.is_offspring(parent, slot) {
                add(Some(parent), slot, self.parents.get(parent).monomial.degree() + 1, weight);
            }
        });
        candidates
    }

    /// Visits the weights of all products: parent, base slot, weight.
    pub(crate) fn visit_products(&self, table: &WeightTable, mut visit: impl FnMut(u32, u32, &Slot)) {
        for (place, weight) in table.slots().iter().enumerate() {
            let (parent, slot) = match &self.storage {
                Storage::Blocks { stride } => (place as u32 / stride, place as u32 % stride),
                Storage::Keyed(keyed) => keyed.keys.products()[place],
            };
            if (parent, slot) != NOBODY && slot > 0 && !weight.is_untouched() && self.parents.owns(parent, slot) {
                visit(parent, slot, weight);
            }
        }
    }

    /// Makes the chosen candidates parents; from now on their products are in the feature set.
    pub(crate) fn grow(&mut self, chosen: &[Candidate]) {
        self.grown += 1;
        for candidate in chosen {
            self.parents.add(candidate.origin, candidate.slot, self.grown);
        }
    }

    pub(crate) fn header(&self) -> GrowthHeader {
        let parents = self.parents.iter().map(|parent| {
            let (origin, slot) = parent.origin;
            [origin.map_or(0, |origin| origin + 1), slot, parent.epoch]
        });
        let stride = match self.storage {
            Storage::Blocks { stride } => Some(stride),
            Storage::Keyed(_) => None,
        };
        let crowded = self.crowded();
        GrowthHeader { schedule: self.schedule, grown: self.grown, stride, crowded, parents: parents.collect() }
    }

    /// The parent and base slot at each place, if weights are found by key.
    pub(crate) fn keyed_products(&self) -> &[(u32, u32)] {
        match &self.storage {
            Storage::Blocks { .. } => &[],
            Storage::Keyed(keyed) => keyed.keys.products(),
        }
    }

    /// Rebuilds a growth from what was saved; nothing if that contradicts itself.
    pub(crate) fn restore(
        header: &GrowthHeader,
        settings: &Settings,
        fractional: Vec<u64>,
        products: &[(u32, u32)],
        slot_count: usize,
        limit: usize,
    ) -> Option<Growth> {
        let mut growth = Growth::new(header.schedule, settings);
        growth.grown = header.grown;
        growth.parents.set_fractional_bits(fractional);
        for [origin, slot, epoch] in &header.parents {
            let origin = origin.checked_sub(1);
            let known = match origin {
                None => growth.parents.is_root(*slot),
                Some(parent) if (parent as usize) < growth.parents.len() => growth.parents.is_offspring(parent, *slot),
                Some(_) => return None,
            };
            if known || *slot == 0 || *slot as usize >= slot_count {
                return None;
            }
            growth.parents.add(origin, *slot, *epoch);
        }
        growth.storage = match header.stride {
            Some(stride) => {
                let fits = growth.parents.len() * stride as usize <= limit.min(LARGEST_BLOCKS);
                let wide = stride as usize >= slot_count || growth.parents.len() == 0;
                Storage::Blocks { stride: Some(stride).filter(|_| fits && wide && products.is_empty())? }
            }
            None => Storage::Keyed(growth.restore_keyed(products, header.crowded, slot_count, keyed_limit(limit))?),
        };
        Some(growth)
    }

    fn restore_keyed(&self, products: &[(u32, u32)], crowded: u64, slot_count: usize, limit: usize) -> Option<Keyed> {
        let mut keyed = Keyed { crowded, limit, seed: self.seed, ..Keyed::default() };
        for (place, product) in products.iter().enumerate() {
            let sound = (product.0 as usize) < self.parents.len() && (product.1 as usize) < slot_count;
            if keyed.keys.place(*product).is_some() || !(sound || place == 0 && *product == NOBODY) {
                return None;
            }
            keyed.keys.push(*product);
        }
        (products.first() == Some(&NOBODY)).then_some(keyed)
    }

    /// How many slots the products need now.
    pub(crate) fn slots_needed(&self) -> usize {
        match &self.storage {
            Storage::Blocks { stride } => self.parents.len() * *stride as usize,
            Storage::Keyed(keyed) => keyed.keys.len(),
        }
    }
}

impl Keyed {
    fn is_full(&self) -> bool {
        self.keys.len() >= self.limit
    }

    /// The place of a product that has none of its own.
    fn shared_place(&self, (parent, slot): (u32, u32)) -> u32 {
        if !self.is_full() {
            return 0;
        }
        // Any place but the first, which is nobody's.
        let hash = mix(mix(u64::from(parent) << 32 | u64::from(slot)) ^ self.seed);
        1 + (hash % (self.limit as u64 - 1)) as u32
    }

    /// Lists the places of a parent's products with base features that are there (a value of 0 is not); place 0 for
    /// those that have none.
    fn list(&self, parent: u32, slots: &[u32], values: &[f32], listed: &mut Vec<u32>) -> Place {
        let start = listed.len() as u32;
        listed.extend(slots.iter().zip(values).map(|(slot, value)| match *value {
            0.0 => 0,
            _ => self.keys.place((parent, *slot)).unwrap_or_else(|| self.shared_place((parent, *slot))),
        }));
        if self.is_full() { Place::Crowded(start) } else { Place::Listed(start) }
    }

    /// Counts the products that share a weight, for the user to be told.
    fn count_shared(&mut self, products: impl Iterator<Item = (usize, (u32, u32))>) {
        self.crowded += products.filter(|(_, product)| self.keys.place(*product).is_none()).count() as u64;
    }

    /// Gives a product the next place, or one to share if memory is full.
    fn admit(&mut self, product: (u32, u32), table: &mut WeightTable) -> u32 {
        if self.is_full() {
            self.crowded += 1;
            return self.shared_place(product);
        }
        let place = self.keys.push(product);
        table.grow_to(place as usize + 1);
        place
    }
}

/// Copies `values` with 0 at the positions left out, which count the constant; gives where the copy begins.
fn mask(values: &[f32], left_out: &[u32], masked: &mut Vec<f32>) -> u32 {
    let start = masked.len();
    masked.extend_from_slice(values);
    left_out.iter().for_each(|position| masked[start + *position as usize - 1] = 0.0);
    start as u32
}
