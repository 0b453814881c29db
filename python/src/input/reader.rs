//! Rows to batches, in a thread of its own.

use std::ops::Range;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use russet::batch::{Batch, Dictionary};

use super::columns::Known;
use super::{Labels, Table, Target};
use crate::errors::Error;

/// A batch aims to have this many features: enough that handing it over costs nothing, few enough to stay in cache.
const FEATURES: usize = 1 << 14;
/// Batches that may be made ahead.
const AHEAD: usize = 4;

/// Goes through a table once.
pub(crate) struct Reader<'t, 'd> {
    table: &'t Table<'d>,
    labels: Labels<'t>,
    dictionary: Dictionary,
    known: Known,
    next: usize,
}

impl<'t, 'd> Reader<'t, 'd> {
    pub(crate) fn new(table: &'t Table<'d>, labels: Labels<'t>) -> Reader<'t, 'd> {
        Reader { table, labels, dictionary: Dictionary::default(), known: Known::default(), next: 0 }
    }

    /// Fills the batch with the next rows. False at the end.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let count = (FEATURES / self.table.width().max(1)).clamp(1, 4096);
        let rows = self.next..self.table.rows().min(self.next + count);
        self.next = rows.end;
        batch.start(&mut self.dictionary);
        if rows.is_empty() {
            return Ok(false);
        }
        self.fill(rows, batch).map(|()| true)
    }

    fn fill(&mut self, rows: Range<usize>, batch: &mut Batch) -> Result<(), Error> {
        let mut target = Target { batch, dictionary: &mut self.dictionary };
        match self.table {
            Table::Dense32(dense) => dense.fill(rows, &self.labels, &mut target),
            Table::Dense64(dense) => dense.fill(rows, &self.labels, &mut target),
            Table::Sparse(sparse) => sparse.fill(rows, &self.labels, &mut target),
            Table::Columns(columns) => columns.fill(rows, &self.labels, &mut target, &mut self.known),
        }
    }
}

/// The batches of a table, made ahead of their use.
pub(crate) struct Batches {
    filled: Receiver<Result<Batch, Error>>,
    spares: Sender<Batch>,
}

impl Batches {
    /// Starts to make batches in a thread of `scope`; it ends when nobody wants them any more.
    pub(crate) fn start<'scope, 'd: 'scope>(
        scope: &'scope thread::Scope<'scope, '_>,
        mut reader: Reader<'scope, 'd>,
    ) -> Batches {
        let (filled_in, filled) = bounded(AHEAD);
        let (spares, spares_out) = bounded::<Batch>(AHEAD + 2);
        scope.spawn(move || {
            loop {
                let mut batch = spares_out.try_recv().unwrap_or_default();
                let result = match reader.next(&mut batch) {
                    Ok(false) => return,
                    Ok(true) => Ok(batch),
                    Err(error) => Err(error),
                };
                let failed = result.is_err();
                if filled_in.send(result).is_err() || failed {
                    return;
                }
            }
        });
        Batches { filled, spares }
    }

    /// The next batch, or nothing at the end.
    pub(crate) fn next(&self) -> Option<Result<Batch, Error>> {
        self.filled.recv().ok()
    }

    /// Hands a batch back, so that its memory is used again.
    pub(crate) fn recycle(&self, batch: Batch) {
        // The maker may have ended; then nobody needs it.
        let _ = self.spares.try_send(batch);
    }
}
