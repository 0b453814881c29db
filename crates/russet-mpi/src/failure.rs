//! A rank that cannot go on: how the others learn of it, and how one of them alone says why.
//!
//! MPI ends all processes when one aborts, but if several fail at once, as when a disk is gone, each would have its say. So a rank that
//! fails tells rank 0, which looks for such messages whenever it waits and between blocks of data, and gives it some time to end the job. If
//! rank 0 does not answer, the failed rank speaks for itself.

use std::thread;
use std::time::Duration;

use mpi::Tag;
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use russet::parallel::CollectiveError;

use crate::MpiCollective;

/// The rank that speaks for all.
const SPEAKER: i32 = 0;

/// What messages of failure are marked with; nothing else is sent from one rank to another.
const FAILURE: Tag = 9;

/// How long a failed rank waits for the job to end.
const PATIENCE: Duration = Duration::from_secs(3);

/// A message is cut to this: short ones are sent whether or not anyone receives them.
const LONGEST_MESSAGE: usize = 2000;

impl MpiCollective {
    /// Tells rank 0 that this one cannot go on and why, and with which exit code the job should end. Mostly this does not return, as rank 0 says
    /// so and [aborts](MpiCollective::abort). When it does return, rank 0 is busy or this is rank 0: then this rank has to do both.
    pub fn fail(&self, message: &str, code: u8) {
        if self.world.rank() == SPEAKER {
            return;
        }
        let mut bytes = vec![code];
        bytes.extend(self.host.len().to_le_bytes());
        bytes.extend(self.host.as_bytes());
        bytes.extend(message.bytes().take(LONGEST_MESSAGE));
        self.world.process_at_rank(SPEAKER).send_with_tag(&bytes[..], FAILURE);
        thread::sleep(PATIENCE);
    }

    /// Ends all ranks.
    pub fn abort(&self, code: u8) -> ! {
        self.world.abort(code.into())
    }
}

/// Whether a rank has sent a message of failure to this one.
pub(crate) fn look(world: &SimpleCommunicator) -> Result<(), CollectiveError> {
    if world.rank() != SPEAKER || world.size() == 1 {
        return Ok(());
    }
    let Some(message) = world.any_process().immediate_matched_probe_with_tag(FAILURE) else { return Ok(()) };
    let (bytes, status) = message.matched_receive_vec::<u8>();
    Err(read(&bytes, status.source_rank() as usize))
}

fn read(bytes: &[u8], rank: usize) -> CollectiveError {
    let malformed = || CollectiveError::Left { rank };
    let Some((code, rest)) = bytes.split_first() else { return malformed() };
    let Some((length, rest)) = rest.split_first_chunk() else { return malformed() };
    let Some((host, message)) = rest.split_at_checked(usize::from_le_bytes(*length)) else { return malformed() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CollectiveError::Failed { rank, host: text(host), message: text(message), code: *code }
}
