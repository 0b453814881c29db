use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Collective, CollectiveError, Traffic};

/// A rank among the threads of one process.
///
/// Whoever makes them starts the threads. A rank that is dropped, because its thread has ended, failed or panicked, releases all
/// that wait for it with [`CollectiveError::Left`]: nobody waits for ever.
pub struct ThreadCollective {
    rank: usize,
    meeting: Arc<Meeting>,
    traffic: Traffic,
}

/// Where the ranks meet.
struct Meeting {
    table: Mutex<Table>,
    changed: Condvar,
}

/// What lies on the table.
struct Table {
    /// What each rank has brought to this round, if it has.
    brought: Vec<Option<Arc<[u8]>>>,
    /// All of the last round. The next cannot end before everyone has come, and so has taken these.
    complete: Vec<Arc<[u8]>>,
    round: u64,
    /// Which ranks will bring nothing any more.
    left: Vec<bool>,
}

impl ThreadCollective {
    /// All ranks of a group, one for each thread.
    pub fn new(ranks: usize) -> Vec<ThreadCollective> {
        let table = Table { brought: vec![None; ranks], complete: Vec::new(), round: 0, left: vec![false; ranks] };
        let meeting = Arc::new(Meeting { table: Mutex::new(table), changed: Condvar::new() });
        let rank = |rank| ThreadCollective { rank, meeting: Arc::clone(&meeting), traffic: Traffic::default() };
        (0..ranks).map(rank).collect()
    }

    fn meet(&self, bytes: &[u8]) -> Result<Vec<Arc<[u8]>>, CollectiveError> {
        let mut table = self.meeting.lock();
        let round = table.round;
        table.brought[self.rank] = Some(bytes.into());
        if table.brought.iter().all(Option::is_some) {
            table.complete = table.brought.iter_mut().filter_map(Option::take).collect();
            table.round += 1;
            self.meeting.changed.notify_all();
        }
        while table.round == round {
            if let Some(rank) = table.missing_for_good() {
                return Err(CollectiveError::Left { rank });
            }
            table = self.meeting.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(table.complete.clone())
    }
}

impl Meeting {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// A rank that has brought nothing to this round and never will.
    fn missing_for_good(&self) -> Option<usize> {
        self.left.iter().zip(&self.brought).position(|(left, brought)| *left && brought.is_none())
    }
}

impl Collective for ThreadCollective {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.meeting.lock().left.len()
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn check(&mut self) -> Result<(), CollectiveError> {
        match self.meeting.lock().left.iter().position(|left| *left) {
            Some(rank) => Err(CollectiveError::Left { rank }),
            None => Ok(()),
        }
    }

    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Arc<[u8]>>, CollectiveError> {
        let started = Instant::now();
        let gathered = self.meet(bytes);
        self.traffic.seconds += started.elapsed().as_secs_f64();
        self.traffic.bytes_sent += bytes.len() as u64;
        gathered
    }
}

impl Drop for ThreadCollective {
    fn drop(&mut self) {
        self.meeting.lock().left[self.rank] = true;
        self.meeting.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::thread;

    /// Runs the same work on every rank; what each gave, in order.
    fn on_all<T: Send>(ranks: usize, work: impl Fn(ThreadCollective) -> T + Sync) -> Vec<thread::Result<T>> {
        let work = &work;
        thread::scope(|scope| {
            let threads: Vec<_> =
                ThreadCollective::new(ranks).into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn all_ranks_get_what_one_alone_would_compute(
            ranks in 1usize..6,
            values in prop::collection::vec((-1e3f32..1e3, 0.0f32..10.0), 1..60),
        ) {
            let share = |rank: usize| -> Vec<(f32, f32)> {
                values.iter().map(|(value, weight)| (value * (rank as f32 + 0.3), weight * (rank % 3) as f32)).collect()
            };
            let found = on_all(ranks, |mut collective| {
                let (own, weights): (Vec<f32>, Vec<f32>) = share(collective.rank()).into_iter().unzip();
                let mut sums: Vec<f64> = own.iter().map(|value| f64::from(*value)).collect();
                let mut averages = own;
                collective.sum(&mut sums).unwrap();
                collective.weighted_average(&mut averages, &weights).unwrap();
                collective.barrier().unwrap();
                let mut word = vec![collective.rank() as u8];
                collective.broadcast(ranks - 1, &mut word).unwrap();
                assert!(collective.traffic().bytes_sent >= 16 * values.len() as u64);
                (sums, averages, word)
            });
            for found in found {
                let (sums, averages, word) = found.unwrap();
                prop_assert_eq!(word, vec![ranks as u8 - 1]);
                for place in 0..values.len() {
                    let shares = || (0..ranks).map(|rank| share(rank)[place]);
                    let sum: f64 = shares().map(|(value, _)| f64::from(value)).sum();
                    prop_assert_eq!(sums[place].to_bits(), sum.to_bits());
                    let total: f64 = shares().map(|(_, weight)| f64::from(weight)).sum();
                    let weighted: f64 = shares().map(|(value, weight)| f64::from(value) * f64::from(weight)).sum();
                    let average = if total == 0.0 { 0.0 } else { (weighted / total) as f32 };
                    prop_assert_eq!(averages[place], average);
                }
            }
        }
    }

    #[test]
    fn a_rank_that_fails_releases_the_others() {
        let found = on_all(4, |mut rank| {
            rank.barrier().unwrap();
            if rank.rank() == 2 { Ok(()) } else { rank.barrier() }
        });
        for (rank, found) in found.into_iter().enumerate() {
            let expected = if rank == 2 { Ok(()) } else { Err(CollectiveError::Left { rank: 2 }) };
            assert_eq!(found.unwrap(), expected);
        }
    }

    #[test]
    fn a_rank_that_works_alone_can_ask_whether_another_has_failed() {
        let found = on_all(2, |mut rank| {
            if rank.rank() == 1 {
                return Ok(());
            }
            rank.check().unwrap_or_else(|error| assert_eq!(error, CollectiveError::Left { rank: 1 }));
            (0..10_000).try_for_each(|_| {
                thread::sleep(std::time::Duration::from_millis(1));
                rank.check()
            })
        });
        assert_eq!(
            found.into_iter().map(|found| found.unwrap()).collect::<Vec<_>>()[0],
            Err(CollectiveError::Left { rank: 1 })
        );
    }

    #[test]
    fn a_rank_that_panics_releases_the_others() {
        let found = on_all(3, |mut rank| {
            assert!(rank.rank() != 0, "as it should");
            rank.barrier()
        });
        assert!(found[0].is_err());
        for found in found.into_iter().skip(1) {
            assert_eq!(found.unwrap(), Err(CollectiveError::Left { rank: 0 }));
        }
    }

    #[test]
    fn ranks_that_end_after_the_last_meeting_do_no_harm() {
        let found = on_all(4, |mut rank| (0..200).try_for_each(|_| rank.barrier()));
        assert!(found.into_iter().all(|found| found.is_ok_and(|result| result.is_ok())));
    }

    #[test]
    fn other_lengths_and_ranks_are_refused() {
        let found = on_all(2, |mut rank| rank.sum(&mut vec![0.0; 1 + rank.rank()]));
        let errors: Vec<_> = found.into_iter().map(|found| found.unwrap().unwrap_err()).collect();
        assert_eq!(errors[0], CollectiveError::Mismatch { rank: 1, found: 2, expected: 1 });
        assert_eq!(errors[1], CollectiveError::Mismatch { rank: 0, found: 1, expected: 2 });
        let found = on_all(1, |mut rank| rank.broadcast(1, &mut Vec::new()));
        assert!(matches!(found[0], Ok(Err(CollectiveError::NoSuchRank { rank: 1, ranks: 1 }))));
    }
}
