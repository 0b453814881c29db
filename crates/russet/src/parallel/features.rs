//! One feature table for all ranks.

use super::wire::{Reader, Writer};
use super::{Collective, ParallelError};
use crate::feature::{FeatureId, FeatureTable, Indexing};
use crate::model::Model;
use crate::weights::WeightTable;

/// Where the slots of a rank have moved to.
pub(super) struct Moves(Vec<u32>);

impl Moves {
    /// None of `slot_count`.
    pub(super) fn none(slot_count: usize) -> Moves {
        Moves((0..slot_count as u32).collect())
    }

    pub(super) fn of(&self, slot: u32) -> u32 {
        self.0[slot as usize]
    }

    /// How many slots there were.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_none(&self) -> bool {
        (0..).zip(&self.0).all(|(slot, moved)| slot == *moved)
    }

    /// The weights of a table at the places of their slots.
    pub(super) fn table(&self, old: &WeightTable, slot_count: usize) -> WeightTable {
        let mut table = WeightTable::with_limit(old.limit());
        table.grow_to(slot_count);
        for (from, to) in self.0.iter().map(|slot| *slot as usize).enumerate() {
            // Where features share a slot that did not before, the one that is known best stays.
            if table.get(to).is_untouched() || table.get(to).gradient < old.get(from).gradient {
                table.copy_weight(to, old, from);
            }
        }
        table
    }
}

/// Makes the feature tables of all ranks one. The first `agreed` features are the same everywhere already and stay; those that are
/// new to one rank or another follow in the order of ranks.
pub(super) fn join(
    model: &mut Model,
    agreed: &mut usize,
    collective: &mut dyn Collective,
) -> Result<Moves, ParallelError> {
    let mut news = Writer::default();
    for (id, _, name) in model.features.iter().skip(*agreed) {
        news.u64(id.0);
        news.name(&name);
    }
    let gathered = collective.gather(&news.0)?;
    let slot_count = model.features.slot_count();
    if gathered.iter().all(|news| news.is_empty()) {
        return Ok(Moves::none(slot_count));
    }
    let settings = &model.settings;
    let mut joined = FeatureTable::new(settings.indexing, settings.bits, settings.seed);
    for (id, _, name) in model.features.iter().take(*agreed) {
        joined.slot_or_insert(id, &name);
    }
    for (rank, news) in gathered.iter().enumerate() {
        let mut news = Reader::new(news, rank);
        while !news.is_empty() {
            let (id, length) = (FeatureId(news.u64()?), news.u32()? as usize);
            joined.slot_or_insert(id, news.bytes(length)?);
        }
    }
    *agreed = joined.len();
    let mut moves = Moves::none(slot_count);
    if settings.indexing == Indexing::Interned {
        for (id, slot, name) in model.features.iter() {
            moves.0[slot as usize] = joined.slot_or_insert(id, &name);
        }
    }
    model.features = joined;
    Ok(moves)
}
