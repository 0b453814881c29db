//! Learning on several ranks at once: each learns from its own part of the data, and now and then they come to one model.
//!
//! A *rank* is a thread of this process, or a process on some machine; what connects them is a [`Collective`].
//! [`ThreadCollective`] is the one for threads. A [`Synchroniser`] makes one model of the learners of all ranks:
//!
//! 1. *Features.* Each rank gives slots in the order in which it meets features. When ranks come together, the features that
//!    are new go behind those agreed on before, in the order of ranks; weights move to their new slots.
//! 2. *Parents.* In the first pass each rank grows its own set. Then the union of all parents, in the order of ranks, is everyone's,
//!    and stays as it is. A product is known by its monomial, whichever parent it belonged to.
//! 3. *Weights.* Averaged over the ranks that have learned something since they last met: see [`Average`]. So is all else that
//!    a step depends on. What is only counted (progressive validation, how often features are active) stays with each rank
//!    until the end, and is then summed.
//! 4. *Checksum.* All ranks compare what they have come to.
//!
//! With one rank nothing of this happens: it learns as it would without.

mod collective;
mod counts;
mod features;
mod fixed;
mod mean;
mod note;
mod parents;
mod synchroniser;
mod threads;
mod weights;
mod wire;

pub use collective::{Collective, CollectiveError, Traffic};
pub use counts::Counted;
pub use mean::Average;
pub use synchroniser::Synchroniser;
pub use threads::ThreadCollective;

use thiserror::Error;

use crate::settings::{ExpansionKind, Settings};

/// Why ranks could not learn together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParallelError {
    /// Another rank failed, or cannot be reached.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// These settings are for one rank.
    #[error("{0} cannot be used with more than one rank yet")]
    Unsupported(&'static str),
    /// Products share weights, and these cannot be matched.
    #[error(
        "more than one rank needs a weight for each product, which takes more bits here; or features indexed by hash"
    )]
    Crowded,
    /// What a rank sent cannot be understood: it is of another version, or has other settings.
    #[error("what rank {rank} sent cannot be understood: do all ranks have the same version and settings?")]
    Malformed {
        /// That rank.
        rank: usize,
    },
    /// Ranks that should have the same model do not. This is a fault in russet.
    #[error("rank {rank} has come to another model than rank 0; please report this")]
    Diverged {
        /// That rank.
        rank: usize,
    },
}

/// Refuses settings that more than one rank cannot learn with.
pub fn check(settings: &Settings) -> Result<(), ParallelError> {
    if settings.expansion == ExpansionKind::Apple && settings.select.rule().is_picky() {
        return Err(ParallelError::Unsupported("a picky rule of selection"));
    }
    Ok(())
}
