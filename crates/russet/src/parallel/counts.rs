//! What is only counted: it stays with each rank until the end, or a checkpoint.

use serde::{Deserialize, Serialize};

use super::{Collective, ParallelError};
use crate::metrics::{Progressive, Tally};
use crate::model::Model;
use crate::schedule::Schedule;

/// What ranks have counted each for itself, so that they can go on from a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// Progressive validation of each rank, in their order.
    pub(super) ranks: Vec<Progressive>,
    /// What was counted by ranks of an earlier course, or of one with another number of them, and belongs to none.
    carried: Tally,
}

impl Counted {
    /// What the ranks of this course go on with, from a model's `progress` and what was counted with it. If there were as many, that is theirs;
    /// otherwise each has learned from a share of the examples, by those it has now, and the rest belongs to none.
    pub(super) fn shared(
        progress: Progressive,
        examples: u64,
        before: Option<&Counted>,
        collective: &mut dyn Collective,
    ) -> Result<Counted, ParallelError> {
        let mut theirs = vec![0.0; collective.ranks()];
        theirs[collective.rank()] = examples as f64;
        collective.sum(&mut theirs)?;
        if let Some(before) = before.filter(|before| before.ranks.len() == theirs.len()) {
            return Ok(before.clone());
        }
        let all = theirs.iter().sum::<f64>().max(1.0) as u128;
        let share = |own: &f64| (u128::from(progress.tally.examples) * *own as u128 / all) as u64;
        let tally = |own: &f64| Tally { examples: share(own), ..Tally::default() };
        let ranks: Vec<Progressive> = theirs.iter().map(|own| Progressive { tally: tally(own), ..progress }).collect();
        let shared: u64 = ranks.iter().map(|rank| rank.tally.examples).sum();
        let carried = Tally { examples: progress.tally.examples - shared, ..progress.tally };
        Ok(Counted { ranks, carried })
    }

    /// Progressive validation over all ranks.
    pub(super) fn totals(&self) -> Progressive {
        let mut totals = Progressive::default();
        for rank in &self.ranks {
            totals.labels.merge(&rank.labels);
            totals.tally.merge(&rank.tally);
        }
        totals.tally.merge(&self.carried);
        totals
    }
}

/// Forgets how often features were active: another rank keeps that.
pub(super) fn clear_counts(model: &mut Model) {
    let Model { linear, guard, growth, products, .. } = model;
    let tables = [Some(linear), guard.as_mut().map(|guard| &mut guard.linear), Some(products)];
    for table in tables.into_iter().flatten() {
        (0..table.len()).for_each(|place| table.set_active(place, 0));
    }
    if let Some(growth) = growth {
        growth.counted().fill(0);
        growth.set_left_out(0);
    }
}

/// Sums what each rank has counted. Features, parents and products are the same everywhere.
pub(super) fn sum_counts(model: &mut Model, collective: &mut dyn Collective) -> Result<(), ParallelError> {
    let mut places = Vec::new();
    match &model.growth {
        Some(growth) => growth.visit_in_order(&model.products, |_, _, place| places.push(place)),
        None => places.extend(0..model.products.len()),
    }
    let Model { linear, guard, growth, products, settings, .. } = model;
    let mut sums: Vec<f64> = (0..linear.len()).map(|slot| f64::from(linear.active(slot))).collect();
    if let Some(guard) = &guard {
        sums.extend((0..guard.linear.len()).map(|slot| f64::from(guard.linear.active(slot))));
    }
    sums.extend(places.iter().map(|place| f64::from(products.active(*place))));
    if let Some(growth) = growth {
        let left_out = growth.storage(products).left_out;
        sums.extend(growth.counted().iter().map(|count| f64::from(*count)));
        sums.extend([left_out as f64, growth.schedule.length().unwrap_or(0) as f64]);
    }
    collective.sum(&mut sums)?;
    let mut sums = sums.into_iter();
    let mut next = || sums.next().unwrap_or(0.0);
    // Conversions from floating point stop at the largest number.
    (0..linear.len()).for_each(|slot| linear.set_active(slot, next() as u32));
    if let Some(guard) = guard {
        (0..guard.linear.len()).for_each(|slot| guard.linear.set_active(slot, next() as u32));
    }
    places.iter().for_each(|place| products.set_active(*place, next() as u32));
    if let Some(growth) = growth {
        growth.counted().iter_mut().for_each(|count| *count = next() as u32);
        growth.set_left_out(next() as u64);
        growth.schedule = Schedule::new(settings.epochs, Some(next() as u64));
    }
    Ok(())
}
