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
    /// A bit for each of the first [`MOST_KEPT`], and one for all others: its weights may have moved since they were taken. The
    /// first eight are put back in any case, for others that are put back have written over the constant's weight.
    moved: u64,
}

/// How many eights may stay in hand.
const MOST_KEPT: usize = 63;

impl WeightTable {
    /// `sum_i w_i x_i`, and takes the weights in hand. There is no pull of L1. `KEEPS`: those of the example before that are at the
    /// same places have stayed there.
    #[inline(always)]
    pub(crate) fn open_single<L: Loops, const KEEPS: bool>(
        &mut self,
        _: L,
        features: Features<'_>,
        hand: &mut Hand,
    ) -> f32 {
        let slots = self.slots_and_counts().0;
        debug_assert!(features.slots.iter().all(|slot| (*slot as usize) < slots.len()));
        let tiles = features.slots.len() / TILE + 1;
        if hand.held.len() < tiles {
            hand.held.resize(tiles, Held::default());
        }
        // SAFETY: there is a weight for every slot that a feature has, as asserted.
        unsafe {
            let kept = if KEEPS { exchange::<L::Eight>(slots, features, tiles, hand) } else { 0 };
            hand.tiles = tiles;
            open::<L::Eight>(slots, features, kept, &mut hand.held[..tiles])
        }
    }

    /// Moves the weights in hand by `step` times their directions, and puts them back where they were taken from, unless they stay.
    #[inline(always)]
    pub(crate) fn close_single<L: Loops, const KEEPS: bool>(&mut self, _: L, step: f32, hand: &mut Hand) {
        if KEEPS {
            for Held { tile, directions, .. } in &mut hand.held[..hand.tiles] {
                moved::<L::Eight>(&tile.weight, step, directions).store(&mut tile.weight);
            }
            hand.moved = u64::MAX;
            return;
        }
        let slots = self.slots_and_counts().0;
        // The constant, which also fills up the last eight, is the first, and has to be written last.
        for held in hand.held[..hand.tiles].iter().rev() {
            // SAFETY: it is where they were taken from, and tables do not become shorter.
            unsafe { put_back(slots, held, moved::<L::Eight>(&held.tile.weight, step, &held.directions)) };
        }
    }

    /// Puts back what has stayed in hand.
    #[inline(always)]
    pub(crate) fn end_single<L: Loops>(&mut self, _: L, hand: &Hand) {
        let slots = self.slots_and_counts().0;
        for (place, held) in hand.held[..hand.tiles].iter().enumerate().rev() {
            if hand.has_moved(place) {
                // SAFETY: as above.
                unsafe { put_back(slots, held, L::Eight::load(&held.tile.weight)) };
            }
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
    /// Comes before examples whose weights stay in hand where that is asked for (`KEEPS`): nobody else may look at them or change
    /// them until [`WeightTable::end_single`].
    pub(crate) fn begin(&mut self) {
        (self.tiles, self.moved) = (0, 0);
    }

    #[inline(always)]
    fn has_moved(&self, place: usize) -> bool {
        place == 0 || self.moved >> place.min(MOST_KEPT) & 1 == 1
    }

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

impl Features<'_> {
    /// How many of its eights have the same features as those of `other`.
    pub(crate) fn eights_as_in(&self, other: Features<'_>) -> usize {
        let split = |slots: &'_ [u32]| slots.len().min(TILE - 1);
        let (first, rest) = self.slots.split_at(split(self.slots));
        let (other_first, other_rest) = other.slots.split_at(split(other.slots));
        let rest = rest.chunks(TILE).zip(other_rest.chunks(TILE));
        usize::from(first == other_first) + rest.filter(|(one, other)| one == other).count()
    }

    /// How many eights there are.
    pub(crate) fn eights(&self) -> usize {
        self.slots.len() / TILE + 1
    }

    /// The slots of the eight at `place`, filled up with the constant's.
    #[inline(always)]
    fn places<E: Eight>(&self, place: usize) -> [u32; TILE] {
        let Some(start) = (place * TILE).checked_sub(1) else {
            return E::places_behind(&self.slots[..self.slots.len().min(TILE - 1)]);
        };
        let slots = &self.slots[start..];
        slots.first_chunk().copied().unwrap_or_else(|| E::some_places(slots))
    }
}

/// Puts back what does not stay in hand for an example of so many eights; gives a bit for each that does.
///
/// # Safety
/// `table` is what they were taken from.
#[inline(always)]
unsafe fn exchange<E: Eight>(table: &mut [Slot], features: Features<'_>, tiles: usize, hand: &mut Hand) -> u64 {
    let mut kept = 0;
    // The first one last, as in `close_single`.
    for (place, held) in hand.held[..hand.tiles].iter().enumerate().rev() {
        if place < tiles.min(MOST_KEPT) && held.places == features.places::<E>(place) {
            kept |= 1 << place;
        } else if hand.has_moved(place) {
            // SAFETY: the caller's promise.
            unsafe { put_back(table, held, E::load(&held.tile.weight)) };
        }
    }
    hand.moved &= kept;
    kept
}

/// Writes eight weights and what belongs to them where they were taken from.
///
/// # Safety
/// `table` is what they were taken from.
#[inline(always)]
unsafe fn put_back<E: Eight>(table: &mut [Slot], held: &Held, weights: E) {
    let Held { tile, places, .. } = held;
    let (gradients, scales) = (E::load(&tile.gradient), E::load(&tile.scale));
    // SAFETY: the caller's promise; tables do not become shorter.
    unsafe { scatter(table, 0, places, [weights, gradients, scales, E::zero()]) };
}

/// `kept`: bits for those eights that are in hand already.
///
/// # Safety
/// Every slot is inside `table`.
#[inline(always)]
unsafe fn open<E: Eight>(table: &[Slot], features: Features<'_>, kept: u64, held: &mut [Held]) -> f32 {
    let Features { slots, values } = features;
    let first = slots.len().min(TILE - 1);
    let ((first_slots, slots), (first_values, values)) = (slots.split_at(first), values.split_at(first));
    let ((slots, last_slots), (values, last_values)) = (slots.as_chunks(), values.as_chunks());
    let Some((first_held, held)) = held.split_first_mut() else { unreachable!("the constant is always there") };
    // A sum that does not begin with 0 may be a zero with a sign, which makes no difference to any prediction.
    let is_kept = |place: usize| place < MOST_KEPT && kept >> place & 1 == 1;
    let last = held.len();
    let mut sums = if is_kept(0) {
        score(E::load_behind(1.0, first_values), first_held)
    } else {
        // SAFETY: the caller's promise.
        unsafe { hold(table, &E::places_behind(first_slots), E::load_behind(1.0, first_values), first_held) }
    };
    for (place, ((slots, values), held)) in (1..).zip(slots.iter().zip(values).zip(held.iter_mut())) {
        sums = sums
            + if is_kept(place) {
                score(E::load(values), held)
            } else {
                // SAFETY: the caller's promise.
                unsafe { hold(table, slots, E::load(values), held) }
            };
    }
    if let (Some(held), false) = (held.last_mut(), last_slots.is_empty()) {
        sums = sums
            + if is_kept(last) {
                score(E::load_some(last_values), held)
            } else {
                // SAFETY: the caller's promise.
                unsafe { hold(table, &E::some_places(last_slots), E::load_some(last_values), held) }
            };
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

/// Scores eight weights that are in hand.
#[inline(always)]
fn score<E: Eight>(x: E, held: &mut Held) -> E {
    let x = x.bounded().lift();
    x.store(&mut held.x);
    E::load(&held.tile.weight) * x
}
