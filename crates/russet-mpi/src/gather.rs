//! Everyone gets what everyone has.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mpi::datatype::PartitionMut;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::CommunicatorCollectives;
use russet::parallel::CollectiveError;

use crate::failure;

/// How often a rank that waits looks again at once; then it sleeps in between, longer each time.
const EAGER: u32 = 200;

/// The longest sleep.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Waits until all ranks are here, or one has failed. MPI's own waiting would neither notice a failure nor leave the processor to
/// others.
pub(crate) fn wait(world: &SimpleCommunicator) -> Result<(), CollectiveError> {
    let mut barrier = world.immediate_barrier();
    let (mut looks, mut sleep) = (0, Duration::from_micros(10));
    loop {
        barrier = match barrier.test() {
            Ok(_) => return Ok(()),
            Err(open) => open,
        };
        if let Err(error) = failure::look(world) {
            // It will never complete, and cannot be taken back; the job ends now.
            std::mem::forget(barrier);
            return Err(error);
        }
        looks += 1;
        if looks < EAGER {
            thread::yield_now();
        } else {
            thread::sleep(sleep);
            sleep = (2 * sleep).min(LONGEST_SLEEP);
        }
    }
}

/// Gathers the bytes of all ranks, which have come already, in calls that carry `largest_call` bytes or somewhat fewer.
pub(crate) fn all(world: &SimpleCommunicator, bytes: &[u8], largest_call: usize) -> Vec<Arc<[u8]>> {
    let ranks = world.size() as usize;
    let mut lengths = vec![0u64; ranks];
    world.all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
    let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
    let round = (largest_call / ranks).max(1);
    let mut gathered: Vec<Vec<u8>> = lengths.iter().map(|length| Vec::with_capacity(*length as usize)).collect();
    let mut received = Vec::new();
    for start in (0..longest).step_by(round) {
        let counts: Vec<usize> =
            lengths.iter().map(|length| (*length as usize).saturating_sub(start).min(round)).collect();
        received.resize(counts.iter().sum(), 0);
        exchange(world, &bytes[start.min(bytes.len())..], &counts, &mut received);
        let mut rest = &received[..];
        for (theirs, count) in gathered.iter_mut().zip(counts) {
            let (taken, after) = rest.split_at(count);
            theirs.extend_from_slice(taken);
            rest = after;
        }
    }
    gathered.into_iter().map(Arc::from).collect()
}

/// One call: each rank's next bytes, one after another.
fn exchange(world: &SimpleCommunicator, bytes: &[u8], counts: &[usize], received: &mut [u8]) {
    // Both fit: a call carries less than C's largest `int`.
    let sizes: Vec<i32> = counts.iter().map(|count| *count as i32).collect();
    let places: Vec<i32> = sizes
        .iter()
        .scan(0, |end, size| {
            *end += size;
            Some(*end - size)
        })
        .collect();
    let mut parts = PartitionMut::new(received, sizes, places);
    world.all_gather_varcount_into(&bytes[..counts[world.rank() as usize]], &mut parts);
}
