//! Who reads and parses blocks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::parse::{Parsed, Parser};
use crate::source::Blocks;
use crate::{DataError, Format};

/// A block with its place in the order in which they come out.
pub(super) type Numbered = (u64, Result<Box<Parsed>, DataError>);

/// Reads blocks in turn with others, and parses them.
pub(super) struct Worker {
    /// Taken away after an error, so that all stop.
    pub(super) blocks: Arc<Mutex<Option<Blocks>>>,
    pub(super) parser: Parser,
    pub(super) format: Format,
    pub(super) permits: Receiver<()>,
    pub(super) spares: Receiver<Box<Parsed>>,
    pub(super) results: Sender<Numbered>,
    /// Room for a block's text, which nobody needs once it is parsed: a few are enough for all.
    pub(super) text: Vec<u8>,
}

impl Worker {
    /// Works until the input ends or nobody listens.
    pub(super) fn run(mut self, busy: &Busy) {
        while self.permits.recv().is_ok() {
            let begun = Instant::now();
            if !self.work() {
                return;
            }
            busy.add(begun.elapsed());
        }
    }

    /// Reads the next block and parses it. False if there is none, or nobody wants it.
    fn work(&mut self) -> bool {
        let mut parsed = self.spares.try_recv().unwrap_or_default();
        parsed.block.bytes = std::mem::take(&mut self.text);
        let numbered = match self.cut(&mut parsed) {
            Ok(None) => return false,
            Ok(Some(number)) => {
                self.parser.parse(self.format, &mut parsed);
                self.text = std::mem::take(&mut parsed.block.bytes);
                (number, Ok(parsed))
            }
            Err((number, error)) => (number, Err(error)),
        };
        self.results.send(numbered).is_ok()
    }

    /// Cuts the next block off the input; gives its place in the order in which they come out.
    fn cut(&self, parsed: &mut Parsed) -> Result<Option<u64>, (u64, DataError)> {
        let mut shared = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(blocks) = shared.as_mut() else { return Ok(None) };
        let number = blocks.given();
        match blocks.next(&mut parsed.block) {
            Ok(found) => Ok(found.then_some(number)),
            Err(error) => {
                *shared = None;
                Err((number, error))
            }
        }
    }
}

/// Parses for a [`Stream`](crate::Stream), in a thread that would otherwise wait for what others parse. Whoever has it must ask it to [help](Assistant::help) from
/// time to time, or drop it: the stream does not end before it has seen the end.
pub struct Assistant {
    /// Gone at the end of the input, for the stream ends with its last worker.
    worker: Option<Box<Worker>>,
}

impl Assistant {
    pub(super) fn new(worker: Worker) -> Assistant {
        Assistant { worker: Some(Box::new(worker)) }
    }

    /// Parses the next block; it comes out of the stream in its turn. False if there is nothing to do.
    pub fn help(&mut self) -> bool {
        let Some(worker) = &mut self.worker else { return false };
        if worker.permits.try_recv().is_err() {
            return false;
        }
        let helped = worker.work();
        if !helped {
            self.worker = None;
        }
        helped
    }
}

/// How long the threads of a stream have worked.
#[derive(Debug)]
pub(super) struct Busy {
    since: Instant,
    threads: u32,
    nanoseconds: AtomicU64,
}

impl Busy {
    pub(super) fn new(threads: usize) -> Busy {
        Busy { since: Instant::now(), threads: threads as u32, nanoseconds: AtomicU64::new(0) }
    }

    fn add(&self, time: Duration) {
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// True if they have waited for a good part of the time.
    pub(super) fn is_low(&self) -> bool {
        let worked = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        worked < self.since.elapsed() * self.threads * 2 / 3
    }
}
