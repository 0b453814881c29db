use super::tiles_of;
use crate::weights::eight::Eight;
use crate::weights::loops::{Copied, Scratch};
use crate::weights::scatter::{places, scatter};
use crate::weights::tile::{TILE, moved};
use crate::weights::tiles::Tiles;
use crate::weights::{BaseFeatures, Row, Slot};

/// Moves the copies of all active weights, and writes them back: first what only fills a row's last tile up, then the weight
/// that it repeats.
///
/// # Safety
/// Every row is inside `slots`.
#[inline(always)]
pub(crate) unsafe fn close_slots<E: Eight>(
    slots: &mut [Slot],
    rows: &[Row],
    base: &BaseFeatures,
    step: f32,
    scratch: &Scratch,
) {
    let (mut copies, mut directions) = (&scratch.copies[..], &scratch.directions[..]);
    for row in rows {
        let (ours, later) = copies.split_at(tiles_of(row));
        let (our_directions, later_directions) = directions.split_at(tiles_of(row));
        let (start, places) = places(row, base);
        let (places, last_places) = places.as_chunks();
        for ((places, copied), directions) in places.iter().zip(ours).zip(our_directions) {
            // SAFETY: the caller's promise.
            unsafe { scatter(slots, start, places, moved_copies::<E>(copied, &directions.0, step)) };
        }
        if let (Some(copied), Some(directions), false) = (ours.last(), our_directions.last(), last_places.is_empty()) {
            // SAFETY: the caller's promise.
            unsafe { scatter(slots, start, &E::fill_up(last_places), moved_copies::<E>(copied, &directions.0, step)) };
        }
        (copies, directions) = (later, later_directions);
    }
}

/// What is to be written back of eight weights.
#[inline(always)]
fn moved_copies<E: Eight>(copied: &Copied, directions: &[f32; TILE], step: f32) -> [E; 4] {
    let Copied { tile, keys, .. } = copied;
    let keys = E::load(bytemuck::cast_ref(keys));
    [moved(&tile.weight, step, directions), E::load(&tile.gradient), E::load(&tile.scale), keys]
}

/// Moves all active weights of rows of tiles.
#[inline(always)]
pub(crate) fn close_tiles<E: Eight>(tiles: &mut Tiles, step: f32, scratch: &Scratch) {
    for run in &scratch.runs {
        let weights = tiles.weights_mut(run.start..run.end());
        for (weight, directions) in weights.iter_mut().zip(&scratch.x[run.copies.clone()]) {
            moved::<E>(&weight.0, step, &directions.0).store(&mut weight.0);
        }
    }
}
