//! Two things at once, while a model is loaded: the only time that this crate has a thread of its own.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `other` in another thread while this one does `own`; gives what came of each. Where no thread is to be had, or it has
/// not come round to it by the time that `own` is done, this one does both.
pub(crate) fn beside<A: Send, B>(other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    let waiting = Mutex::new(Some(other));
    let do_other = || {
        let taken = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.map(|other| other())
    };
    thread::scope(|scope| {
        let helper = helper().spawn_scoped(scope, do_other).ok();
        let own = own();
        let here = do_other();
        let there = helper.and_then(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (here.or(there).expect("one of the two has done it"), own)
    })
}

/// Makes things, until there are no more, while another thread uses them in that order; what was used is made anew. Where no
/// thread is to be had, this one does both.
pub(crate) fn hand_over<T: Default + Send, E: Send>(
    mut make: impl FnMut(&mut T) -> Result<bool, E>,
    mut using: impl FnMut(&T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let handed_over = thread::scope(|scope| {
        let (full, filled) = sync_channel::<T>(1);
        let (used, empty) = channel();
        let using = &mut using;
        let use_all = move || {
            filled.iter().try_for_each(|thing| {
                using(&thing)?;
                // Whoever makes them may have made the last.
                let _ = used.send(thing);
                Ok(())
            })
        };
        let helper = helper().spawn_scoped(scope, use_all).ok()?;
        let made = make_all(&mut make, full, &empty);
        Some(helper.join().unwrap_or_else(|panic| resume_unwind(panic)).and(made))
    });
    handed_over.unwrap_or_else(|| {
        let mut thing = T::default();
        while make(&mut thing)? {
            using(&thing)?;
        }
        Ok(())
    })
}

/// Makes things until there are no more, or nobody uses them any longer.
#[allow(clippy::needless_pass_by_value, reason = "that nothing more comes is known from its end")]
fn make_all<T: Default, E>(
    make: &mut impl FnMut(&mut T) -> Result<bool, E>,
    full: SyncSender<T>,
    empty: &Receiver<T>,
) -> Result<(), E> {
    loop {
        let mut thing = empty.try_recv().unwrap_or_default();
        if !make(&mut thing)? || full.send(thing).is_err() {
            return Ok(());
        }
    }
}

fn helper() -> thread::Builder {
    thread::Builder::new().name("load".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_once() {
        for round in 0..100 {
            let (other, own) = beside(|| round + 1, || round + 2);
            assert_eq!((other, own), (round + 1, round + 2));
        }
    }

    #[test]
    #[should_panic(expected = "the other")]
    fn a_panic_comes_through() {
        beside(|| panic!("the other"), || ());
    }

    #[test]
    fn things_are_used_in_the_order_they_are_made() {
        let (mut made, mut used) = (0, Vec::new());
        let make = |thing: &mut u32| {
            made += 1;
            *thing = made;
            Ok::<bool, ()>(made <= 1000)
        };
        hand_over(make, |thing| {
            used.push(*thing);
            Ok(())
        })
        .unwrap();
        assert_eq!(used, (1..=1000).collect::<Vec<u32>>());
    }

    #[test]
    fn an_error_of_either_ends_both() {
        let mut made = 0;
        let mut make = |_: &mut u32| {
            made += 1;
            if made > 5 { Err("making") } else { Ok(true) }
        };
        assert_eq!(hand_over(&mut make, |_| Ok(())), Err("making"));
        assert_eq!(hand_over(|_: &mut u32| Ok(true), |_| Err("using")), Err("using"));
    }
}
