use super::input::Input;
use super::{ModelError, damaged};
use crate::weights::{Moments, Slot, WeightTable, unpacked};

const DENSE: u32 = 0;
const SPARSE: u32 = 1;
pub(super) const SLOT_BYTES: usize = 16;
pub(super) const MOMENTS_BYTES: usize = 8;

/// Every slot, or only those in use with their places, whichever is shorter.
pub(super) fn write_weights(table: &WeightTable, observed: bool, bytes: &mut Vec<u8>) {
    let used = table.iter().filter(|slot| !slot.is_untouched()).count();
    let sparse = used * (SLOT_BYTES + 4) < table.len() * SLOT_BYTES;
    bytes.extend_from_slice(&(table.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(if sparse { used } else { table.len() } as u64).to_le_bytes());
    bytes.extend_from_slice(&(if sparse { SPARSE } else { DENSE }).to_le_bytes());
    for place in (0..table.len()).filter(|place| !sparse || !table.get(*place).is_untouched()) {
        if sparse {
            bytes.extend_from_slice(&(place as u32).to_le_bytes());
        }
        write_slot(table, place, observed, bytes);
    }
}

/// `observed`: whether there are moments, which only some rules of selection ask for.
pub(super) fn write_slot(table: &WeightTable, place: usize, observed: bool, bytes: &mut Vec<u8>) {
    let slot = table.get(place);
    for field in [slot.weight, slot.gradient, slot.scale] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    bytes.extend_from_slice(&table.active(place).to_le_bytes());
    if observed {
        let Moments { surprise, presence } = table.moments(place);
        bytes.extend_from_slice(&surprise.to_le_bytes());
        bytes.extend_from_slice(&presence.to_le_bytes());
    }
}

pub(super) fn read_weights(table: &mut WeightTable, observed: bool, input: &mut Input<'_>) -> Result<(), ModelError> {
    let wrong_size = damaged("a table of weights has the wrong size");
    let length = input.u64()?;
    let stored = input.count(SLOT_BYTES)?;
    let sparse = match input.u32()? {
        DENSE if stored as u64 == length => false,
        SPARSE => true,
        _ => return Err(wrong_size),
    };
    if length != table.len() as u64 {
        return Err(wrong_size);
    }
    if !sparse && !observed {
        let is_sound = table.restore(|weights| input.fill(weights))?;
        return if is_sound { Ok(()) } else { Err(not_a_number()) };
    }
    for place in 0..stored {
        let place = if sparse { input.u32()? as usize } else { place };
        if place >= table.len() {
            return Err(wrong_size);
        }
        read_slot(table, place, observed, input)?;
    }
    Ok(())
}

pub(super) fn not_a_number() -> ModelError {
    damaged("a weight is not a number")
}

pub(super) fn read_slot(
    table: &mut WeightTable,
    place: usize,
    observed: bool,
    input: &mut Input<'_>,
) -> Result<(), ModelError> {
    restore_slot(table, place, &input.array()?)?;
    if observed { restore_moments(table, place, &input.array()?) } else { Ok(()) }
}

/// Puts a saved weight where it belongs.
pub(super) fn restore_slot(table: &mut WeightTable, place: usize, saved: &[u8; SLOT_BYTES]) -> Result<(), ModelError> {
    let (slot, count) = unpacked(saved);
    if !slot.is_sound() {
        return Err(not_a_number());
    }
    let key = table.get(place).key;
    table.set(place, Slot { key, ..slot });
    table.set_active(place, count);
    Ok(())
}

/// Puts what was seen of a feature beside its weight.
pub(super) fn restore_moments(
    table: &mut WeightTable,
    place: usize,
    saved: &[u8; MOMENTS_BYTES],
) -> Result<(), ModelError> {
    let [surprise, presence]: [[u8; 4]; 2] = bytemuck::cast(*saved);
    let [surprise, presence] = [surprise, presence].map(f32::from_le_bytes);
    if !(surprise >= 0.0 && presence >= 0.0) {
        return Err(damaged("what was seen of a feature is not a number"));
    }
    table.set_moments(place, Moments { surprise, presence });
    Ok(())
}
