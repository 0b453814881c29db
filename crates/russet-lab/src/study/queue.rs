//! Many runs, a few at a time, and how long they will still take.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Does something with every item, `jobs` of them at a time, and gives the results in the items' order. After an error
/// nothing new is begun.
pub(super) fn in_parallel<T: Sync, R: Send, E: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<(usize, Result<R, E>)>> = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { break };
                    let result = work(item);
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Keeps account of the work that is left.
#[derive(Debug)]
pub(super) struct Ledger {
    started: Instant,
    /// Estimated seconds of all work that is not known from before.
    total: f64,
    done: f64,
}

impl Ledger {
    pub(super) fn new(total: f64) -> Ledger {
        Ledger { started: Instant::now(), total, done: 0.0 }
    }

    /// A run has ended that was estimated to take this long; known ones were no work.
    pub(super) fn cross_off(&mut self, seconds: f64, known: bool) {
        if known {
            self.total -= seconds;
        } else {
            self.done += seconds;
        }
    }

    /// Seconds until the end, if the rest goes as the work so far: estimates may all be off by the same factor.
    pub(super) fn left(&self) -> Option<f64> {
        let left = (self.total - self.done).max(0.0);
        (self.done > 0.02 * self.total).then(|| self.started.elapsed().as_secs_f64() * left / self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_an_error_ends_it() {
        let items: Vec<u32> = (0..100).collect();
        let doubled = in_parallel(4, &items, |item| Ok::<_, ()>(item * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        let begun = AtomicUsize::new(0);
        let result = in_parallel(1, &items, |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *item == 3 { Err("three") } else { Ok(()) }
        });
        assert_eq!((result, begun.into_inner()), (Err("three"), 4));
        assert_eq!(in_parallel(4, &[], |_: &u32| Ok::<_, ()>(1)), Ok(Vec::new()));
    }

    #[test]
    fn what_was_known_is_no_work() {
        let mut ledger = Ledger::new(100.0);
        assert_eq!(ledger.left(), None);
        ledger.cross_off(90.0, true);
        assert_eq!(ledger.left(), None);
        ledger.cross_off(10.0, false);
        assert_eq!(ledger.left(), Some(0.0));
    }
}
