use super::input::Input;
use super::{ModelError, damaged};
use crate::feature::{FeatureTable, Indexing, Names};

pub(super) fn write_features(features: &FeatureTable, indexing: Indexing, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(features.len() as u64).to_le_bytes());
    bytes.extend(features.ids().iter().flat_map(|id| id.0.to_le_bytes()));
    if indexing == Indexing::Hashed {
        bytes.extend(features.iter().flat_map(|(_, slot, _)| slot.to_le_bytes()));
    }
    bytes.extend(features.names().iter().flat_map(|name| (name.len() as u32).to_le_bytes()));
    bytes.extend_from_slice(features.names().bytes());
}

pub(super) fn read_features(
    features: &mut FeatureTable,
    indexing: Indexing,
    input: &mut Input<'_>,
) -> Result<(), ModelError> {
    let contradiction = || damaged("its features contradict each other");
    let count = input.count(12)?;
    let (ids, _) = input.take(count * 8)?.as_chunks::<8>();
    let slots = if indexing == Indexing::Hashed { input.take(count * 4)? } else { &[] };
    let (lengths, _) = input.take(count * 4)?.as_chunks::<4>();
    let length: u64 = lengths.iter().map(|length| u64::from(u32::from_le_bytes(*length))).sum();
    let names = input.take(usize::try_from(length).unwrap_or(usize::MAX))?;
    let names = Names::of(lengths, names).ok_or_else(contradiction)?;
    match indexing {
        Indexing::Interned => features.restore(ids, names),
        Indexing::Hashed => features.restore_hashed(ids, slots.as_chunks().0, &names),
    }
    .ok_or_else(contradiction)
}
