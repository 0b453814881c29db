//! Finding products one by one: the oracle for [`super::wide`].

use std::ops::Range;

use super::Families;
use super::listing::{Aim, Confirm, Features};
use crate::weights::{Listed, Room, prefetch};

/// Lists products where they are looked for first: those that may have a place there, or are new or sealed. New ones that get no
/// place, and sealed ones that would get none, are left out. Gives how many it lists.
pub(super) fn aim(aim: &Aim<'_>, Features { slots, values }: Features<'_>, room: Room<'_>) -> usize {
    let Room { places: to_places, slots: to_slots, values: to_values } = room;
    let Aim { family, late_from, weights, sealed } = *aim;
    let mut count = 0;
    for (position, (slot, value)) in slots.iter().zip(values).enumerate() {
        // Without a branch, as which it is cannot be foreseen.
        let (may_have, is_late) = ((family.bits > 0) && family.may_have(*slot), *slot >= late_from);
        let home = if family.bits > 0 { family.home_place(*slot) } else { Families::NEW };
        // What is not there yet may soon get a place.
        prefetch(weights, if may_have | !is_late { home } else { Families::NEW } as usize);
        let place = if may_have { home } else { Families::NEW };
        let is_sealed = sealed.has(position);
        to_places[count] = if is_sealed { Families::SEALED } else { place };
        (to_slots[count], to_values[count]) = (*slot, *value);
        count += usize::from(!is_late | may_have & !is_sealed);
    }
    count
}

/// Moves the products of a row to `to`, those that have a place where it is, without those that have none and are late. Gives how
/// many are left.
pub(super) fn confirm(confirm: &Confirm<'_>, row: Range<usize>, to: usize, listed: &mut Listed) -> usize {
    let (first, Room { places, slots, values }) = (row.start - to, listed.part(to..row.end));
    let mut count = 0;
    for from in first..places.len() {
        let (place, slot, value) = (places[from], slots[from], values[from]);
        let key = confirm.weights[place as usize].key;
        // Nobody has the places for sealed and for new products.
        let found = match key {
            0 => (slot < confirm.late_from).then_some(place.min(Families::NEW)),
            _ if key == slot => Some(place),
            _ => confirm.search(slot),
        };
        (places[count], slots[count], values[count]) = (found.unwrap_or(Families::NEW), slot, value);
        count += usize::from(found.is_some());
    }
    count
}
