//! The guard in a thread of its own, which follows the learner by a few blocks.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use russet::classes::Learners;
use russet::{Companion, Notes};
use russet_data::helper;

/// How many times the learner may have told something that the companion has not followed yet: more than come in a nap.
const AHEAD: usize = 8;

/// So many examples are told at once, or more.
const TOGETHER: usize = 1 << 9;

/// Or so many base features: what is not told yet takes memory.
const FEATURES_TOGETHER: usize = 1 << 14;

/// The companion looks so often whether there is something to follow: for the learner to wake it would take longer than to learn
/// from some blocks.
const NAP: Duration = Duration::from_micros(250);

/// While there is nothing, it looks less and less often, down to this.
const LONGEST_NAP: Duration = Duration::from_millis(16);

/// A companion at work.
pub(crate) struct Beside {
    notes: SyncSender<Notes>,
    /// Notes that were followed, to be written again.
    spares: Receiver<Notes>,
    thread: JoinHandle<Companion>,
}

impl Beside {
    /// Starts the guard's thread, if there is one learner and it has a guard to part with.
    pub(crate) fn start(learner: &mut Learners) -> Option<Beside> {
        let companion = learner.only_mut()?.part()?;
        let (notes, told) = sync_channel(AHEAD);
        let (back, spares) = channel();
        let thread = helper::spawn(move || follow(companion, &told, &back));
        Some(Beside { notes, spares, thread })
    }

    /// Passes on what there is to tell, if it is worth it.
    pub(crate) fn tell(&self, learner: &mut Learners) {
        let is_much = |notes: &Notes| notes.len() >= TOGETHER || notes.features() >= FEATURES_TOGETHER;
        if learner.only_mut().is_some_and(|learner| learner.notes().is_some_and(is_much)) {
            self.tell_all(learner);
        }
    }

    /// Passes on what there is to tell.
    fn tell_all(&self, learner: &mut Learners) {
        let Some(learner) = learner.only_mut() else { return };
        let notes = learner.exchange_notes(self.spares.try_recv().unwrap_or_default());
        // Where the thread has ended, it has panicked, which comes out at the end.
        if let Err(TrySendError::Full(notes)) = self.notes.try_send(notes) {
            self.thread.thread().unpark();
            let _ = self.notes.send(notes);
        }
    }

    /// Waits until the companion knows everything, and ends the thread.
    pub(crate) fn end(self, learner: &mut Learners) {
        self.tell_all(learner);
        drop(self.notes);
        self.thread.thread().unpark();
        let companion = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Some(learner) = learner.only_mut() {
            learner.rejoin(companion);
        }
    }
}

fn follow(mut companion: Companion, told: &Receiver<Notes>, back: &Sender<Notes>) -> Companion {
    let mut nap = NAP;
    loop {
        match told.try_recv() {
            Ok(notes) => {
                companion.follow(&notes);
                // Fails only if the learner has ended already.
                let _ = back.send(notes);
                nap = NAP;
            }
            Err(TryRecvError::Empty) => {
                thread::park_timeout(nap);
                nap = (2 * nap).min(LONGEST_NAP);
            }
            Err(TryRecvError::Disconnected) => return companion,
        }
    }
}
