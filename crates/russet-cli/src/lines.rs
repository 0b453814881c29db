//! Lines of output for every example, in the order of the data, made by several threads: predictions do not wait for each
//! other.

use std::collections::VecDeque;
use std::thread::{self, Scope};

use anyhow::Result;
use crossbeam_channel::{Receiver, Sender, bounded};
use russet::batch::{Batch, Example};
use russet::classes::{ClassPredictor, Models};
use russet_data::{Inputs, Parsed, ReadOptions};

use crate::data::{Skipped, open_for};
use crate::interrupt;

/// Adds the lines of an example to a text.
pub(crate) trait Line: Fn(&mut ClassPredictor<'_>, &Batch, &Example<'_>, &mut Vec<u8>) + Sync {}

impl<F: Fn(&mut ClassPredictor<'_>, &Batch, &Example<'_>, &mut Vec<u8>) + Sync> Line for F {}

/// Batches that may wait for each thread, being predicted or written.
const WAITING: usize = 3;

/// Hands the lines of all examples to `write`, in order. As many threads predict as parse; with one, there is no other.
pub(crate) fn write_all(
    models: &Models,
    inputs: &Inputs,
    options: ReadOptions,
    line: impl Line,
    mut write: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Skipped> {
    let threads = options.threads;
    // Each thread predicts what the dictionary of one parser knows, so there have to be as many of these.
    let mut stream = open_for(models, inputs, ReadOptions { may_help: false, ..options })?;
    let mut skipped = Skipped::default();
    thread::scope(|scope| {
        let mut work = Work::start(scope, threads, models, &line);
        // An error comes after the lines of all that was before it.
        let ended = loop {
            if work.is_full()
                && let Some(parsed) = work.finish_one(&mut write)?
            {
                stream.recycle(parsed);
            }
            match stream.next_unless(interrupt::flag()) {
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Some(mut parsed)) => {
                    interrupt::check()?;
                    skipped.add(&mut parsed);
                    work.begin(parsed);
                }
            }
        };
        while work.finish_one(&mut write)?.is_some() {}
        Ok::<(), anyhow::Error>(ended?)
    })?;
    interrupt::check()?;
    Ok(skipped)
}

/// A batch and its lines.
type Job = (Box<Parsed>, Vec<u8>);

/// What is being predicted.
enum Work<'m, L> {
    /// By the thread that also writes.
    Here { predictor: ClassPredictor<'m>, line: &'m L, waiting: Option<Job>, spare: Vec<u8> },
    /// By others. A dictionary's batches all go to the same one, for what they declare is declared once.
    Beside { workers: Vec<Worker>, order: VecDeque<usize>, spares: Vec<Vec<u8>> },
}

struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Job>,
}

impl<'m, L: Line> Work<'m, L> {
    fn start<'scope>(scope: &'scope Scope<'scope, '_>, threads: usize, models: &'m Models, line: &'m L) -> Work<'m, L>
    where
        'm: 'scope,
    {
        if threads <= 1 {
            return Work::Here { predictor: models.predictor(), line, waiting: None, spare: Vec::new() };
        }
        let workers = (0..threads).map(|_| Worker::start(scope, threads, models, line)).collect();
        Work::Beside { workers, order: VecDeque::new(), spares: Vec::new() }
    }

    /// True if something has to be finished before more is begun.
    fn is_full(&self) -> bool {
        match self {
            Work::Here { waiting, .. } => waiting.is_some(),
            Work::Beside { workers, order, .. } => order.len() >= WAITING * workers.len(),
        }
    }

    fn begin(&mut self, parsed: Box<Parsed>) {
        match self {
            Work::Here { waiting, spare, .. } => *waiting = Some((parsed, std::mem::take(spare))),
            Work::Beside { workers, order, spares } => {
                let number = parsed.batch.dictionary() as usize % workers.len();
                order.push_back(number);
                // There is room for all that may wait. Fails only if the thread has panicked, which its scope passes on.
                let _ = workers[number].jobs.send((parsed, spares.pop().unwrap_or_default()));
            }
        }
    }

    /// Hands the lines of the batch that was begun first to `write`; gives the batch back. Nothing if there is none.
    fn finish_one(&mut self, write: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<Option<Box<Parsed>>> {
        match self {
            Work::Here { predictor, line, waiting, spare } => {
                let Some((parsed, mut text)) = waiting.take() else { return Ok(None) };
                predict(predictor, *line, &parsed.batch, &mut text);
                write(&text)?;
                *spare = text;
                Ok(Some(parsed))
            }
            Work::Beside { workers, order, spares } => {
                let Some((parsed, text)) = order.pop_front().and_then(|number| workers[number].done.recv().ok()) else {
                    return Ok(None);
                };
                write(&text)?;
                spares.push(text);
                Ok(Some(parsed))
            }
        }
    }
}

impl Worker {
    /// Works until nobody listens.
    fn start<'scope, 'm: 'scope>(
        scope: &'scope Scope<'scope, '_>,
        threads: usize,
        models: &'m Models,
        line: &'m impl Line,
    ) -> Worker {
        let (jobs, jobs_out) = bounded::<Job>(WAITING * threads);
        let (done_in, done) = bounded(WAITING * threads);
        scope.spawn(move || {
            let mut predictor = models.predictor();
            for (parsed, mut text) in jobs_out {
                predict(&mut predictor, line, &parsed.batch, &mut text);
                if done_in.send((parsed, text)).is_err() {
                    return;
                }
            }
        });
        Worker { jobs, done }
    }
}

/// Makes the lines of a batch.
fn predict(predictor: &mut ClassPredictor<'_>, line: &impl Line, batch: &Batch, text: &mut Vec<u8>) {
    text.clear();
    predictor.begin(batch);
    for place in 0..batch.len() {
        line(predictor, batch, &batch.example(place), text);
    }
}
