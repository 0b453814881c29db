//! What a pass learns from, block by block: as it comes from the stream, or with its base features, which a thread of their own
//! takes ahead of the learner.

use std::ops::Range;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Result;
use russet::classes::Learners;
use russet::settings::ExpansionKind;
use russet::{LearnError, Learner, Scout, Taken};
use russet_data::{Assistant, DataError, Parsed, Stream, helper};

use crate::interrupt;

/// How many blocks may be taken ahead.
const AHEAD: usize = 4;

/// Up to this many base features, finding their weights takes less time than telling another thread.
const FEW_FEATURES: usize = 1 << 12;

/// The same for a linear model, which is learned so fast that a thread more is worth it only where finding weights takes long.
const FEW_LINEAR_FEATURES: usize = 1 << 16;

/// How often a wait for a block looks whether there is something else to do.
const PATIENCE: Duration = Duration::from_millis(50);

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
    Ahead(Ahead),
}

/// A scout at work.
pub(crate) struct Ahead {
    portions: Receiver<Result<Portion, DataError>>,
    /// Blocks that were learned from, to be used again.
    spares: Sender<Portion>,
    /// What the learner does while it has nothing to learn from.
    assistant: Option<Assistant>,
    thread: JoinHandle<Scout>,
}

impl Portions {
    /// Starts a thread for the base features, if it is not there yet and has enough to do, and parsing leaves it the time.
    pub(crate) fn go_ahead_if_worth(self, learner: &mut Learners) -> Portions {
        let many = |learner: &&mut Learner| {
            let is_linear = learner.model().settings().expansion == ExpansionKind::Linear;
            learner.model().features().len() > if is_linear { FEW_LINEAR_FEATURES } else { FEW_FEATURES }
        };
        let (mut stream, scout) = match (self, learner.only_mut().filter(many)) {
            (Portions::Direct(stream), Some(learner)) if stream.leaves_time() => (stream, learner.send_scout()),
            (portions, _) => return portions,
        };
        let (found, portions) = sync_channel(AHEAD);
        let (spares, back) = channel();
        let assistant = stream.part_with_assistant();
        let thread = helper::spawn(move || go_ahead(scout, stream, &found, &back));
        Portions::Ahead(Ahead { portions, spares, assistant, thread })
    }

    /// The next block; nothing at the end, or soon after the user has asked to stop.
    pub(crate) fn next(&mut self) -> Result<Option<Portion>, DataError> {
        match self {
            Portions::Direct(stream) => {
                let parsed = stream.next_unless(interrupt::flag())?;
                Ok(parsed.map(|parsed| Portion { parsed, taken: None }))
            }
            Portions::Ahead(ahead) => ahead.next(),
        }
    }

    /// Hands a block back, so that its memory is used again.
    pub(crate) fn recycle(&mut self, portion: Portion) {
        match self {
            Portions::Direct(stream) => stream.recycle(portion.parsed),
            // Fails only if the thread has ended, and needs none any more.
            Portions::Ahead(ahead) => drop(ahead.spares.send(portion)),
        }
    }

    /// True if blocks that were begun have to be learned from before the learner can stop.
    pub(crate) fn must_be_emptied(&self) -> bool {
        matches!(self, Portions::Ahead(_))
    }

    /// Ends the pass, after its last block.
    pub(crate) fn end(self, learner: &mut Learners) {
        let Portions::Ahead(Ahead { thread, .. }) = self else { return };
        let scout = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Some(learner) = learner.only_mut() {
            learner.meet_scout(scout);
        }
    }
}

impl Ahead {
    /// The next block; until it is there, others are parsed.
    fn next(&mut self) -> Result<Option<Portion>, DataError> {
        loop {
            match self.portions.try_recv() {
                Ok(portion) => return portion.map(Some),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) if self.assistant.as_mut().is_some_and(Assistant::help) => {}
                Err(TryRecvError::Empty) => match self.portions.recv_timeout(PATIENCE) {
                    Ok(portion) => return portion.map(Some),
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    // The assistant may have what to do by now; until it has seen the end, there is none.
                    Err(RecvTimeoutError::Timeout) => {}
                },
            }
        }
    }
}

/// Takes the base features of one block after the other, until there is none or nobody wants any.
fn go_ahead(
    mut scout: Scout,
    mut stream: Stream,
    found: &SyncSender<Result<Portion, DataError>>,
    back: &Receiver<Portion>,
) -> Scout {
    let mut unused = Vec::new();
    while !interrupt::asked() {
        for Portion { parsed, taken } in back.try_iter() {
            stream.recycle(parsed);
            unused.extend(taken);
        }
        let Some(parsed) = stream.next_unless(interrupt::flag()).transpose() else { break };
        let portion = parsed.map(|parsed| {
            let mut taken = unused.pop().unwrap_or_default();
            scout.take(&parsed.batch, &mut taken);
            Portion { parsed, taken: Some(taken) }
        });
        if found.send(portion).is_err() {
            break;
        }
    }
    scout
}
