//! A feature set that grows: its parents, when it grows next, and where the weights of its products are.

use serde::{Deserialize, Serialize};

use crate::expansion::adaptive::{Enumerator, Parents};
use crate::expansion::blocks::Blocks;
use crate::expansion::families::Families;
use crate::schedule::Schedule;
use crate::select::{Candidate, Choice, Evidence, Select};
use crate::settings::Settings;
use crate::step::Shrinkage;
use crate::trial::Trial;
use crate::weights::{BaseFeatures, Moments, Place, Row, Scratch, Slot, TILE, WeightTable};

/// The state of an adaptive expansion.
#[derive(Clone)]
pub(crate) struct Growth {
    pub(crate) parents: Parents,
    pub(crate) schedule: Schedule,
    /// How often the feature set has grown.
    pub(crate) grown: u32,
    /// The count of the constant at each growth: products are counted from their parent's on.
    counted: Vec<u32>,
    storage: Storage,
    /// What new weights inherit: see [`Row::heritage`].
    inherit: f32,
    /// How many weights there is memory for.
    limit: usize,
    rule: &'static dyn Select,
    /// What is on trial, if the rule is picky.
    pub(crate) trial: Option<Trial>,
}

/// Where the weights of products are in their table.
#[derive(Clone, Debug)]
enum Storage {
    Blocks(Blocks),
    Families(Families),
}

/// How the weights of products are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A straight row for each parent, with a place for every base feature.
    Rows,
    /// The same, for data where an example has most of the base features.
    Tiles,
    /// A hash table for each parent, with the base feature as the key.
    Families,
}

/// How the products of an adaptive expansion use memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StorageReport {
    /// How they are stored.
    pub layout: Layout,
    /// How many places for weights there are.
    pub places: usize,
    /// How often a product of an example had no weight because memory was full. No two products ever share one.
    pub left_out: u64,
}

/// What of a growth is saved in the header; `parents` are origin + 1 (or 0), last factor, epoch, heritage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrowthHeader {
    pub(crate) schedule: Schedule,
    pub(crate) grown: u32,
    pub(crate) layout: Layout,
    pub(crate) stride: u32,
    pub(crate) left_out: u64,
    pub(crate) counted: Vec<u32>,
    pub(crate) parents: Vec<(u32, u32, u32, f32)>,
}

/// Blocks that take more slots than this (32 MiB) are mostly empty and leave the processor's caches: families are faster.
const LARGEST_BLOCKS: usize = 1 << 21;

/// What a weight and its count take.
const PLACE_BYTES: usize = 20;

impl std::fmt::Debug for Growth {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (parents, grown) = (self.parents.len(), self.grown);
        formatter.debug_struct("Growth").field("parents", &parents).field("grown", &grown).finish_non_exhaustive()
    }
}

impl Growth {
    /// A feature set that has not grown yet, with what the settings say of it.
    pub(crate) fn new(schedule: Schedule, settings: &Settings) -> Growth {
        let storage = Storage::Blocks(Blocks::new(16, false));
        let limit = ((settings.memory as usize) << 20) / PLACE_BYTES;
        let rule = settings.select.rule();
        let trial = rule.is_picky().then(|| Trial::new(limit / 2));
        Growth {
            parents: Parents::default(),
            schedule,
            grown: 0,
            counted: Vec::new(),
            storage,
            inherit: settings.inherit,
            limit,
            rule,
            trial,
        }
    }

    /// After how many examples the feature set grows next.
    pub(crate) fn next(&self) -> u64 {
        self.schedule.next_growth(self.grown).unwrap_or(u64::MAX)
    }

    pub(crate) fn storage(&self, table: &WeightTable) -> StorageReport {
        match &self.storage {
            Storage::Blocks(blocks) => {
                let layout = if blocks.is_tiled() { Layout::Tiles } else { Layout::Rows };
                StorageReport { layout, places: table.len(), left_out: 0 }
            }
            Storage::Families(families) => {
                StorageReport { layout: Layout::Families, places: families.places(), left_out: families.left_out() }
            }
        }
    }

    /// Makes the table fit the parents and base slots below `slot_count`: rows are moved apart when there are more
    /// features than they have room for, and given up for families when that would need too much memory. Examples have
    /// `average` of the base features.
    pub(crate) fn fit(&mut self, table: &mut WeightTable, slot_count: usize, average: f64) {
        if self.trial.is_some() && matches!(self.storage, Storage::Blocks(_)) {
            // Few products of a parent pass, and a product that has no place is not in the feature set.
            self.move_to_families(table);
        }
        let Storage::Blocks(blocks) = &self.storage else { return };
        let fits = blocks.has_room_for(slot_count);
        let tiled = blocks.is_tiled() && (fits || Growth::suits_tiles(slot_count, average));
        let stride = match fits {
            true => blocks.stride() as usize,
            // Twice the room, so that this is rare.
            false => Blocks::stride_for(slot_count.next_power_of_two() + 1, tiled),
        };
        if !self.have_room_for(stride) {
            self.move_to_families(table);
        } else if !fits {
            self.move_to_blocks(table, stride, tiled);
        } else if let Storage::Blocks(blocks) = &mut self.storage {
            blocks.fit(&self.parents, table);
        }
    }

    /// Chooses the order of weights in blocks, for examples with `average` of the base features.
    pub(crate) fn choose_layout(&mut self, table: &mut WeightTable, slot_count: usize, average: f64) {
        let Storage::Blocks(blocks) = &self.storage else { return };
        let tiled = Growth::suits_tiles(slot_count, average);
        let stride = Blocks::stride_for(slot_count, tiled);
        if tiled != blocks.is_tiled() && slot_count > 1 && self.have_room_for(stride) {
            self.move_to_blocks(table, stride, tiled);
        }
    }

    /// True if examples have so many of the base features that tiles, which go over all, are faster than scattered weights.
    fn suits_tiles(slot_count: usize, average: f64) -> bool {
        // A tile's weights cost less than half of what scattered ones do.
        slot_count as f64 - 1.0 <= 2.0 * average
    }

    /// True if blocks of this stride fit in memory.
    fn have_room_for(&self, stride: usize) -> bool {
        self.parents.len().saturating_mul(stride) <= self.limit.min(LARGEST_BLOCKS)
    }

    fn move_to_blocks(&mut self, table: &mut WeightTable, stride: usize, tiled: bool) {
        let mut blocks = Blocks::new(stride as u32, tiled);
        let mut moved = blocks.table();
        blocks.fit(&self.parents, &mut moved);
        self.visit_products(table, |parent, slot, place| {
            let to = blocks.place(parent, slot) as usize;
            moved.set(to, table.get(place));
            moved.set_active(to, table.active(place));
        });
        (*table, self.storage) = (moved, Storage::Blocks(blocks));
    }

    fn move_to_families(&mut self, table: &mut WeightTable) {
        let mut moved = WeightTable::with_limit(usize::MAX);
        moved.reserve(self.limit);
        // The stretches that families have left take as much again.
        let mut families = Families::new(self.limit / 2, &mut moved);
        self.visit_products(table, |parent, slot, place| match families.insert(parent, slot, &mut moved) {
            Some(to) => {
                moved.set(to as usize, Slot { key: slot, ..table.get(place) });
                moved.set_active(to as usize, table.active(place));
            }
            None => families.leave_out(1),
        });
        (*table, self.storage) = (moved, Storage::Families(families));
    }

    /// Takes note of values that are not 1: the squares of their features are in the feature set.
    #[inline]
    pub(crate) fn note_values(&mut self, base: &BaseFeatures, table: &mut WeightTable) {
        let Growth { parents, storage, .. } = self;
        parents.note_values(base, |parent, slot| {
            if let Storage::Blocks(blocks) = storage {
                blocks.unseal(parent, slot, table);
            }
        });
    }

    /// The weight of a base feature, or of the product of a parent and a base feature.
    pub(crate) fn weight_of(
        &self,
        (origin, slot): (Option<u32>, u32),
        linear: &WeightTable,
        table: &WeightTable,
    ) -> Option<Slot> {
        match origin {
            None => linear.slots().get(slot as usize).copied(),
            Some(parent) => self.place_of(parent, slot, table).map(|place| table.get(place)),
        }
    }

    /// Where the weight of the product of a parent and a base feature is, if it has one.
    pub(crate) fn place_of(&self, parent: u32, slot: u32, table: &WeightTable) -> Option<usize> {
        let place = match &self.storage {
            Storage::Blocks(blocks) => blocks.place(parent, slot),
            Storage::Families(families) => families.place(parent, slot, table)?,
        };
        Some(place as usize)
    }

    /// The epoch that the products of a parent came into the feature set with; those on trial before it are not in it.
    pub(crate) fn first_epoch(&self, parent: u32) -> u32 {
        let trial = u32::from(self.trial.is_some());
        self.parents.get(parent).epoch.saturating_add(1 + trial)
    }

    /// The count of the constant when the products of a parent came into the feature set.
    pub(crate) fn counted_before(&self, parent: u32) -> u32 {
        let growth = (self.first_epoch(parent) as usize).checked_sub(2);
        growth.and_then(|growth| self.counted.get(growth)).copied().unwrap_or(0)
    }

    /// Lists the rows of an example. Products that have no place yet have a weight of 0 that stays 0.
    #[inline]
    pub(crate) fn rows(
        &self,
        base: &mut BaseFeatures,
        table: &WeightTable,
        enumerator: &mut Enumerator,
        rows: &mut Vec<Row>,
    ) {
        rows.clear();
        match &self.storage {
            Storage::Blocks(blocks) => {
                let width = if blocks.is_tiled() { blocks.stride() as usize } else { 0 };
                enumerator.find(&self.parents, base, width);
                self.block_rows(blocks, base, enumerator, rows);
            }
            Storage::Families(families) => {
                enumerator.find(&self.parents, base, 0);
                self.family_rows(families, base, table, enumerator, rows);
            }
        }
    }

    #[inline]
    fn block_rows(&self, blocks: &Blocks, base: &BaseFeatures, enumerator: &Enumerator, rows: &mut Vec<Row>) {
        let features = base.slots.len() as u32;
        rows.extend(enumerator.present.iter().map(|&(parent, multiplier)| {
            let (place, first, end) = blocks.row(parent, features);
            let owner = self.parents.get(parent);
            let active = features - 1 - owner.count_sealed(&enumerator.factors);
            let heritage = owner.heritage;
            Row { place, multiplier, first, end, heritage, parent, active }
        }));
    }

    #[inline]
    fn family_rows(
        &self,
        families: &Families,
        base: &mut BaseFeatures,
        table: &WeightTable,
        enumerator: &Enumerator,
        rows: &mut Vec<Row>,
    ) {
        base.listed.clear();
        let (slots, end) = (&base.slots[1..], base.slots.len() as u32);
        enumerator.present.iter().for_each(|(parent, _)| families.prefetch(*parent, slots, table));
        for &(parent, multiplier) in &enumerator.present {
            let place = Place::Listed(base.listed.len() as u32);
            let (start, owner, mut active) = (base.listed.len(), self.parents.get(parent), slots.len() as u32);
            families.list(parent, slots, table, &mut base.listed);
            owner.visit_sealed(&enumerator.factors, |position| {
                base.listed[start + position - 1] = Families::SEALED;
                active -= 1;
            });
            if self.trial.is_some() {
                active = base.listed[start..].iter().filter(|place| **place > Families::NEW).count() as u32;
            }
            let heritage = owner.heritage;
            rows.push(Row { place, multiplier, first: 1, end, heritage, parent, active });
        }
    }

    /// Gives a place to the products of an example that have none: its weights are about to move. `scratch` is what the
    /// rows were opened with.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        base: &mut BaseFeatures,
        rows: &[Row],
        table: &mut WeightTable,
        scratch: &mut Scratch,
    ) {
        let Storage::Families(families) = &mut self.storage else { return };
        if self.trial.is_some() {
            return;
        }
        let mut tile = 0;
        for row in rows {
            let Place::Listed(start) = row.place else { continue };
            let listed = &mut base.listed[start as usize..start as usize + row.len()];
            if listed.contains(&Families::NEW) {
                let admitted = |position, key| scratch.admit(tile, position, key);
                families.admit(row.parent, &base.slots[1..], listed, table, admitted);
            }
            tile += row.len().div_ceil(TILE);
        }
    }

    /// Lets the products on trial learn from an example, after the model has.
    #[inline]
    pub(crate) fn try_products(
        &mut self,
        base: &mut BaseFeatures,
        enumerator: &Enumerator,
        importance_slope_rate: (f32, f32, f32),
    ) {
        if let Some(trial) = &mut self.trial {
            trial.learn((&self.parents, self.grown), base, enumerator, self.rule, importance_slope_rate);
        }
    }

    /// Chooses at most `count` monomials to become parents; with a picky rule, first which products enter the feature set.
    pub(crate) fn choose(
        &mut self,
        count: usize,
        linear: &WeightTable,
        table: &mut WeightTable,
        shrinkage: &Shrinkage,
    ) -> Vec<Candidate> {
        let mut choice = self.rule.choice(count);
        for passed in self.settle_trial(count, table) {
            choice.offer(passed);
        }
        self.offer_candidates(linear, table, shrinkage, &mut *choice);
        // What would be on trial when the course ends would never pass.
        let last = self.schedule.next_growth(self.grown + 1).is_none();
        if self.trial.is_some() && last { Vec::new() } else { choice.chosen() }
    }

    /// Takes the products that have passed their trial into the feature set, as far as there is room.
    fn settle_trial(&mut self, count: usize, table: &mut WeightTable) -> Vec<Candidate> {
        let (Some(trial), Storage::Families(families)) = (&mut self.trial, &mut self.storage) else {
            return Vec::new();
        };
        let mut passed = trial.settle(&self.parents, self.rule, count);
        passed.retain(|product| {
            product.origin.is_some_and(|parent| families.insert(parent, product.slot, table).is_some())
        });
        passed
    }

    /// Offers every monomial of the feature set that has a weight and is not a parent yet.
    fn offer_candidates(
        &self,
        linear: &WeightTable,
        table: &WeightTable,
        shrinkage: &Shrinkage,
        choice: &mut dyn Choice,
    ) {
        let mut offer = |origin, slot, degree, weight: Slot, moments: Moments| {
            let weight = shrinkage.weight(weight.weight).abs() * weight.scale;
            let strength = self.rule.strength(Evidence { weight, index: moments.index() });
            choice.offer(Candidate { origin, slot, degree, strength });
        };
        for (slot, weight) in (0..).zip(linear.slots()).skip(1) {
            if !weight.is_untouched() && !self.parents.is_root(slot) {
                offer(None, slot, 1, *weight, linear.moments(slot as usize));
            }
        }
        self.visit_products(table, |parent, slot, place| {
            let weight = table.get(place);
            if !weight.is_untouched() && !self.parents.is_offspring(parent, slot) {
                let degree = self.parents.get(parent).monomial.degree() + 1;
                offer(Some(parent), slot, degree, weight, table.moments(place));
            }
        });
    }

    /// Visits all products that have a weight: parent, base slot, place.
    pub(crate) fn visit_products(&self, table: &WeightTable, visit: impl FnMut(u32, u32, usize)) {
        match &self.storage {
            Storage::Families(families) => families.visit(table, visit),
            Storage::Blocks(blocks) => blocks.visit(table, visit),
        }
    }

    /// The same, by parent and base slot.
    pub(crate) fn visit_in_order(&self, table: &WeightTable, visit: impl FnMut(u32, u32, usize)) {
        match &self.storage {
            Storage::Families(families) => families.visit_in_order(table, visit),
            Storage::Blocks(blocks) => blocks.visit(table, visit),
        }
    }

    /// Makes the chosen candidates parents; from now on their products are in the feature set.
    pub(crate) fn grow(&mut self, chosen: &[Candidate], linear: &WeightTable, table: &WeightTable) {
        self.grown += 1;
        self.counted.push(linear.active(0));
        // What all heritages have in common: `inherit / G_constant`.
        let constant = linear.slots()[0].gradient;
        let share = if constant > 0.0 { self.inherit / constant } else { 0.0 };
        for candidate in chosen {
            let weight = self.weight_of((candidate.origin, candidate.slot), linear, table);
            let heritage = (share * weight.map_or(0.0, |weight| weight.gradient)).min(f32::MAX);
            self.parents.add(candidate.origin, candidate.slot, self.grown, heritage);
        }
    }

    pub(crate) fn header(&self, table: &WeightTable) -> GrowthHeader {
        let parents = self.parents.iter().map(|parent| {
            let (origin, slot) = parent.origin;
            (origin.map_or(0, |origin| origin + 1), slot, parent.epoch, parent.heritage)
        });
        let StorageReport { layout, left_out, .. } = self.storage(table);
        let stride = match &self.storage {
            Storage::Blocks(blocks) => blocks.stride(),
            Storage::Families(_) => 0,
        };
        let (schedule, grown, counted) = (self.schedule, self.grown, self.counted.clone());
        GrowthHeader { schedule, grown, layout, stride, left_out, counted, parents: parents.collect() }
    }

    /// Rebuilds a growth from what was saved, and the table for its products; nothing if that contradicts itself.
    pub(crate) fn restore(
        header: &GrowthHeader,
        settings: &Settings,
        fractional: Vec<u64>,
        slot_count: usize,
        table: &mut WeightTable,
    ) -> Option<Growth> {
        let mut growth = Growth::new(header.schedule, settings);
        growth.grown = header.grown;
        growth.counted.clone_from(&header.counted);
        if growth.counted.len() != growth.grown as usize {
            return None;
        }
        growth.parents.set_fractional_bits(fractional);
        for (origin, slot, epoch, heritage) in &header.parents {
            growth.restore_parent(origin.checked_sub(1), *slot, slot_count)?;
            if !(heritage.is_finite() && *heritage >= 0.0) {
                return None;
            }
            growth.parents.add(origin.checked_sub(1), *slot, *epoch, *heritage);
        }
        match header.layout {
            Layout::Families => {
                growth.move_to_families(table);
                let Storage::Families(families) = &mut growth.storage else { return None };
                families.set_left_out(header.left_out);
            }
            layout => {
                let blocks = Blocks::new(header.stride, layout == Layout::Tiles);
                let fits =
                    growth.parents.len().checked_mul(header.stride as usize)? <= growth.limit.min(LARGEST_BLOCKS);
                let sound = header.stride.is_multiple_of(TILE as u32) && header.stride > 0;
                if !(fits && sound && (blocks.has_room_for(slot_count) || growth.parents.len() == 0)) {
                    return None;
                }
                growth.move_to_blocks(table, header.stride as usize, layout == Layout::Tiles);
            }
        }
        Some(growth)
    }

    /// Checks that a saved parent can be one.
    fn restore_parent(&self, origin: Option<u32>, slot: u32, slot_count: usize) -> Option<()> {
        let known = match origin {
            None => self.parents.is_root(slot),
            Some(parent) if (parent as usize) < self.parents.len() => self.parents.is_offspring(parent, slot),
            Some(_) => return None,
        };
        (!known && slot != 0 && (slot as usize) < slot_count).then_some(())
    }

    /// The place of a saved product, which gets one if it needs to; none if it cannot be in the feature set.
    pub(crate) fn restore_product(
        &mut self,
        parent: u32,
        slot: u32,
        slot_count: usize,
        table: &mut WeightTable,
    ) -> Option<usize> {
        let inside = (parent as usize) < self.parents.len() && slot > 0 && (slot as usize) < slot_count;
        if !inside || !self.parents.owns(parent, slot) {
            return None;
        }
        let place = match &mut self.storage {
            Storage::Blocks(blocks) => blocks.place(parent, slot),
            Storage::Families(families) => families.insert(parent, slot, table)?,
        };
        table.get(place as usize).is_untouched().then_some(place as usize)
    }
}
