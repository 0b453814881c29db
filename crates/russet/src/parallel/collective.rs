use std::sync::Arc;
use thiserror::Error;

/// What one rank of several needs of whatever connects them: threads of a process, or machines.
///
/// All ranks call the same methods in the same order; a call returns when every rank has made it. Everything is built on
/// [`Collective::gather`], and sums are taken in the order of ranks, so results do not depend on timing, nor on what
/// connects the ranks. An implementation may do the other calls in a way of its own, as long as the bits are the same.
///
/// ```
/// use russet::parallel::{Collective, ThreadCollective};
///
/// let ranks = ThreadCollective::new(2);
/// std::thread::scope(|scope| {
///     for mut rank in ranks {
///         scope.spawn(move || {
///             let mut values = [1.0, rank.rank() as f64];
///             rank.sum(&mut values).unwrap();
///             assert_eq!(values, [2.0, 1.0]);
///         });
///     }
/// });
/// ```
pub trait Collective {
    /// Which one this is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// What this rank has spent on the others so far.
    fn traffic(&self) -> Traffic;

    /// Finds out whether another rank has failed, without waiting for anyone. It costs little, so a rank that works for long before it
    /// meets the others can ask now and then.
    fn check(&mut self) -> Result<(), CollectiveError> {
        Ok(())
    }

    /// Hands `bytes` to all ranks; gives what each has handed over, in the order of ranks.
    fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Arc<[u8]>>, CollectiveError>;

    /// Replaces every value by its sum over all ranks.
    fn sum(&mut self, values: &mut [f64]) -> Result<(), CollectiveError> {
        let gathered = gather_numbers(self, values.iter().map(|value| value.to_le_bytes()), values.len())?;
        for (place, value) in values.iter_mut().enumerate() {
            *value = gathered.iter().map(|theirs| f64::from_le_bytes(theirs.as_chunks().0[place])).sum();
        }
        Ok(())
    }

    /// Replaces every value by its average over all ranks, each with its own weight; by 0 where all weights are 0.
    fn weighted_average(&mut self, values: &mut [f32], weights: &[f32]) -> Result<(), CollectiveError> {
        assert_eq!(values.len(), weights.len(), "each value has a weight");
        let pairs = values.iter().zip(weights).map(|(value, weight)| {
            let mut pair = [0; 8];
            pair[..4].copy_from_slice(&value.to_le_bytes());
            pair[4..].copy_from_slice(&weight.to_le_bytes());
            pair
        });
        let gathered = gather_numbers(self, pairs, values.len())?;
        for (place, value) in values.iter_mut().enumerate() {
            let (mut sum, mut total) = (0.0, 0.0);
            for theirs in &gathered {
                let [value, weight] = [0, 1].map(|half| f32::from_le_bytes(theirs.as_chunks().0[2 * place + half]));
                sum += f64::from(value) * f64::from(weight);
                total += f64::from(weight);
            }
            *value = if total == 0.0 { 0.0 } else { (sum / total) as f32 };
        }
        Ok(())
    }

    /// Gives all ranks the bytes that rank `root` has.
    fn broadcast(&mut self, root: usize, bytes: &mut Vec<u8>) -> Result<(), CollectiveError> {
        let own: &[u8] = if self.rank() == root { bytes } else { &[] };
        let gathered = self.gather(own)?;
        let sent = gathered.get(root).ok_or(CollectiveError::NoSuchRank { rank: root, ranks: gathered.len() })?;
        *bytes = sent.to_vec();
        Ok(())
    }

    /// Waits until all ranks are here.
    fn barrier(&mut self) -> Result<(), CollectiveError> {
        self.gather(&[]).map(drop)
    }
}

/// Gathers `count` numbers of `N` bytes each, of which all ranks must have the same count.
fn gather_numbers<C: Collective + ?Sized, const N: usize>(
    collective: &mut C,
    numbers: impl Iterator<Item = [u8; N]>,
    count: usize,
) -> Result<Vec<Arc<[u8]>>, CollectiveError> {
    let bytes: Vec<u8> = numbers.flatten().collect();
    let gathered = collective.gather(&bytes)?;
    match gathered.iter().position(|theirs| theirs.len() != bytes.len()) {
        Some(rank) => Err(CollectiveError::Mismatch { rank, found: gathered[rank].len() / N, expected: count }),
        None => Ok(gathered),
    }
}

/// What a rank has spent on the others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The bytes it has handed over, each counted once however many ranks read it.
    pub bytes_sent: u64,
    /// The time it took, waiting for slower ranks included.
    pub seconds: f64,
}

/// Why ranks could not do something together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// Another rank has ended, by an error most likely, and will not take part any more.
    #[error("rank {rank} has ended before the others")]
    Left {
        /// That rank.
        rank: usize,
    },
    /// Another rank has said why it cannot go on.
    #[error("rank {rank} on {host}: {message}")]
    Failed {
        /// That rank.
        rank: usize,
        /// The machine it runs on.
        host: String,
        /// What it said.
        message: String,
        /// The exit code that it asks for.
        code: u8,
    },
    /// Another rank brought another number of values.
    #[error("rank {rank} brought {found} values where this one has {expected}")]
    Mismatch {
        /// That rank.
        rank: usize,
        /// How many it brought.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// There are not so many ranks.
    #[error("there is no rank {rank} among {ranks}")]
    NoSuchRank {
        /// The rank asked for.
        rank: usize,
        /// How many there are.
        ranks: usize,
    },
    /// What connects the ranks failed.
    #[error("ranks cannot reach each other: {0}")]
    Transport(String),
}
