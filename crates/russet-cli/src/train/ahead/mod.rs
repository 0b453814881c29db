//! What a pass learns from, block by block: as it comes from the stream, or with its base features, which are taken ahead of the
//! learner.

mod scouting;
mod shelf;

use std::ops::Range;

use russet::classes::Learners;
use russet::settings::ExpansionKind;
use russet::{LearnError, Learner, Taken};
use russet_data::{DataError, Format, Parsed, Stream};

use crate::interrupt;
use scouting::Scouting;
use shelf::Shelf;

/// Up to this many base features, finding their weights takes less time than telling another thread.
const FEW_FEATURES: usize = 1 << 12;

/// The same for a linear model, which is learned so fast that a thread more is worth it only where finding weights takes long.
const FEW_LINEAR_FEATURES: usize = 1 << 16;

/// A block to learn from.
pub(crate) struct Portion {
    pub(crate) parsed: Box<Parsed>,
    /// Its base features, if they have been taken.
    taken: Option<Taken>,
}

impl Portion {
    /// Learns from some of its examples.
    pub(crate) fn learn(&self, learner: &mut Learners, range: Range<usize>) -> Result<(), LearnError> {
        match (&self.taken, learner.only_mut()) {
            (Some(taken), Some(learner)) => learner.learn_taken(&self.parsed.batch, taken, range),
            _ => learner.learn_range(&self.parsed.batch, range),
        }
    }

    /// Passes over it.
    pub(crate) fn skip(&self, learner: &mut Learners) {
        if self.taken.is_none() {
            learner.skip(&self.parsed.batch);
        }
    }
}

/// Where the blocks of a pass come from.
pub(crate) enum Portions {
    Direct(Stream),
    /// Others read and parse, and one takes base features.
    Scouting(Scouting),
    /// One does both.
    Shelf(Shelf),
}

impl Portions {
    /// The blocks of a stream that nothing was read from. `may_go_ahead`: base features may be taken ahead of the learner.
    pub(crate) fn of(mut stream: Stream, learner: &mut Learners, may_go_ahead: bool) -> Portions {
        // A cache is read, and its features are found, in about the time that a linear model takes to learn from it.
        match learner.only_mut().filter(|learner| is_linear(learner)) {
            Some(learner) if may_go_ahead && stream.format() == Format::Cache && stream.do_without_threads() => {
                Portions::Shelf(Shelf::start(stream, learner.send_scout()))
            }
            _ => Portions::Direct(stream),
        }
    }

    /// Starts a thread for the base features, if it is not there yet and has enough to do, and parsing leaves it the time.
    pub(crate) fn go_ahead_if_worth(self, learner: &mut Learners) -> Portions {
        let many = |learner: &&mut Learner| {
            learner.model().features().len() > if is_linear(learner) { FEW_LINEAR_FEATURES } else { FEW_FEATURES }
        };
        match (self, learner.only_mut().filter(many)) {
            (Portions::Direct(stream), Some(learner)) if stream.leaves_time() => {
                Portions::Scouting(Scouting::start(stream, learner.send_scout()))
            }
            (portions, _) => portions,
        }
    }

    /// The next block; nothing at the end, or soon after the user has asked to stop.
    pub(crate) fn next(&mut self) -> Result<Option<Portion>, DataError> {
        match self {
            Portions::Direct(stream) => {
                let parsed = stream.next_unless(interrupt::flag())?;
                Ok(parsed.map(|parsed| Portion { parsed, taken: None }))
            }
            Portions::Scouting(scouting) => scouting.next(),
            Portions::Shelf(shelf) => shelf.next(),
        }
    }

    /// Hands a block back, so that its memory is used again.
    pub(crate) fn recycle(&mut self, portion: Portion) {
        match self {
            Portions::Direct(stream) => stream.recycle(portion.parsed),
            Portions::Scouting(scouting) => scouting.recycle(portion),
            Portions::Shelf(shelf) => shelf.recycle(portion),
        }
    }

    /// True if blocks that were begun have to be learned from before the learner can stop.
    pub(crate) fn must_be_emptied(&self) -> bool {
        !matches!(self, Portions::Direct(_))
    }

    /// Ends the pass, after its last block.
    pub(crate) fn end(self, learner: &mut Learners) {
        let scout = match self {
            Portions::Direct(_) => return,
            Portions::Scouting(scouting) => scouting.end(),
            Portions::Shelf(shelf) => shelf.end(),
        };
        if let Some(learner) = learner.only_mut() {
            learner.meet_scout(scout);
        }
    }
}

fn is_linear(learner: &Learner) -> bool {
    learner.model().settings().expansion == ExpansionKind::Linear
}
