//! How many examples there are, found out without learning from them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use crate::source::{Block, Blocks, Inputs};
use crate::{DataError, OnError, ReadOptions, Stream, helper};

/// Counts the examples of the inputs, as a stream with the same options would give them out; of those that are read with
/// faults skipped, the ones with a label.
pub fn count_examples(inputs: &Inputs, options: &ReadOptions) -> Result<u64, DataError> {
    count_noting(inputs, options, &AtomicU64::new(0))
}

/// A count of examples under way in a thread of its own, while others already read the data to learn from it.
///
/// ```
/// use russet_data::{Counting, Inputs, ReadOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("data.vw");
/// # std::fs::write(&path, "1 | a b:2\n-1 | c\n").unwrap();
/// let counting = Counting::start(Inputs::file(&path), ReadOptions::default());
/// assert!(counting.so_far() <= 2);
/// assert_eq!(counting.finish().unwrap(), 2);
/// ```
#[derive(Debug)]
pub struct Counting {
    so_far: Arc<AtomicU64>,
    thread: JoinHandle<Result<u64, DataError>>,
}

impl Counting {
    /// Begins to count as [`count_examples`] does.
    pub fn start(inputs: Inputs, options: ReadOptions) -> Counting {
        let so_far = Arc::new(AtomicU64::new(0));
        let noted = Arc::clone(&so_far);
        let thread = helper::spawn(move || count_noting(&inputs, &options, &noted));
        Counting { so_far, thread }
    }

    /// There are at least this many.
    pub fn so_far(&self) -> u64 {
        self.so_far.load(Ordering::Relaxed)
    }

    /// True if the whole count is there, so that [`Counting::finish`] will not wait.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the whole count.
    ///
    /// # Panics
    /// If the counting thread did.
    pub fn finish(self) -> Result<u64, DataError> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn count_noting(inputs: &Inputs, options: &ReadOptions, so_far: &AtomicU64) -> Result<u64, DataError> {
    let options = ReadOptions { hash_blocks: false, ..options.clone() };
    if options.on_error == OnError::Skip {
        return count_by_parsing(inputs, options, so_far);
    }
    // Lines are counted without a look at their features: should one be faulty, the reader will stop there anyway.
    let mut blocks = Blocks::new(inputs, options);
    let Some((format, _)) = blocks.peek()? else { return Ok(0) };
    let mut block = Block::default();
    while blocks.next(&mut block)? {
        if block.wanted {
            so_far.fetch_add(crate::parse::count(format, &block.layout, &block.bytes), Ordering::Relaxed);
        }
    }
    Ok(so_far.load(Ordering::Relaxed))
}

fn count_by_parsing(inputs: &Inputs, options: ReadOptions, so_far: &AtomicU64) -> Result<u64, DataError> {
    let mut stream = Stream::open(inputs, options)?;
    while let Some(parsed) = stream.next()? {
        if !parsed.block.wanted {
            stream.recycle(parsed);
            continue;
        }
        // A cache also gives out what has no label and will be skipped by the learner.
        let has_label = |place: &usize| parsed.batch.example(*place).label.value.is_some();
        let count = (0..parsed.batch.len()).filter(has_label).count() as u64;
        so_far.fetch_add(count, Ordering::Relaxed);
        stream.recycle(parsed);
    }
    Ok(so_far.load(Ordering::Relaxed))
}
