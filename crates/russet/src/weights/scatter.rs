//! Scattered slots into tiles and back, four at a time.

use super::tile::{TILE, Tile};
use super::{BaseFeatures, Place, Row, Slot};

/// The places of a row's weights: `start` plus each of these.
#[inline(always)]
pub(super) fn places<'a>(row: &Row, base: &'a BaseFeatures) -> (usize, &'a [u32]) {
    match row.place {
        Place::Own(start) => (start as usize, &base.slots[row.first as usize..row.end as usize]),
        Place::Listed(start) => (0, &base.listed[start as usize..start as usize + row.len()]),
        Place::Shared(_) | Place::Tiles(_) => unreachable!("not a row of scattered weights"),
    }
}

/// Copies the weights of a row into tiles; what is left of the last tile becomes untouched weights.
///
/// # Safety
/// The row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn gather(
    slots: &[Slot],
    row: &Row,
    base: &BaseFeatures,
    tiles: &mut [Tile],
    keys: &mut [[u32; TILE]],
) {
    let (start, places) = places(row, base);
    let (whole, rest) = places.as_chunks::<TILE>();
    for ((places, tile), keys) in whole.iter().zip(tiles.iter_mut()).zip(keys.iter_mut()) {
        let mut eight = [Slot::default(); TILE];
        for lane in 0..TILE {
            // SAFETY: the caller's promise.
            eight[lane] = unsafe { *slots.get_unchecked(start + places[lane] as usize) };
        }
        to_tile(&eight, tile, keys);
    }
    if !rest.is_empty() {
        let mut last = [Slot::default(); TILE];
        for (slot, place) in last.iter_mut().zip(rest) {
            // SAFETY: the caller's promise.
            *slot = unsafe { *slots.get_unchecked(start + *place as usize) };
        }
        to_tile(&last, &mut tiles[whole.len()], &mut keys[whole.len()]);
    }
}

/// Writes the weights of a row back.
///
/// # Safety
/// The row is inside `slots`.
#[inline(always)]
pub(super) unsafe fn scatter(slots: &mut [Slot], row: &Row, base: &BaseFeatures, tiles: &[Tile], keys: &[[u32; TILE]]) {
    let (start, places) = places(row, base);
    let (whole, rest) = places.as_chunks::<TILE>();
    for ((places, tile), keys) in whole.iter().zip(tiles).zip(keys) {
        let fresh = from_tile(tile, keys);
        for lane in 0..TILE {
            // SAFETY: the caller's promise.
            unsafe { *slots.get_unchecked_mut(start + places[lane] as usize) = fresh[lane] };
        }
    }
    if !rest.is_empty() {
        let fresh = from_tile(&tiles[whole.len()], &keys[whole.len()]);
        for (place, fresh) in rest.iter().zip(fresh) {
            // SAFETY: the caller's promise.
            unsafe { *slots.get_unchecked_mut(start + *place as usize) = fresh };
        }
    }
}

#[inline(always)]
pub(super) fn to_tile(slots: &[Slot; TILE], tile: &mut Tile, keys: &mut [u32; TILE]) {
    for half in [0, 4] {
        let [a, b, c, d] = [slots[half], slots[half + 1], slots[half + 2], slots[half + 3]];
        let rows = transposed(bytemuck::cast([a, b, c, d]));
        tile.weight[half..half + 4].copy_from_slice(&rows[0]);
        tile.gradient[half..half + 4].copy_from_slice(&rows[1]);
        tile.scale[half..half + 4].copy_from_slice(&rows[2]);
        keys[half..half + 4].copy_from_slice(&bytemuck::cast::<_, [u32; 4]>(rows[3]));
        let mut inverse = rows[2];
        for scale in &mut inverse {
            *scale = super::at_most(1.0 / *scale, f32::MAX);
        }
        tile.inverse_scale[half..half + 4].copy_from_slice(&inverse);
    }
}

#[inline(always)]
pub(super) fn from_tile(tile: &Tile, keys: &[u32; TILE]) -> [Slot; TILE] {
    let mut slots = [Slot::default(); TILE];
    for half in [0, 4] {
        let keys: [f32; 4] = bytemuck::cast(four(keys, half));
        let rows = [four(&tile.weight, half), four(&tile.gradient, half), four(&tile.scale, half), keys];
        let columns: [Slot; 4] = bytemuck::cast(transposed(rows));
        slots[half..half + 4].copy_from_slice(&columns);
    }
    slots
}

#[inline(always)]
fn four<T: Copy>(eight: &[T; TILE], first: usize) -> [T; 4] {
    [eight[first], eight[first + 1], eight[first + 2], eight[first + 3]]
}

/// Rows for columns. The compiler would move the sixteen one by one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn transposed(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    use std::arch::x86_64::{__m128, _MM_TRANSPOSE4_PS};
    let [mut a, mut b, mut c, mut d]: [__m128; 4] = bytemuck::cast(rows);
    // SAFETY: every x86-64 processor has SSE.
    unsafe { _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d) };
    bytemuck::cast([a, b, c, d])
}

/// Rows for columns.
#[cfg(not(target_arch = "x86_64"))]
fn transposed(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    std::array::from_fn(|row| std::array::from_fn(|column| rows[column][row]))
}
