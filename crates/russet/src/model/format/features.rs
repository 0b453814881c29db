use super::input::Input;
use super::{ModelError, damaged};
use crate::feature::{FeatureId, FeatureTable, Indexing, Names};

pub(super) fn write_features(features: &FeatureTable, indexing: Indexing, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(features.len() as u64).to_le_bytes());
    bytes.extend(features.ids().iter().flat_map(|id| id.0.to_le_bytes()));
    if indexing == Indexing::Hashed {
        bytes.extend(features.iter().flat_map(|(_, slot, _)| slot.to_le_bytes()));
    }
    let names = features.names();
    bytes.extend(names.iter().flat_map(|name| (name.len() as u32).to_le_bytes()));
    bytes.extend_from_slice(names.bytes());
}

/// Reads the features' ids. Nothing that can be in `features` is longer.
pub(super) fn read_ids(features: &FeatureTable, input: &mut Input<'_>) -> Result<Vec<FeatureId>, ModelError> {
    let count = input.count(12)?;
    if !features.has_room_for(count) {
        return Err(contradicting_features());
    }
    let mut ids: Vec<FeatureId> = input.numbers(count)?;
    ids.iter_mut().for_each(|id| id.0 = u64::from_le(id.0));
    Ok(ids)
}

/// Reads numbers of four bytes.
pub(super) fn read_numbers(count: usize, input: &mut Input<'_>) -> Result<Vec<u32>, ModelError> {
    let mut numbers: Vec<u32> = input.numbers(count)?;
    numbers.iter_mut().for_each(|number| *number = u32::from_le(*number));
    Ok(numbers)
}

/// Reads the names of `count` features.
pub(super) fn read_names(count: usize, input: &mut Input<'_>) -> Result<Names, ModelError> {
    let lengths = read_numbers(count, input)?;
    let length: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
    let bytes = input.numbers(usize::try_from(length).unwrap_or(usize::MAX))?;
    Names::of(lengths, bytes).ok_or_else(contradicting_features)
}

pub(super) fn contradicting_features() -> ModelError {
    damaged("its features contradict each other")
}
