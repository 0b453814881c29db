//! A feature set that grows: its parents, when it grows next, and where the weights of its products are.

mod choice;
mod joined;
mod saved;
mod storage;

pub(crate) use joined::{Ground, Joined, Owners};
pub(crate) use saved::GrowthHeader;
pub use storage::{Layout, StorageReport};

use crate::expansion::MOST_PRODUCTS;
use crate::expansion::adaptive::{Aimed, Enumerator, Parents};
use crate::expansion::blocks::Blocks;
use crate::expansion::families::{Families, Features, Lookup};
use crate::expansion::few::{self, Few};
use crate::expansion::sweep::{self, Settled, Swept};
use crate::schedule::Schedule;
use crate::select::{Candidate, Select};
use crate::settings::Settings;
use crate::trial::Trial;
use crate::weights::{BaseFeatures, Listed, Place, Row, Rows, Scratch, Slot, TILE, WeightTable};

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

/// About so many products are looked for in two steps at a time: their memory, asked for in the first step, stays in the nearest
/// caches until the second, and what is listed in vain takes little.
const PORTION: usize = 1 << 10;

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
    #[inline(always)]
    pub(crate) fn rows(
        &self,
        base: &mut BaseFeatures,
        table: &WeightTable,
        enumerator: &mut Enumerator,
        rows: &mut Rows,
    ) {
        rows.clear();
        match &self.storage {
            Storage::Blocks(_) if self.parents.len() == 0 => {}
            Storage::Blocks(blocks) if sweep::suits(self.parents.len(), blocks.room(), base.slots.len()) => {
                enumerator.spread(base, blocks.stride() as usize);
                self.swept_rows(blocks, base, enumerator, rows);
            }
            _ => self.found_rows(base, table, enumerator, rows),
        }
    }

    /// The rows of the parents that are found from the roots down.
    #[inline(never)]
    fn found_rows(&self, base: &mut BaseFeatures, table: &WeightTable, enumerator: &mut Enumerator, rows: &mut Rows) {
        enumerator.sweep.forget();
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

    #[inline(always)]
    fn swept_rows(&self, blocks: &Blocks, base: &BaseFeatures, enumerator: &mut Enumerator, rows: &mut Rows) {
        let (features, slots) = (base.slots.len() as u32, Few::of_base(base));
        // A copy, which nothing that is written can change.
        let (parents, sealed, blocks) = (self.parents.swept(), self.parents.few_sealed(), *blocks);
        let row = |parent, multiplier, swept: &Swept| {
            let (place, first, end) = blocks.row(parent, features);
            let active = features - 1 - sealed[parent as usize].count_common(slots);
            Row { place, multiplier, first, end, heritage: swept.heritage, parent, active }
        };
        // Others than those that were written last, whose owner has taken them away.
        if !rows.has_written(parents.len()) {
            enumerator.sweep.forget();
        }
        let settled = Settled { changes: self.parents.changes(), features, slots, blocks };
        let found = enumerator.sweep.find_settled(settled, parents, base, rows.room(parents.len()), row);
        // The row of each parent begins where that of the one before ends.
        rows.keep(found.count, found.span.filter(|_| blocks.is_tiled()), Some(found.active));
    }

    #[inline]
    fn block_rows(&self, blocks: &Blocks, base: &BaseFeatures, enumerator: &Enumerator, rows: &mut Rows) {
        let features = base.slots.len() as u32;
        // What a sweep reads of a parent lies close together, so it is read here too.
        let (swept, present) = (self.parents.swept(), few::is_narrow(blocks.room()).then(|| Few::of_base(base)));
        for &(parent, multiplier) in &enumerator.present {
            let (place, first, end) = blocks.row(parent, features);
            let heritage = swept[parent as usize].heritage;
            let sealed = match present {
                Some(slots) => self.parents.few_sealed()[parent as usize].count_common(slots),
                None => self.parents.get(parent).count_sealed(&enumerator.factors),
            };
            rows.push(Row { place, multiplier, first, end, heritage, parent, active: features - 1 - sealed });
        }
    }

    #[inline]
    fn family_rows(
        &self,
        families: &Families,
        base: &mut BaseFeatures,
        table: &WeightTable,
        enumerator: &mut Enumerator,
        rows: &mut Rows,
    ) {
        let Enumerator { present, factors, aimed, sealed, cpu, admits, .. } = enumerator;
        let BaseFeatures { slots, values, listed, .. } = base;
        let (features, lookup) = (Features { slots: &slots[1..], values: &values[1..] }, families.lookup(table, *cpu));
        let lookup = if *admits { lookup } else { lookup.of_old_ones() };
        let length = features.slots.len();
        listed.clear();
        // An example with very many features makes do with the first parents.
        let present = &present[..present.len().min(MOST_PRODUCTS / length.max(1))];
        for portion in present.chunks((PORTION / length.max(1)).max(1)) {
            let confirmed = listed.len();
            aimed.clear();
            for &(parent, multiplier) in portion {
                let (start, late_from) = (listed.len(), lookup.late_from(parent));
                let (mut active, mut listed_sealed) = (length as u32, 0);
                sealed.clear(length);
                // What is sealed has no place, so it is not listed where only those that have one are.
                if *admits {
                    self.parents.get(parent).visit_sealed(factors, |position| {
                        sealed.add(position - 1);
                        active -= 1;
                        listed_sealed += u32::from(slots[position] < late_from);
                    });
                }
                lookup.aim(parent, features, sealed, listed);
                aimed.push(Aimed { parent, multiplier, range: start..listed.len(), active, sealed: listed_sealed });
            }
            self.confirm_rows(lookup, aimed, confirmed, listed, rows);
        }
    }

    /// Writes the rows of parents that were aimed at. Their products, from `first` on, move together.
    #[inline]
    fn confirm_rows(
        &self,
        lookup: Lookup<'_>,
        aimed: &[Aimed],
        mut first: usize,
        listed: &mut Listed,
        rows: &mut Rows,
    ) {
        for Aimed { parent, multiplier, range, active, sealed } in aimed {
            let count = lookup.confirm(*parent, range.clone(), first, listed) as u32;
            // What is not listed has no place, and will not get one.
            listed.left_out += u64::from(active + sealed - count);
            let (place, heritage) = (Place::Listed, self.parents.get(*parent).heritage);
            let active = if self.trial.is_some() { count } else { *active };
            let (start, end) = (first as u32, first as u32 + count);
            rows.push(Row { place, multiplier: *multiplier, first: start, end, heritage, parent: *parent, active });
            first = end as usize;
        }
        listed.truncate(first);
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
        families.leave_out(base.listed.left_out);
        let mut tile = 0;
        for row in rows {
            let range = row.first as usize..row.end as usize;
            if base.listed.places[range.clone()].contains(&Families::NEW) {
                let admitted = |position, key| scratch.admit(tile, position, key);
                families.admit(row.parent, range, &mut base.listed, table, admitted);
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
}
