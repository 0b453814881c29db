//! Work without Python's lock, while the calling thread watches for Ctrl-C and tells how far it is.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use pyo3::prelude::*;

use crate::errors::Error;

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// Where a training stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) examples: u64,
    /// The share of the whole course, if its length is known.
    pub(crate) fraction: Option<f64>,
    pub(crate) loss: Option<f64>,
    pub(crate) loss_since: Option<f64>,
    pub(crate) error: Option<f64>,
    pub(crate) features: Option<f64>,
    pub(crate) seconds: f64,
}

/// What the work is told, and tells.
pub(crate) struct Watch<'a> {
    cancelled: &'a AtomicBool,
    events: Sender<Point>,
}

impl<'a> Watch<'a> {
    /// Gives up if the caller has asked to stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// The flag that ends waits.
    pub(crate) fn flag(&self) -> &'a AtomicBool {
        self.cancelled
    }

    /// Tells where the work stands; whoever watches may have gone.
    pub(crate) fn tell(&self, point: Point) {
        let _ = self.events.send(point);
    }
}

/// Runs `work` in a thread of its own; `callback` hears what it tells. An exception there, or Ctrl-C, stops it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let cancelled = &AtomicBool::new(false);
    let (events, heard) = unbounded();
    py.detach(|| {
        thread::scope(|scope| {
            let worker = scope.spawn(move || work(&Watch { cancelled, events }));
            let mut looked = Instant::now();
            let mut stopped = None;
            loop {
                let event = match heard.recv_timeout(PATIENCE) {
                    Ok(point) => Some(point),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if stopped.is_some() || event.is_none() && looked.elapsed() < PATIENCE {
                    continue;
                }
                looked = Instant::now();
                stopped = Python::attach(|py| attend(py, callback, event)).err();
                cancelled.store(stopped.is_some(), Ordering::Relaxed);
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            stopped.map_or_else(|| result.map_err(PyErr::from), Err)
        })
    })
}

/// Looks for signals and passes an event on.
fn attend(py: Python<'_>, callback: Option<&Py<PyAny>>, event: Option<Point>) -> PyResult<()> {
    py.check_signals()?;
    if let (Some(callback), Some(point)) = (callback, event) {
        let Point { examples, fraction, loss, loss_since, error, features, seconds } = point;
        callback.call1(py, (examples, fraction, loss, loss_since, error, features, seconds))?;
    }
    Ok(())
}
