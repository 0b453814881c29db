use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::counts::{Counted, clear_counts, sum_counts};
use super::features::{self, Moves};
use super::fixed;
use super::mean::Average;
use super::note::{self, Note};
use super::parents::{self, Union};
use super::weights::{self, Product};
use super::{Collective, ParallelError};
use crate::Learner;
use crate::growth::{Ground, Growth};
use crate::guard::Mixture;
use crate::metrics::Progressive;
use crate::model::Model;
use crate::weights::WeightTable;

/// Makes one model of the learners of several ranks.
///
/// Each rank has one of its own, beside its learner. All call the same methods in the same order.
///
/// ```
/// use russet::parallel::{Average, Synchroniser, ThreadCollective};
/// use russet::{Learner, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
///
/// let learn = |number: u64, mut rank: ThreadCollective| {
///     let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
///     batch.start(&mut dictionary);
///     for round in 0..50 {
///         let warm = (round + number) % 2 == 0;
///         batch.push_named(&mut dictionary, Namespace::ANONYMOUS, if warm { "sun" } else { "rain" }, 1.0);
///         batch.end_example(Label::new(if warm { 1.0 } else { -1.0 }), b"", round + 1);
///     }
///     let mut learner = Learner::new(Settings::default().check().unwrap());
///     let mut synchroniser = Synchroniser::new(Average::Adaptive);
///     synchroniser.begin(&mut learner, batch.len() as u64, 2, &mut rank).unwrap();
///     for pass in 0..2 {
///         learner.set_pass(pass, 2);
///         learner.learn(&batch).unwrap();
///         synchroniser.synchronise(&mut learner, &mut rank, true).unwrap();
///     }
///     synchroniser.finish(&mut learner, &mut rank).unwrap();
///     learner.into_model()
/// };
/// let models = std::thread::scope(|scope| {
///     let threads: Vec<_> = (0..).zip(ThreadCollective::new(2)).map(|(n, rank)| scope.spawn(move || learn(n, rank))).collect();
///     threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
/// });
/// assert_eq!(models[0].progress().tally.examples, 200);
/// assert_eq!(models[0].to_bytes(), models[1].to_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct Synchroniser {
    average: Average,
    /// How many features all ranks have in the same slots.
    agreed: usize,
    /// Whether all ranks have the same parents.
    joined: bool,
    /// The guard's, and how many examples this rank had learned from, when ranks last came together.
    mixture: Mixture,
    examples: u64,
    totals: Progressive,
    counted: Counted,
}

impl Synchroniser {
    /// For ranks that have not met yet.
    pub fn new(average: Average) -> Synchroniser {
        let (mixture, totals, counted) = (Mixture::default(), Progressive::default(), Counted::default());
        Synchroniser { average, agreed: 0, joined: false, mixture, examples: 0, totals, counted }
    }

    /// Tells the learner, before its first example, of its part: how many examples this rank has, and in how many passes it
    /// goes through them. An adaptive expansion grows in the first pass only.
    ///
    /// Steps are longer than those of a learner alone by the square root of the number of ranks (more exactly, of the number of equal ones
    /// they stand for): adaptive steps over an N-th of the examples lead 1/sqrt(N) as far, and the mean of N ranks has 1/N of
    /// the variance. So the average has come as far as one learner would have, and its noise is the same.
    pub fn begin(
        &mut self,
        learner: &mut Learner,
        examples: u64,
        passes: u32,
        collective: &mut dyn Collective,
    ) -> Result<(), ParallelError> {
        learner.set_course_length(examples * u64::from(passes));
        if collective.ranks() == 1 {
            return Ok(());
        }
        super::check(learner.model().settings())?;
        learner.grow_within(examples);
        set_pace(learner, examples, collective)
    }

    /// In place of [`Synchroniser::begin`]: the learner goes on with a model that all ranks have, of a course in which each example was learned
    /// from once in each of `done` passes; `counted` is what [`Synchroniser::checkpoint`] gave with it, if it did. If there were as many
    /// ranks and each has the part it had, all goes on as if nothing had happened, to the bit. The feature set of an adaptive expansion stays as it is.
    pub fn resume(
        &mut self,
        learner: &mut Learner,
        (examples, passes, done): (u64, u32, u32),
        counted: Option<&Counted>,
        collective: &mut dyn Collective,
    ) -> Result<(), ParallelError> {
        super::check(learner.model().settings())?;
        let model = learner.model_mut();
        (self.agreed, self.joined) = (model.features.len(), true);
        self.mixture = model.guard.as_ref().map(|guard| guard.state.mixture).unwrap_or_default();
        self.counted = Counted::shared(model.progress, examples, counted, collective)?;
        let own = self.counted.ranks[collective.rank()].tally;
        self.examples = own.examples;
        model.progress.tally = own;
        if collective.rank() > 0 {
            clear_counts(model);
        }
        // A model whose course was over before this one has cooled down for good.
        learner.keep_grown((done > 0).then_some(examples * u64::from(passes)));
        set_pace(learner, examples, collective)
    }

    /// How many examples the learner has before it where the ranks should [come together](Synchroniser::synchronise) whatever else is agreed on,
    /// if there is such a place: where the learning rate of an adaptive expansion begins to fall.
    ///
    /// From there on its guard compares it anew with the linear learner beside it. A rank that learns apart takes longer steps than the average
    /// of all would need, which costs the expansion more than the linear learner: on census with 4 ranks it lost 4% more until the
    /// rate fell, and the average predicted 2% better all the same. What a rank loses with short steps is close to what the average will.
    pub fn until_cooling(&self, learner: &Learner) -> Option<u64> {
        let model = learner.model();
        cooling(model).filter(|_| self.joined)?.checked_sub(model.progress.tally.examples).filter(|left| *left > 0)
    }

    /// Progressive validation over all ranks, as it was when they last came together.
    pub fn totals(&self) -> &Progressive {
        &self.totals
    }

    /// Makes one model of all learners', and gives it to each. `done`: this rank has come to the end of its data, for this pass. True if
    /// all have; as long as not, this has to be called again. With an adaptive expansion, the first call ends its growth.
    pub fn synchronise(
        &mut self,
        learner: &mut Learner,
        collective: &mut dyn Collective,
        done: bool,
    ) -> Result<bool, ParallelError> {
        if collective.ranks() == 1 {
            self.totals = *learner.model().progress();
            return Ok(done);
        }
        super::check(learner.model().settings())?;
        let model = learner.model_mut();
        settle(model);
        if !self.joined {
            model.begin_guard();
            // All ranks' products together are another learner than any before.
            model.guard.iter_mut().for_each(|guard| guard.state.mixture = Mixture::default());
        }
        let examples = model.progress.tally.examples;
        let cools = !done && cooling(model).is_some_and(|start| (self.examples + 1..=examples).contains(&start));
        let notes = Note::of(model, done, examples - self.examples, cools).exchange(collective)?;
        self.examples = examples;
        self.counted.ranks = notes.iter().map(|note| note.progress).collect();
        self.totals = self.counted.totals();
        let active: Vec<usize> = (0..notes.len()).filter(|rank| notes[*rank].learned > 0).collect();
        if !active.is_empty() {
            let moves = features::join(model, &mut self.agreed, collective)?;
            self.join_weights(model, &moves, &active, collective)?;
            note::apply(&notes, self.totals.labels, model, &mut self.mixture);
            learner.forget_places(!moves.is_none());
            compare(fingerprint(learner.model()), collective)?;
        }
        Ok(notes.iter().all(|note| note.done))
    }

    /// Gives all ranks the same parents and weights.
    fn join_weights(
        &mut self,
        model: &mut Model,
        moves: &Moves,
        active: &[usize],
        collective: &mut dyn Collective,
    ) -> Result<(), ParallelError> {
        let slot_count = model.features.slot_count();
        model.linear = moves.table(&model.linear, slot_count);
        if let Some(guard) = &mut model.guard {
            guard.linear = moves.table(&guard.linear, slot_count);
        }
        let Some(growth) = model.growth.take() else {
            fixed::move_products(model, moves)?;
            model.order_products_for(self.totals.tally.base_features_per_example().unwrap_or(0.0));
            return weights::average(model, &[], None, (self.average, active), collective);
        };
        let union = Union::of(&growth.parents, moves, self.joined, collective)?;
        let stays = self.joined && moves.is_none();
        self.joined = true;
        let products = own_products(&growth, &model.products, (moves, stays), &union);
        let average = self.totals.tally.base_features_per_example().unwrap_or(0.0);
        let ground = Ground { fractional: union.fractional.clone(), slot_count, average };
        let left_out = growth.storage(&model.products).left_out;
        let mut joined = growth.joined(&union.parents, ground, &model.settings, &mut model.products);
        joined.set_left_out(left_out);
        model.growth = Some(joined);
        weights::average(model, &products, Some(&union), (self.average, active), collective)
    }

    /// Ends learning, after the last synchronisation: what each rank has counted is summed, and all have the same model, to the bit.
    pub fn finish(&mut self, learner: &mut Learner, collective: &mut dyn Collective) -> Result<(), ParallelError> {
        if collective.ranks() == 1 {
            return Ok(());
        }
        let model = learner.model_mut();
        (model.progress, model.pace) = (self.totals, 1.0);
        sum_counts(model, collective)?;
        learner.forget_places(false);
        compare(xxh3_64(&learner.model().to_bytes()), collective)
    }

    /// What has been learned so far, after a synchronisation at the end of a pass, as a model that one rank or any number can go on with; and what
    /// they have counted: see [`Synchroniser::resume`].
    pub fn checkpoint(
        &self,
        learner: &Learner,
        collective: &mut dyn Collective,
    ) -> Result<(Model, Counted), ParallelError> {
        let mut model = learner.model().clone();
        (model.progress, model.pace) = (self.totals, 1.0);
        sum_counts(&mut model, collective)?;
        Ok((model, self.counted.clone()))
    }
}

/// After how many examples of this rank the learning rate begins to fall, if the guard has to know.
fn cooling(model: &Model) -> Option<u64> {
    model.guard.as_ref().and(model.growth.as_ref()).and_then(|growth| growth.schedule.cooling())
}

/// Lengthens the steps by the number of equal ranks: see [`Synchroniser::begin`].
fn set_pace(learner: &mut Learner, examples: u64, collective: &mut dyn Collective) -> Result<(), ParallelError> {
    let mut sums = [examples as f64, (examples as f64).powi(2)];
    collective.sum(&mut sums)?;
    let equal_ranks = sums[0] * sums[0] / sums[1].max(1.0);
    learner.model_mut().pace = equal_ranks.max(1.0).sqrt() as f32;
    Ok(())
}

/// Writes out what all weights stand for, so that they can be averaged.
fn settle(model: &mut Model) {
    if model.shrinkage != Default::default() {
        model.shrinkage.settle(&mut [&mut model.linear, &mut model.products]);
    }
    model.linear.forget_moments();
    if let Some(guard) = model.guard.as_mut().filter(|guard| guard.state.shrinkage != Default::default()) {
        guard.state.shrinkage.settle(&mut [&mut guard.linear]);
    }
}

/// This rank's products, by the parents that they will have; `stays`: these are the ones they have.
fn own_products(growth: &Growth, table: &WeightTable, (moves, stays): (&Moves, bool), union: &Union) -> Vec<Product> {
    let mut products = Vec::new();
    growth.visit_in_order(table, |parent, slot, place| {
        let owner = || {
            let product = parents::moved(&growth.parents.get(parent).monomial.times(slot), moves);
            union.owners.owner(&product)
        };
        debug_assert!(!stays || owner() == Some((parent, slot)));
        // To look for each product again took most of a meeting's time.
        if let Some((parent, slot)) = if stays { Some((parent, slot)) } else { owner() } {
            products.push(Product { parent, slot, weight: table.get(place), count: table.active(place) });
        }
    });
    // Features that have come to share a slot have made one product of two.
    products.sort_by_key(Product::key);
    products.dedup_by_key(|product| product.key());
    products
}

/// Makes sure that all ranks have the same.
fn compare(hash: u64, collective: &mut dyn Collective) -> Result<(), ParallelError> {
    let gathered = collective.gather(&hash.to_le_bytes())?;
    match gathered.iter().position(|theirs| theirs != &gathered[0]) {
        Some(rank) => Err(ParallelError::Diverged { rank }),
        None => Ok(()),
    }
}

/// A hash of all that predictions and steps depend on.
fn fingerprint(model: &Model) -> u64 {
    let mut hasher = Xxh3::new();
    for (id, slot, name) in model.features.iter() {
        hasher.update(&id.0.to_le_bytes());
        hasher.update(&slot.to_le_bytes());
        hasher.update(&name);
    }
    let mut add = |table: &WeightTable, place: usize| {
        let slot = table.get(place);
        [slot.weight, slot.gradient, slot.scale].iter().for_each(|value| hasher.update(&value.to_le_bytes()));
    };
    (0..model.linear.len()).for_each(|place| add(&model.linear, place));
    if let Some(guard) = &model.guard {
        (0..guard.linear.len()).for_each(|place| add(&guard.linear, place));
    }
    if let Some(growth) = &model.growth {
        growth.visit_in_order(&model.products, |_, _, place| add(&model.products, place));
        growth.visit_in_order(&model.products, |parent, slot, _| {
            hasher.update(&parent.to_le_bytes());
            hasher.update(&slot.to_le_bytes());
        });
        for parent in growth.parents.iter() {
            parent.monomial.slots().iter().for_each(|slot| hasher.update(&slot.to_le_bytes()));
            hasher.update(&parent.heritage.to_le_bytes());
        }
        growth.parents.fractional_bits().iter().for_each(|word| hasher.update(&word.to_le_bytes()));
    } else {
        (0..model.products.len()).for_each(|place| add(&model.products, place));
        hasher.update(&[u8::from(model.products.is_tiled())]);
    }
    let guard = model.guard.as_ref().map(|guard| guard.state);
    let state = (model.scale, model.shrinkage, model.rounds, model.progress.labels, guard);
    hasher.update(&serde_json::to_vec(&state).unwrap_or_default());
    hasher.digest()
}
