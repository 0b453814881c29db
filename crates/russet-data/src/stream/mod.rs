//! Examples in order, while other threads parse ahead.
//!
//! Workers take turns at cutting blocks off the input and parse them side by side; the blocks are numbered, and
//! given out in that order. A worker needs a permit for each block, and a permit comes back only when a
//! block is given out: so memory is bounded, however uneven the blocks are. Permits come back several at a time, for to wake a
//! worker takes longer than some blocks do. Whoever asks for a block that is not ready does not wait, but parses one itself.

mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
pub use worker::Assistant;
use worker::{Busy, Numbered, Worker};

use crate::parse::{Parsed, Parser, Schema};
use crate::source::{Blocks, Inputs, Progress};
use crate::{DataError, Format, ReadOptions, helper};

/// Blocks that may be parsed ahead, for each thread.
const AHEAD: usize = 3;

/// Blocks of a cache that may be read ahead: they are learned from so fast that whoever reads them would be woken for each.
const CACHE_AHEAD: usize = 16;

/// How many of these are left when the permits for the others come back: as many as keep the learner busy until the reader is awake.
const CACHE_LEFT: usize = 2;

/// How often a wait for input looks whether it is cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

/// After so many blocks it can be said whether parsing takes all the time of its threads.
const TELLING: u64 = 16;

/// A stream of parsed blocks.
///
/// ```
/// use russet_data::{Inputs, ReadOptions, Stream};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("data.vw");
/// # std::fs::write(&path, "1 | a b:2\n-1 | c\n").unwrap();
/// let mut stream = Stream::open(&Inputs::file(&path), ReadOptions::default()).unwrap();
/// while let Some(parsed) = stream.next().unwrap() {
///     assert_eq!(parsed.batch.len(), 2);
///     stream.recycle(parsed);
/// }
/// ```
pub struct Stream {
    source: Source,
    format: Format,
    schema: Option<Arc<Schema>>,
    progress: Progress,
    /// An error to be given out after the examples before it.
    failed: Option<DataError>,
}

enum Source {
    /// Cancelled before there was anything.
    Nothing,
    /// Nobody has asked for a block yet.
    Waiting(Box<Waiting>),
    Inline(Box<Inline>),
    Threads(Threads),
}

struct Waiting {
    blocks: Blocks,
    options: ReadOptions,
    /// Whether the input may keep one waiting.
    may_wait: bool,
}

struct Inline {
    blocks: Blocks,
    parser: Parser,
    spare: Option<Box<Parsed>>,
}

struct Threads {
    results: Receiver<Numbered>,
    permits: Sender<()>,
    /// Permits that are to come back, and how many of them do at a time.
    due: usize,
    due_at_once: usize,
    spares: Sender<Box<Parsed>>,
    early: BTreeMap<u64, Result<Box<Parsed>, DataError>>,
    next: u64,
    /// For the thread that asks for blocks.
    assistant: Option<Assistant>,
    busy: Arc<Busy>,
}

impl Stream {
    /// Opens the inputs. What is wrong with the first of them is found here.
    pub fn open(inputs: &Inputs, options: ReadOptions) -> Result<Stream, DataError> {
        Stream::open_unless(inputs, options, &AtomicBool::new(false))
    }

    /// As [`Stream::open`], but `cancelled` ends the wait for slow input: the stream is then empty.
    pub fn open_unless(inputs: &Inputs, options: ReadOptions, cancelled: &AtomicBool) -> Result<Stream, DataError> {
        let blocks = Blocks::new(inputs, options.clone());
        let progress = blocks.progress();
        // Files are read at once; a pipe may keep one waiting, so another thread has to do that.
        let may_wait = !inputs.can_reread();
        let opened = if may_wait { open_aside(blocks, cancelled)? } else { open_first(blocks).map(Some)? };
        let Some(Opened { blocks, format, schema }) = opened else {
            return Ok(Stream { source: Source::Nothing, format: Format::Vw, schema: None, progress, failed: None });
        };
        let source = Source::Waiting(Box::new(Waiting { blocks, options, may_wait }));
        Ok(Stream { source, format, schema, progress, failed: None })
    }

    /// The format of the inputs.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The columns, if the inputs are tables or caches of tables.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }

    /// How far reading has come.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The next block, or nothing at the end. After an error the stream is over.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Box<Parsed>>, DataError> {
        self.next_unless(&AtomicBool::new(false))
    }

    /// As [`Stream::next`], but `cancelled` ends the wait for slow input: nothing comes then.
    pub fn next_unless(&mut self, cancelled: &AtomicBool) -> Result<Option<Box<Parsed>>, DataError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.start();
        let parsed = match &mut self.source {
            Source::Nothing | Source::Waiting(_) => None,
            Source::Inline(inline) => inline.next(self.format)?,
            Source::Threads(threads) => threads.next(cancelled)?,
        };
        let Some(mut parsed) = parsed else { return Ok(None) };
        self.failed = parsed.fatal.take();
        match self.failed.take_if(|_| parsed.batch.is_empty()) {
            Some(error) => Err(error),
            None => Ok(Some(parsed)),
        }
    }

    /// Lets whoever asks for blocks read and parse them, without threads for it, if it is asked for before the first block. False if the
    /// input may keep one waiting: then nothing changes.
    pub fn do_without_threads(&mut self) -> bool {
        match &mut self.source {
            Source::Waiting(waiting) if !waiting.may_wait => {
                waiting.options.threads = 1;
                true
            }
            _ => false,
        }
    }

    /// Starts the threads that parse, if there are to be any.
    fn start(&mut self) {
        if !matches!(self.source, Source::Waiting(_)) {
            return;
        }
        let Source::Waiting(waiting) = std::mem::replace(&mut self.source, Source::Nothing) else { return };
        let Waiting { blocks, options, may_wait } = *waiting;
        self.source = if options.threads <= 1 && !may_wait {
            Source::Inline(Box::new(Inline { blocks, parser: Parser::new(0, options), spare: None }))
        } else {
            Source::Threads(Threads::start(blocks, self.format, &options, options.may_help && !may_wait))
        };
    }

    /// Hands a block back, so that its memory is used again.
    pub fn recycle(&mut self, parsed: Box<Parsed>) {
        match &mut self.source {
            Source::Nothing | Source::Waiting(_) => {}
            Source::Inline(inline) => inline.spare = Some(parsed),
            // The workers may all have ended; then nobody needs it.
            Source::Threads(threads) => drop(threads.spares.try_send(parsed)),
        }
    }

    /// Gives away what lets the thread that asks for blocks parse some itself, to a thread that waits for that one. There is
    /// none if the input may keep one waiting, or if no other thread parses.
    pub fn part_with_assistant(&mut self) -> Option<Assistant> {
        match &mut self.source {
            Source::Threads(threads) => threads.assistant.take(),
            Source::Nothing | Source::Waiting(_) | Source::Inline(_) => None,
        }
    }

    /// True if there are threads that parse, and they have waited for a good part of the time: one thread more would not be
    /// in their way.
    pub fn leaves_time(&self) -> bool {
        matches!(&self.source, Source::Threads(threads) if threads.next >= TELLING && threads.busy.is_low())
    }
}

/// Inputs whose first file has been opened.
struct Opened {
    blocks: Blocks,
    format: Format,
    schema: Option<Arc<Schema>>,
}

fn open_first(mut blocks: Blocks) -> Result<Opened, DataError> {
    let (format, schema) = match blocks.peek()? {
        Some((format, layout)) => (format, layout.schema()),
        None => (Format::Vw, None),
    };
    Ok(Opened { blocks, format, schema })
}

/// As [`open_first`], in a thread that is left behind if `cancelled` comes first.
fn open_aside(blocks: Blocks, cancelled: &AtomicBool) -> Result<Option<Opened>, DataError> {
    let (opened_in, opened) = bounded(1);
    thread::spawn(move || {
        // Fails only if nobody waits any more.
        let _ = opened_in.send(open_first(blocks));
    });
    loop {
        match opened.recv_timeout(PATIENCE) {
            Ok(opened) => return opened.map(Some),
            Err(RecvTimeoutError::Timeout) if !cancelled.load(Ordering::Relaxed) => {}
            Err(_) => return Ok(None),
        }
    }
}

impl Inline {
    fn next(&mut self, format: Format) -> Result<Option<Box<Parsed>>, DataError> {
        let mut parsed = self.spare.take().unwrap_or_default();
        if !self.blocks.next(&mut parsed.block)? {
            return Ok(None);
        }
        self.parser.parse(format, &mut parsed);
        Ok(Some(parsed))
    }
}

impl Threads {
    /// `may_help`: the thread that asks for blocks may parse some, for the input does not keep it waiting.
    fn start(blocks: Blocks, format: Format, options: &ReadOptions, may_help: bool) -> Threads {
        let (limit, due_at_once) = match format {
            Format::Cache => (CACHE_AHEAD, CACHE_AHEAD - CACHE_LEFT),
            _ => {
                let limit = AHEAD * options.threads.max(1);
                (limit, limit.div_ceil(2))
            }
        };
        // A cache is read many times as fast as it is learned from: a second thread would only be in the way.
        let wanted = if format == Format::Cache { 1 } else { options.threads };
        let threads = wanted.saturating_sub(usize::from(may_help)).max(1);
        let blocks = Arc::new(Mutex::new(Some(blocks)));
        let (results_in, results) = unbounded();
        let (permits, permits_out) = bounded(limit);
        let (spares, spares_out) = bounded(limit);
        (0..limit).for_each(|_| permits.try_send(()).expect("the channel has room for all permits"));
        let worker = |number: usize| Worker {
            blocks: Arc::clone(&blocks),
            parser: Parser::new(number as u32, options.clone()),
            format,
            permits: permits_out.clone(),
            spares: spares_out.clone(),
            results: results_in.clone(),
            text: Vec::new(),
        };
        let busy = Arc::new(Busy::new(threads));
        for number in 0..threads {
            let (worker, busy) = (worker(number), Arc::clone(&busy));
            helper::spawn(move || worker.run(&busy));
        }
        let assistant = may_help.then(|| Assistant::new(worker(threads)));
        Threads { results, permits, due: 0, due_at_once, spares, early: BTreeMap::new(), next: 0, assistant, busy }
    }

    fn next(&mut self, cancelled: &AtomicBool) -> Result<Option<Box<Parsed>>, DataError> {
        let found = loop {
            if let Some(found) = self.early.remove(&self.next) {
                break found;
            }
            if let Ok((number, found)) = self.results.try_recv() {
                self.early.insert(number, found);
                continue;
            }
            self.return_permits();
            if self.assistant.as_mut().is_some_and(Assistant::help) {
                continue;
            }
            match self.results.recv_timeout(PATIENCE) {
                Ok((number, found)) => drop(self.early.insert(number, found)),
                Err(RecvTimeoutError::Timeout) if !cancelled.load(Ordering::Relaxed) => {}
                // Cancelled, or all workers gone and nothing left: the end.
                Err(_) => return Ok(None),
            }
        };
        self.next += 1;
        self.due += 1;
        if self.due >= self.due_at_once {
            self.return_permits();
        }
        found.map(Some)
    }

    fn return_permits(&mut self) {
        for _ in 0..std::mem::take(&mut self.due) {
            // Fails only when the workers have ended.
            let _ = self.permits.try_send(());
        }
    }
}
