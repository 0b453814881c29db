//! Base features that a thread of their own takes, from blocks that others parse.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use russet::Scout;
use russet_data::{Assistant, DataError, Stream, helper};

use super::Portion;
use crate::interrupt;

/// How many blocks may be taken ahead.
const AHEAD: usize = 8;

/// Blocks come back so many at a time, and the scout goes on then: to wake it takes longer than to take a block.
const TOGETHER: usize = 4;

/// How often a wait for a block looks whether there is something else to do.
const PATIENCE: Duration = Duration::from_millis(50);

/// A scout at work.
pub(crate) struct Scouting {
    portions: Receiver<Result<Portion, DataError>>,
    /// Blocks that were learned from, to be used again: for each, another may be taken.
    spares: Sender<Vec<Portion>>,
    /// Those that are to go back.
    due: Vec<Portion>,
    /// What the learner does while it has nothing to learn from.
    assistant: Option<Assistant>,
    thread: JoinHandle<Scout>,
}

impl Scouting {
    pub(super) fn start(mut stream: Stream, scout: Scout) -> Scouting {
        let (found, portions) = channel();
        let (spares, back) = channel();
        let assistant = stream.part_with_assistant();
        let thread = helper::spawn(move || go_ahead(scout, stream, &found, &back));
        Scouting { portions, spares, due: Vec::new(), assistant, thread }
    }

    /// The next block; until it is there, others are parsed.
    pub(super) fn next(&mut self) -> Result<Option<Portion>, DataError> {
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

    pub(super) fn recycle(&mut self, portion: Portion) {
        self.due.push(portion);
        if self.due.len() >= TOGETHER {
            // Fails only if the thread has ended, and needs none any more.
            let _ = self.spares.send(std::mem::take(&mut self.due));
        }
    }

    /// The scout, after the last block.
    pub(super) fn end(self) -> Scout {
        drop((self.portions, self.spares, self.assistant));
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Takes the base features of one block after the other, until there is none or nobody wants any.
fn go_ahead(
    mut scout: Scout,
    mut stream: Stream,
    found: &Sender<Result<Portion, DataError>>,
    back: &Receiver<Vec<Portion>>,
) -> Scout {
    let (mut unused, mut room) = (Vec::new(), AHEAD);
    while !interrupt::asked() {
        let awaited = if room == 0 { back.recv().ok() } else { None };
        for Portion { parsed, taken } in awaited.into_iter().chain(back.try_iter()).flatten() {
            stream.recycle(parsed);
            unused.extend(taken);
            room += 1;
        }
        let next = if room > 0 { stream.next_unless(interrupt::flag()).transpose() } else { None };
        let Some(parsed) = next else { break };
        let portion = parsed.map(|parsed| {
            let mut taken = unused.pop().unwrap_or_default();
            scout.take(&parsed.batch, &mut taken);
            Portion { parsed, taken: Some(taken) }
        });
        room -= 1;
        if found.send(portion).is_err() {
            break;
        }
    }
    scout
}
