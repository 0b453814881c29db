use super::codes::{Found, is_missing};
use crate::batch::Example;

/// The slots of an example that will be taken soon, as far as they are known by now: whoever asks for its weights ahead of
/// time has to find them anyway.
#[derive(Default)]
pub(super) struct Ahead {
    /// Where the example's features begin in its batch, if there is one.
    first: Option<usize>,
    slots: Vec<u32>,
    found: Found,
}

impl Ahead {
    pub(super) fn forget(&mut self) {
        self.first = None;
    }

    /// Keeps the slots of an example that `follow` finds, and visits those that are known.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        example: &Example<'_>,
        follow: impl FnOnce(&mut Vec<u32>) -> Found,
        mut visit: impl FnMut(u32),
    ) {
        self.slots.clear();
        self.found = follow(&mut self.slots);
        self.first = Some(example.first);
        self.slots.iter().filter(|slot| !is_missing(**slot)).for_each(|slot| visit(*slot));
    }

    /// What was found, if it is for this example. What is missing may be known by now.
    #[inline(always)]
    pub(super) fn slots(&self, example: &Example<'_>) -> Option<(&[u32], Found)> {
        let is_for_it = self.first == Some(example.first) && self.slots.len() == example.codes.len();
        is_for_it.then_some((&self.slots, self.found))
    }
}
