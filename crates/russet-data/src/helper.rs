//! Threads that work for another one.

// One question and one wish to the system, for which the standard library has no call.
#![allow(unsafe_code)]

use std::thread::{self, JoinHandle};

/// Starts a thread that works ahead of the one that learns, or behind it. When it has something to do and every processor is busy, it
/// waits for its turn rather than take the learner's place: the learner is what everything waits for.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    thread::spawn(move || {
        wait_for_turns();
        work()
    })
}

/// Tells the system that this thread need not run at once when it is woken. A wish, so failing is no error; who has been given another
/// scheduling policy by the user keeps it.
fn wait_for_turns() {
    #[cfg(target_os = "linux")]
    // SAFETY: both calls are about the calling thread (0), and read no memory but the parameter, which is there.
    unsafe {
        if libc::sched_getscheduler(0) == libc::SCHED_OTHER {
            libc::sched_setscheduler(0, libc::SCHED_BATCH, &libc::sched_param { sched_priority: 0 });
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn helpers_do_not_push_in() {
        // SAFETY: asks about the calling thread alone.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        let before = policy();
        let expected = if before == libc::SCHED_OTHER { libc::SCHED_BATCH } else { before };
        assert_eq!(spawn(policy).join().unwrap(), expected);
        assert_eq!(policy(), before);
    }
}
