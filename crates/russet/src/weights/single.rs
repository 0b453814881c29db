//! The loops for an example of a linear model, which has a single row: the constant and the base features, each once.
//!
//! They do what `wide` does, to the bit, less all that is there for several rows: this is where the time of a linear model goes.

use super::eight::Eight;
use super::loops::Sums;
use super::scatter::{gather, scatter};
use super::tile::{TILE, Tile, moved};
use super::{Loops, Measured, Slot, WeightTable};

/// The base features of an example, each once, without the constant, which every example has.
#[derive(Clone, Copy)]
pub(crate) struct Features<'a> {
    pub(crate) slots: &'a [u32],
    pub(crate) values: &'a [f32],
}

/// Eight of an example's weights while it is learned from.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    tile: Tile,
    x: [f32; TILE],
    directions: [f32; TILE],
    /// Where the weights are. What fills up the last eight is the constant's weight, with a value of 0.
    places: [u32; TILE],
}

/// The weights of the example that was opened last; reused from example to example.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hand {
    held: Vec<Held>,
    tiles: usize,
}

impl WeightTable {
    /// `sum_i w_i x_i`, and takes the weights in hand. There is no pull of L1.
    #[inline(always)]
    pub(crate) fn open_single<L: Loops>(&self, _: L, features: Features<'_>, hand: &mut Hand) -> f32 {
        debug_assert!(features.slots.iter().all(|slot| (*slot as usize) < self.slots().len()));
        hand.tiles = features.slots.len() / TILE + 1;
        if hand.held.len() < hand.tiles {
            hand.held.resize(hand.tiles, Held::default());
        }
        // SAFETY: there is a weight for every slot that a feature has, as asserted.
        unsafe { open::<L::Eight>(self.slots(), features, &mut hand.held[..hand.tiles]) }
    }

    /// Moves the weights in hand by `step` times their directions, and puts them back where they were taken from.
    #[inline(always)]
    pub(crate) fn close_single<L: Loops>(&mut self, _: L, step: f32, hand: &Hand) {
        let slots = self.slots_and_counts().0;
        // The constant, which also fills up the last eight, is the first, and has to be written last.
        for held in hand.held[..hand.tiles].iter().rev() {
            let Held { tile, directions, places, .. } = held;
            let weights: L::Eight = moved(&tile.weight, step, directions);
            let (gradients, scales) = (L::Eight::load(&tile.gradient), L::Eight::load(&tile.scale));
            // SAFETY: it is where they were taken from, and tables do not become shorter.
            unsafe { scatter(slots, 0, places, [weights, gradients, scales, L::Eight::zero()]) };
        }
    }

    /// Counts every active feature once.
    pub(crate) fn count_single(&mut self, features: Features<'_>) {
        let counts = self.slots_and_counts().1;
        for slot in features.slots.iter().chain([&crate::feature::CONSTANT]) {
            let count = &mut counts[*slot as usize];
            *count = count.saturating_add(1);
        }
    }
}

impl Hand {
    /// Updates `G` and `N` of the weights in hand and notes the direction in which each is to move.
    #[inline(always)]
    pub(crate) fn measure<L: Loops>(&mut self, _: L, squared_slope: f32) -> Measured {
        let mut sums = Sums::<L::Eight>::default();
        for held in &mut self.held[..self.tiles] {
            let Held { tile, x, directions, .. } = held;
            let widen = |tile: &mut Tile| widen(tile, x);
            tile.measure(L::Eight::load(x), squared_slope, &mut sums, widen).store(directions);
        }
        sums.measured()
    }
}

/// Values larger than any before: rare after the first examples.
#[cold]
#[inline(never)]
fn widen(tile: &mut Tile, x: &[f32; TILE]) {
    let is_new = std::array::from_fn(|lane| tile.scale[lane] == 0.0 && x[lane].abs() > 0.0);
    tile.widen(x, is_new);
}

/// # Safety
/// Every slot is inside `table`.
#[inline(always)]
unsafe fn open<E: Eight>(table: &[Slot], features: Features<'_>, held: &mut [Held]) -> f32 {
    let Features { slots, values } = features;
    let first = slots.len().min(TILE - 1);
    let ((first_slots, slots), (first_values, values)) = (slots.split_at(first), values.split_at(first));
    let ((slots, last_slots), (values, last_values)) = (slots.as_chunks(), values.as_chunks());
    let Some((first_held, held)) = held.split_first_mut() else { unreachable!("the constant is always there") };
    // A sum that does not begin with 0 may be a zero with a sign, which makes no difference to any prediction.
    // SAFETY: the caller's promise.
    let mut sums =
        unsafe { hold(table, &E::places_behind(first_slots), E::load_behind(1.0, first_values), first_held) };
    for ((slots, values), held) in slots.iter().zip(values).zip(held.iter_mut()) {
        // SAFETY: the caller's promise.
        sums = sums + unsafe { hold(table, slots, E::load(values), held) };
    }
    if let (Some(held), false) = (held.last_mut(), last_slots.is_empty()) {
        // SAFETY: the caller's promise.
        sums = sums + unsafe { hold(table, &E::some_places(last_slots), E::load_some(last_values), held) };
    }
    sums.sum()
}

/// Takes eight weights in hand, and scores them.
///
/// # Safety
/// The places are inside `table`.
#[inline(always)]
unsafe fn hold<E: Eight>(table: &[Slot], places: &[u32; TILE], x: E, held: &mut Held) -> E {
    let x = x.bounded().lift();
    // SAFETY: the caller's promise.
    let [weight, gradient, scale, _] = unsafe { gather::<E>(table, 0, places) };
    held.tile.fill(weight, gradient, scale);
    x.store(&mut held.x);
    held.places = *places;
    weight * x
}
