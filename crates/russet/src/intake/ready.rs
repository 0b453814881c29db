use super::Order;
use super::codes::{Codes, all_found, is_missing, slots_of_numbers};
use crate::batch::{Batch, Code, Example};
use crate::feature::FeatureTable;
use crate::weights::{Cpu, Loops, Work};

/// The slots of all features of a batch, found in one go: most batches bring nothing new, and one long loop is faster than
/// many short ones.
#[derive(Default)]
pub(super) struct Ready {
    /// One for each feature of the batch, or of its beginning if something was missing.
    slots: Vec<u32>,
    /// What is known of the slots of every example, if all were found.
    order: Option<Order>,
}

/// How many are looked up before it is asked whether one was missing.
const PIECE: usize = 1 << 7;

/// Among how many it is looked which one is missing.
const FEW: usize = 1 << 4;

/// With more numbers than this, their slots are asked for ahead of time: they are no longer all in the processor's nearer caches.
const NEAR: usize = 1 << 18;

impl Ready {
    pub(super) fn forget(&mut self) {
        self.order = None;
    }

    /// Finds the slots of a batch whose features are all called by numbers that have a slot in `numbered`. `exact`: no two features share one;
    /// `sorted`: the slots of an example should ascend.
    pub(super) fn find(&mut self, batch: &Batch, numbered: &[u32], exact: bool, sorted: bool) {
        self.order = None;
        self.slots.clear();
        for codes in batch.codes().chunks(PIECE) {
            let start = self.slots.len();
            self.slots.extend(slots_of_numbers(numbered, codes));
            if !all_found(&self.slots[start..]) {
                return;
            }
        }
        self.order = self.order_of(batch, batch.len(), exact, sorted);
    }

    /// The same for the first `examples`, whose features are given slots if they have none.
    pub(super) fn find_or_add(
        &mut self,
        batch: &Batch,
        examples: usize,
        codes: &mut Codes,
        mut features: &mut FeatureTable,
    ) {
        self.order = None;
        self.slots.clear();
        let (all, mut all_numbers) = (&batch.codes()[..batch.features_before(examples)], true);
        let is_far = codes.numbered(&features).len() > NEAR;
        for piece in all.chunks(PIECE) {
            let start = self.slots.len();
            if is_far {
                let later = &all[(start + PIECE).min(all.len())..];
                codes.prefetch(batch, &later[..later.len().min(PIECE)], &features);
            }
            self.slots.extend(slots_of_numbers(codes.numbered(&features), piece));
            for (slots, piece) in self.slots[start..].chunks_mut(FEW).zip(piece.chunks(FEW)) {
                if all_found(slots) {
                    continue;
                }
                for (slot, code) in slots.iter_mut().zip(piece).filter(|(slot, _)| is_missing(**slot)) {
                    all_numbers &= *code >= Code::NUMBERED;
                    *slot = codes.resolve(batch, *code, &mut features);
                }
            }
        }
        self.order = self.order_of(batch, examples, features.is_exact() && all_numbers, false);
    }

    /// What is known of the slots of each of the first `examples`. `exact`: no two codes share a slot.
    fn order_of(&self, batch: &Batch, examples: usize, exact: bool, sorted: bool) -> Option<Order> {
        // Whoever wants them sorted is glad if they are; to others it is all the same.
        let is_distinct = || exact && ascend(batch, examples, batch.codes());
        match sorted {
            false if is_distinct() => Some(Order::Distinct),
            _ if ascend(batch, examples, &self.slots) => Some(Order::Ascending),
            true if is_distinct() => Some(Order::Distinct),
            _ => None,
        }
    }

    /// The slots of an example's features and what is known of them, if they were found.
    #[inline(always)]
    pub(super) fn slots(&self, example: &Example<'_>) -> Option<(&[u32], Order)> {
        let order = self.order?;
        Some((self.slots.get(example.first..example.first + example.codes.len())?, order))
    }

    /// Gives those of all examples that were looked at away, one after another, if each of an example is a different one.
    pub(super) fn give_all(&mut self) -> Option<&mut Vec<u32>> {
        self.order.take().map(|_| &mut self.slots)
    }
}

/// True if all features of a batch are called by numbers, in each example by larger and larger ones: each is there once.
pub(super) fn has_numbers_in_order(batch: &Batch) -> bool {
    let are_numbers = batch.codes().iter().fold(true, |all, code| all & (*code >= Code::NUMBERED));
    are_numbers && ascend(batch, batch.len(), batch.codes())
}

/// True if in each of the first `examples` each of `numbers` is larger than the one before: there are as many descents as from
/// one example to the next.
fn ascend(batch: &Batch, examples: usize, numbers: &[u32]) -> bool {
    let numbers = &numbers[..batch.features_before(examples)];
    let Some(later) = numbers.get(1..) else { return true };
    let within = Cpu::fastest().run(Descents { numbers, later });
    let (mut between, mut start) = (0, 0);
    for end in batch.feature_ends().take(examples) {
        if start > 0 && start < end {
            between += descends(numbers[start - 1], numbers[start]);
        }
        start = end;
    }
    within == between
}

/// 1 if the next number is not larger: as signed numbers, which every processor compares several of at once; their order is the
/// same within codes of a kind.
#[inline(always)]
fn descends(one: u32, next: u32) -> u32 {
    u32::from(one.cast_signed() >= next.cast_signed())
}

/// How often one of `later` is not larger than the number before it.
struct Descents<'a> {
    numbers: &'a [u32],
    later: &'a [u32],
}

impl Work for Descents<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Loops>(self, _: L) -> u32 {
        let mut count = 0;
        for (one, next) in self.numbers.iter().zip(self.later) {
            count += descends(*one, *next);
        }
        count
    }
}
