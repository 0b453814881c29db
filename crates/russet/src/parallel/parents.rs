//! One list of parents for all ranks.

use std::sync::Arc;

use super::features::Moves;
use super::wire::{Reader, Writer};
use super::{Collective, ParallelError};
use crate::expansion::adaptive::{Bits, Parents};
use crate::growth::{Joined, Owners};
use crate::monomial::Monomial;

/// What ranks have agreed on.
pub(super) struct Union {
    pub(super) parents: Vec<Joined>,
    /// Where they are in that list.
    pub(super) owners: Owners,
    /// Which base slots have had a value other than 1, on any rank.
    pub(super) fractional: Vec<u64>,
    /// The parents that each rank came with, if they differ.
    theirs: Vec<Owners>,
}

impl Union {
    /// Of the parents of all ranks; `joined` if they are the same everywhere already.
    pub(super) fn of(
        own: &Parents,
        moves: &Moves,
        joined: bool,
        collective: &mut dyn Collective,
    ) -> Result<Union, ParallelError> {
        let own_parents = own.iter().map(|parent| Joined {
            monomial: moved(&parent.monomial, moves),
            epoch: parent.epoch,
            heritage: parent.heritage,
        });
        let own_parents: Vec<Joined> = own_parents.collect();
        let mut message = Writer::default();
        let fractional = moved_bits(own.fractional_bits(), moves);
        message.u32(fractional.len() as u32);
        fractional.iter().for_each(|word| message.u64(*word));
        if !joined {
            write(&own_parents, &mut message);
        }
        let gathered = collective.gather(&message.0)?;
        let (parents, fractional, theirs) = read_all(&gathered)?;
        let (parents, theirs) = if joined { (own_parents, Vec::new()) } else { (parents, theirs) };
        let owners = Owners::of(&parents);
        Ok(Union { parents, owners, fractional, theirs })
    }

    /// The share of the ranks listed that had a product in their feature set.
    pub(super) fn share(&self, parent: u32, slot: u32, ranks: &[usize]) -> f64 {
        let Some(parent) = self.parents.get(parent as usize).filter(|_| !self.theirs.is_empty()) else { return 1.0 };
        let product = parent.monomial.times(slot);
        let has = |rank: &&usize| self.theirs[**rank].owner(&product).is_some();
        ranks.iter().filter(has).count() as f64 / ranks.len() as f64
    }
}

pub(super) fn moved(monomial: &Monomial, moves: &Moves) -> Monomial {
    Monomial::of(monomial.slots().iter().map(|slot| moves.of(*slot)).collect())
}

fn moved_bits(words: &[u64], moves: &Moves) -> Vec<u64> {
    let mut bits = Bits::default();
    for (place, word) in words.iter().enumerate() {
        let slots = (0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| place as u32 * 64 + bit);
        slots.for_each(|slot| bits.set(moves.of(slot)));
    }
    bits.into_words()
}

fn write(parents: &[Joined], message: &mut Writer) {
    for parent in parents {
        message.u32(parent.monomial.degree() as u32);
        parent.monomial.slots().iter().for_each(|slot| message.u32(*slot));
        message.u32(parent.epoch);
        message.f32(parent.heritage);
    }
}

type Found = (Vec<Joined>, Vec<u64>, Vec<Owners>);

/// The union of all parents in the order of ranks, that of the fractional features, and who had which parent.
fn read_all(gathered: &[Arc<[u8]>]) -> Result<Found, ParallelError> {
    let (mut parents, mut owners, mut fractional) = (Vec::<Joined>::new(), Owners::default(), Vec::new());
    let (mut theirs, mut finders) = (Vec::new(), Vec::<f32>::new());
    for (rank, message) in gathered.iter().enumerate() {
        let mut message = Reader::new(message, rank);
        for place in 0..message.u32()? as usize {
            let word = message.u64()?;
            fractional.resize(fractional.len().max(place + 1), 0);
            fractional[place] |= word;
        }
        let mut had = Owners::default();
        while !message.is_empty() {
            let parent = read(&mut message)?;
            had.insert(&parent.monomial, 0);
            match owners.number(&parent.monomial) {
                Some(number) => {
                    parents[number as usize].heritage += parent.heritage;
                    finders[number as usize] += 1.0;
                }
                None => {
                    owners.insert(&parent.monomial, parents.len() as u32);
                    parents.push(parent);
                    finders.push(1.0);
                }
            }
        }
        theirs.push(had);
    }
    // What new products start with is the mean over those who found the parent.
    parents.iter_mut().zip(finders).for_each(|(parent, finders)| parent.heritage /= finders);
    Ok((parents, fractional, theirs))
}

fn read(message: &mut Reader<'_>) -> Result<Joined, ParallelError> {
    let degree = message.u32()?;
    let slots = (0..degree).map(|_| message.u32()).collect::<Result<Vec<_>, _>>()?;
    let (epoch, heritage) = (message.u32()?, message.f32()?);
    if slots.is_empty() || slots.contains(&crate::feature::CONSTANT) || !(heritage >= 0.0 && heritage.is_finite()) {
        return Err(message.malformed());
    }
    Ok(Joined { monomial: Monomial::of(slots), epoch, heritage })
}
