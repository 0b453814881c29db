use super::ModelError;
use super::input::{Input, PIECE};
use super::products::parent_and_slot;
use crate::weights::reserve_to_fill;

/// Products of `N` bytes as they come: in runs that end where those of a parent do, so that each parent's are met at once.
pub(super) struct Runs<'i, 's, const N: usize> {
    input: &'i mut Input<'s>,
    /// How many are still to be read.
    unread: usize,
    /// The first products of a parent that has more: they begin the next run.
    begun: Vec<u8>,
}

/// How much room a run has from the start: most parents have fewer products, so that it seldom moves.
const ROOM: usize = 1 << 21;

impl<'i, 's, const N: usize> Runs<'i, 's, N> {
    /// Reads how many products there are.
    pub(super) fn new(input: &'i mut Input<'s>) -> Result<Runs<'i, 's, N>, ModelError> {
        let unread = input.count(N)?;
        Ok(Runs { input, unread, begun: Vec::new() })
    }

    /// How many products are still to be read.
    pub(super) fn unread(&self) -> usize {
        self.unread
    }

    /// Reads the bytes of the next run; false if there is none.
    pub(super) fn next(&mut self, run: &mut Vec<u8>) -> Result<bool, ModelError> {
        std::mem::swap(run, &mut self.begun);
        self.begun.clear();
        while self.unread > 0 {
            let (had, more) = (run.len(), self.unread.min(PIECE / N));
            if run.capacity() < had + more * N {
                reserve_to_fill(run, ROOM.min(self.unread * N).max(2 * had));
            }
            run.resize(had + more * N, 0);
            self.input.fill(&mut run[had..])?;
            self.unread -= more;
            if self.unread > 0 && self.cut(run, had / N) {
                break;
            }
        }
        Ok(!run.is_empty())
    }

    /// Keeps the products of the last parent for the next run, unless they begin before those from `from` on, or with them.
    fn cut(&mut self, run: &mut Vec<u8>, from: usize) -> bool {
        let (products, _) = run.as_chunks::<N>();
        let (first, parent) = (from.saturating_sub(1), |place: usize| parent_and_slot(&products[place]).0);
        let (mut begin, last) = (products.len() - 1, parent(products.len() - 1));
        if parent(first) == last {
            return false;
        }
        while parent(begin - 1) == last {
            begin -= 1;
        }
        self.begun.extend_from_slice(products[begin..].as_flattened());
        run.truncate(begin * N);
        true
    }
}
