//! Blocks that are read, and their base features taken, by whoever has time: a thread that does nothing else, or the learner when
//! nothing is ready for it.
//!
//! Both are about as fast, and a block takes some ten microseconds: to wait for the other to be woken would often take longer than to
//! do its work.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use russet::Scout;
use russet_data::{DataError, Stream, helper};

use super::Portion;
use crate::interrupt;

/// How many blocks may be ready.
const MOST: usize = 8;

/// When so few are left, the thread that makes more is woken.
const FEW: usize = 4;

/// How often the learner looks whether a block that is being read is ready, before it lies down to wait for it.
const LOOKS: u32 = 2_000;

/// How long it then waits at most before it looks again.
const PATIENCE: Duration = Duration::from_millis(50);

/// What both threads share.
pub(crate) struct Shelf {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// Belongs to whoever reads; blocks become ready before it is given back, so they are in order.
    source: Mutex<Source>,
    ready: Mutex<Ready>,
    /// Tells the thread that there is room, or that nobody wants more.
    room: Condvar,
    /// Tells the learner that a block is ready.
    filled: Condvar,
}

struct Source {
    stream: Stream,
    scout: Option<Scout>,
}

/// What was read, and who waits.
#[derive(Default)]
struct Ready {
    portions: VecDeque<Result<Portion, DataError>>,
    /// Blocks that were learned from, to be used again.
    spares: Vec<Portion>,
    /// Nothing more will come.
    is_over: bool,
    thread_waits: bool,
    learner_waits: bool,
}

impl Shelf {
    /// `stream` has no threads of its own.
    pub(super) fn start(stream: Stream, scout: Scout) -> Shelf {
        let shared = Arc::new(Shared {
            source: Mutex::new(Source { stream, scout: Some(scout) }),
            ready: Mutex::default(),
            room: Condvar::new(),
            filled: Condvar::new(),
        });
        let thread = helper::spawn({
            let shared = Arc::clone(&shared);
            move || shared.fill()
        });
        Shelf { shared, thread: Some(thread) }
    }

    pub(super) fn next(&mut self) -> Result<Option<Portion>, DataError> {
        self.shared.next()
    }

    pub(super) fn recycle(&mut self, portion: Portion) {
        self.shared.ready().spares.push(portion);
    }

    /// The scout, after the last block.
    pub(super) fn end(mut self) -> Scout {
        self.shared.stop();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        self.shared.source.lock().ok().and_then(|mut source| source.scout.take()).expect("it has been there all the time")
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl Shared {
    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().expect("nobody fails while he has it")
    }

    /// Makes blocks ready until there is none, or nobody wants any.
    fn fill(&self) {
        loop {
            let mut ready = self.ready();
            while ready.portions.len() >= MOST && !ready.is_over {
                ready.thread_waits = true;
                ready = self.room.wait(ready).expect("nobody fails while he has it");
            }
            if ready.is_over {
                return;
            }
            drop(ready);
            self.read(&mut self.source.lock().expect("nobody fails while he has it"));
        }
    }

    /// The next block.
    fn next(&self) -> Result<Option<Portion>, DataError> {
        let mut looks = 0;
        loop {
            let mut ready = self.ready();
            if let Some(portion) = ready.portions.pop_front() {
                if ready.thread_waits && ready.portions.len() <= FEW {
                    ready.thread_waits = false;
                    self.room.notify_one();
                }
                return portion.map(Some);
            }
            if ready.is_over {
                return Ok(None);
            }
            looks += 1;
            if looks > LOOKS {
                ready.learner_waits = true;
                drop(self.filled.wait_timeout(ready, PATIENCE));
                continue;
            }
            drop(ready);
            match self.source.try_lock() {
                Ok(mut source) => self.read(&mut source),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
                Err(TryLockError::Poisoned(_)) => panic!("nobody fails while he has it"),
            }
        }
    }

    /// Makes the next block ready.
    fn read(&self, source: &mut Source) {
        let spare = self.ready().spares.pop();
        let portion = source.read(spare).transpose();
        let mut ready = self.ready();
        ready.is_over |= !matches!(portion, Some(Ok(_)));
        ready.portions.extend(portion);
        if std::mem::take(&mut ready.learner_waits) {
            self.filled.notify_one();
        }
    }

    /// Nobody wants more.
    fn stop(&self) {
        if let Ok(mut ready) = self.ready.lock() {
            ready.is_over = true;
        }
        self.room.notify_one();
    }
}

impl Source {
    /// The next block with its base features, in the memory of `spare`; nothing at the end, or after the user has asked to stop.
    fn read(&mut self, spare: Option<Portion>) -> Result<Option<Portion>, DataError> {
        let mut taken = None;
        if let Some(spare) = spare {
            self.stream.recycle(spare.parsed);
            taken = spare.taken;
        }
        let (Some(scout), false) = (&mut self.scout, interrupt::asked()) else { return Ok(None) };
        let Some(parsed) = self.stream.next_unless(interrupt::flag())? else { return Ok(None) };
        let mut taken = taken.unwrap_or_default();
        scout.take(&parsed.batch, &mut taken);
        Ok(Some(Portion { parsed, taken: Some(taken) }))
    }
}
