//! Blocks that are read, and then their base features taken, by whoever has time: a thread that does nothing else, or the learner when
//! nothing is ready for it.
//!
//! All of this takes about as long as learning, and a step some ten microseconds: to wait for the other to be woken would often take
//! longer than to do its work. So each thread does the next step that the other is not doing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use russet::{Scout, Taken};
use russet_data::{DataError, Parsed, Stream, helper};

use super::Portion;
use crate::interrupt;

/// How many blocks may be on their way from the stream to the learner.
const MOST: usize = 8;

/// When so few are left, the thread that makes more is woken.
const FEW: usize = 4;

/// How often a thread with nothing to do looks whether the other has done something, before it lies down to wait for that.
const LOOKS: u32 = 4_000;

/// How long it then waits at most before it looks again.
const PATIENCE: Duration = Duration::from_millis(50);

/// Blocks on their way to the learner.
pub(crate) struct Shelf {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What both threads have. Each step belongs to who has locked it; what it has made is on the shelf before it is given back, so blocks
/// stay in order.
struct Shared {
    reading: Mutex<Box<Stream>>,
    /// The scout is here until it goes back to its learner.
    taking: Mutex<Box<Option<Scout>>>,
    blocks: Mutex<Blocks>,
    /// How often something was put on the shelf: what is looked at while there is nothing to do.
    changes: Apart<AtomicU64>,
    /// There is room, or nobody wants more.
    room: Condvar,
    /// Something was put on the shelf.
    changed: Condvar,
}

/// In lines of the processors' caches of its own: who writes beside what another looks at slows both.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// What lies on the shelf, in order, and who waits.
#[derive(Default)]
struct Blocks {
    read: VecDeque<Result<Box<Parsed>, DataError>>,
    ready: VecDeque<Result<Portion, DataError>>,
    /// What was learned from, to be used again, and arrays for base features.
    spares: Vec<Portion>,
    unused: Vec<Taken>,
    /// How many were read that the learner does not have yet.
    on_their_way: usize,
    /// Nothing more will be read.
    is_over: bool,
    waits_for_room: bool,
    waits_for_change: bool,
}

impl Shelf {
    /// `stream` has no threads of its own.
    pub(super) fn start(stream: Stream, scout: Scout) -> Shelf {
        let shared = Arc::new(Shared {
            reading: Mutex::new(Box::new(stream)),
            taking: Mutex::new(Box::new(Some(scout))),
            blocks: Mutex::default(),
            changes: Apart::default(),
            room: Condvar::new(),
            changed: Condvar::new(),
        });
        let thread = helper::spawn({
            let shared = Arc::clone(&shared);
            move || shared.fill()
        });
        Shelf { shared, thread: Some(thread) }
    }

    /// The next block.
    pub(super) fn next(&mut self) -> Result<Option<Portion>, DataError> {
        loop {
            let mut blocks = self.shared.blocks();
            if let Some(portion) = blocks.ready.pop_front() {
                blocks.on_their_way -= 1;
                if blocks.waits_for_room && blocks.on_their_way <= FEW {
                    blocks.waits_for_room = false;
                    self.shared.room.notify_one();
                }
                return portion.map(Some);
            }
            if blocks.is_over && blocks.on_their_way == 0 {
                return Ok(None);
            }
            self.shared.work_or_wait(blocks);
        }
    }

    pub(super) fn recycle(&mut self, portion: Portion) {
        self.shared.blocks().spares.push(portion);
    }

    /// The scout, after the last block.
    pub(super) fn end(mut self) -> Scout {
        self.shared.stop();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        let scout = self.shared.taking.lock().ok().and_then(|mut scout| scout.take());
        scout.expect("it goes back once")
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl Shared {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().expect("nobody fails while he has it")
    }

    /// Fills the shelf until there is nothing more, or nobody wants more.
    fn fill(&self) {
        loop {
            let mut blocks = self.blocks();
            if blocks.is_over && blocks.read.is_empty() {
                return;
            }
            if blocks.read.is_empty() && blocks.on_their_way >= MOST {
                blocks.waits_for_room = true;
                drop(self.room.wait(blocks));
                continue;
            }
            self.work_or_wait(blocks);
        }
    }

    /// Does a step that nobody is doing; if there is none, waits until there has been a change, or for some time.
    fn work_or_wait(&self, blocks: MutexGuard<'_, Blocks>) {
        let changes = self.changes.0.load(Ordering::Relaxed);
        let (can_take, can_read) = (!blocks.read.is_empty(), !blocks.is_over && blocks.on_their_way < MOST);
        drop(blocks);
        // The later one first: it is what the learner waits for.
        if can_take && let Some(mut scout) = unless_taken(&self.taking) {
            self.take(&mut scout);
        } else if can_read && let Some(mut stream) = unless_taken(&self.reading) {
            self.read(&mut stream);
        } else {
            return self.wait(changes);
        }
        // Only now, when the step can be taken by another.
        self.tell();
    }

    /// Waits for more than so many changes.
    fn wait(&self, changes: u64) {
        for _ in 0..LOOKS {
            if self.changes.0.load(Ordering::Relaxed) != changes {
                return;
            }
            std::hint::spin_loop();
        }
        // Whoever has failed in a step will tell nothing more.
        assert!(!self.taking.is_poisoned() && !self.reading.is_poisoned(), "the other thread has failed");
        let mut blocks = self.blocks();
        if self.changes.0.load(Ordering::Relaxed) == changes {
            blocks.waits_for_change = true;
            drop(self.changed.wait_timeout(blocks, PATIENCE));
        }
    }

    /// Reads the next block, unless it was the last or the user has asked to stop.
    fn read(&self, stream: &mut Stream) {
        let spare = self.blocks().spares.pop();
        let mut taken = None;
        if let Some(spare) = spare {
            stream.recycle(spare.parsed);
            taken = spare.taken;
        }
        let next = if interrupt::asked() { Ok(None) } else { stream.next_unless(interrupt::flag()) };
        let mut blocks = self.blocks();
        blocks.is_over |= !matches!(next, Ok(Some(_)));
        blocks.unused.extend(taken);
        if let Some(parsed) = next.transpose() {
            blocks.read.push_back(parsed);
            blocks.on_their_way += 1;
        }
    }

    /// Takes the base features of the next block that was read.
    fn take(&self, scout: &mut Option<Scout>) {
        let mut blocks = self.blocks();
        let (Some(parsed), Some(scout)) = (blocks.read.pop_front(), scout) else { return };
        let mut taken = blocks.unused.pop().unwrap_or_default();
        drop(blocks);
        let portion = parsed.map(|parsed| {
            scout.take(&parsed.batch, &mut taken);
            Portion { parsed, taken: Some(taken) }
        });
        self.blocks().ready.push_back(portion);
    }

    /// Tells who waits that there has been a change.
    fn tell(&self) {
        let mut blocks = self.blocks();
        self.changes.0.fetch_add(1, Ordering::Relaxed);
        if std::mem::take(&mut blocks.waits_for_change) {
            self.changed.notify_all();
        }
    }

    /// Nobody wants more.
    fn stop(&self) {
        if let Ok(mut blocks) = self.blocks.lock() {
            blocks.is_over = true;
            blocks.read.clear();
        }
        self.room.notify_one();
    }
}

/// What a lock holds, unless another has it.
fn unless_taken<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match lock.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Poisoned(_)) => panic!("nobody fails while he has it"),
    }
}
