//! The ranks of a training as processes on many machines, connected by MPI (Open MPI, MPICH and what is built on them).
//!
//! [`MpiCollective`] is a [`Collective`], as threads of one process have: the same calls, the same order of sums, the same
//! bits. What threads do not need is [`MpiCollective::fail`]: a process that cannot go on has to end the others too, and one of
//! them should say why.

mod failure;
mod gather;

use std::sync::Arc;
use std::time::Instant;

use mpi::environment::{Threading, Universe};
use mpi::topology::{Communicator, SimpleCommunicator};
use russet::parallel::{Collective, CollectiveError, Traffic};

/// What one call of MPI carries at most, over all ranks: counts and places are C's `int` there.
const LARGEST_CALL: usize = 1 << 30;

/// A rank among the processes that an MPI launcher such as `mpirun` has started.
///
/// Dropping it ends MPI in this process, which waits for all others to do so.
pub struct MpiCollective {
    world: SimpleCommunicator,
    host: String,
    largest_call: usize,
    traffic: Traffic,
    // Ends MPI when dropped, so it comes last.
    _universe: Universe,
}

impl MpiCollective {
    /// Begins MPI. Once in a process.
    pub fn join() -> Result<MpiCollective, CollectiveError> {
        let failed = |what: &str| CollectiveError::Transport(what.to_owned());
        // Other threads read data, but only this one calls MPI.
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| failed("MPI has been begun before in this process"))?;
        let host = mpi::environment::processor_name().map_err(|_| failed("this machine's name is not text"))?;
        let traffic = Traffic::default();
        Ok(MpiCollective { world: universe.world(), host, largest_call: LARGEST_CALL, traffic, _universe: universe })
    }

    /// The name of the machine that this rank runs on.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Lets a call of MPI carry fewer bytes than it could; more is sent in several. All ranks have to say the same.
    #[must_use]
    pub fn with_largest_call(self, bytes: usize) -> MpiCollective {
        MpiCollective { largest_call: bytes, ..self }
    }
}

impl Collective for MpiCollective {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn check(&mut self) -> Result<(), CollectiveError> {
        failure::look(&self.world)
    }

    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Arc<[u8]>>, CollectiveError> {
        let started = Instant::now();
        let gathered = gather::wait(&self.world).map(|()| gather::all(&self.world, bytes, self.largest_call));
        self.traffic.seconds += started.elapsed().as_secs_f64();
        self.traffic.bytes_sent += bytes.len() as u64;
        gathered
    }
}
