use serde::{Deserialize, Serialize};

use super::{Collective, ParallelError};
use crate::guard::{GuardState, Mixture};
use crate::metrics::{LabelsSeen, Progressive};
use crate::model::Model;
use crate::step::{GlobalScale, Shrinkage};

/// What a rank tells of itself when ranks come together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Note {
    /// It has come to the end of its data.
    pub(super) done: bool,
    /// How many examples it has learned from since ranks last came together.
    pub(super) learned: u64,
    /// It has come to where the learning rate begins to fall, so that the guard's comparison begins anew.
    cools: bool,
    pub(super) progress: Progressive,
    scale: GlobalScale,
    rounds: u64,
    guard: Option<GuardState>,
}

impl Note {
    pub(super) fn of(model: &Model, done: bool, learned: u64, cools: bool) -> Note {
        let guard = model.guard.as_ref().map(|guard| guard.state);
        Note { done, learned, cools, progress: model.progress, scale: model.scale, rounds: model.rounds, guard }
    }

    /// The notes of all ranks, in their order.
    pub(super) fn exchange(&self, collective: &mut dyn Collective) -> Result<Vec<Note>, ParallelError> {
        let gathered = collective.gather(&serde_json::to_vec(self).unwrap_or_default())?;
        let read = |(rank, bytes): (usize, &_)| -> Result<Note, ParallelError> {
            serde_json::from_slice(bytes).map_err(|_| ParallelError::Malformed { rank })
        };
        gathered.iter().map(|bytes| &**bytes).enumerate().map(read).collect()
    }
}

/// Gives a model what ranks have in common besides weights. `mixture`: what it was when they last came together.
pub(super) fn apply(notes: &[Note], labels: LabelsSeen, model: &mut Model, mixture: &mut Mixture) {
    let active = || notes.iter().filter(|note| note.learned > 0);
    model.progress.labels = labels;
    model.scale = mean_scale(active().map(|note| note.scale));
    model.rounds = active().map(|note| note.rounds).max().unwrap_or(model.rounds);
    let Some(guard) = &mut model.guard else { return };
    let states = || active().filter_map(|note| note.guard);
    let before = *mixture;
    states().for_each(|state| mixture.merge(&state.mixture, &before));
    if notes.iter().any(|note| note.cools) {
        *mixture = Mixture::default();
    }
    guard.state = GuardState {
        scale: mean_scale(states().map(|state| state.scale)),
        shrinkage: Shrinkage::default(),
        rounds: states().map(|state| state.rounds).max().unwrap_or(0),
        mixture: *mixture,
    };
}

fn mean_scale(scales: impl Iterator<Item = GlobalScale>) -> GlobalScale {
    let (mut mean, mut count) = (GlobalScale::default(), 0.0);
    for scale in scales {
        mean.importance += scale.importance;
        mean.norm += scale.norm;
        count += 1.0;
    }
    GlobalScale { importance: mean.importance / f64::max(count, 1.0), norm: mean.norm / f64::max(count, 1.0) }
}
