use super::Order;
use super::codes::{all_found, slots_of_numbers};
use crate::batch::{Batch, Example};

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
        // Whoever wants them sorted is glad if they are; to others it is all the same.
        let is_distinct = || exact && ascend(batch, batch.codes());
        self.order = match sorted {
            false if is_distinct() => Some(Order::Distinct),
            _ if ascend(batch, &self.slots) => Some(Order::Ascending),
            true if is_distinct() => Some(Order::Distinct),
            _ => None,
        };
    }

    /// The slots of an example's features and what is known of them, if they were found.
    #[inline(always)]
    pub(super) fn slots(&self, example: &Example<'_>) -> Option<(&[u32], Order)> {
        let order = self.order?;
        Some((self.slots.get(example.first..example.first + example.codes.len())?, order))
    }
}

/// True if in every example each of `numbers` is larger than the one before: there are as many descents as from one
/// example to the next.
fn ascend(batch: &Batch, numbers: &[u32]) -> bool {
    let Some(later) = numbers.get(1..) else { return true };
    let within: usize = numbers.iter().zip(later).map(|(one, next)| usize::from(one >= next)).sum();
    let (mut between, mut start) = (0, 0);
    for end in batch.feature_ends() {
        if start > 0 && start < end {
            between += usize::from(numbers[start - 1] >= numbers[start]);
        }
        start = end;
    }
    within == between
}
