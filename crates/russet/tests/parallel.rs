//! Learning on several ranks: one model, whatever the order of things.
#![allow(clippy::unwrap_used)]

use std::thread;

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::{Indexing, Namespace};
use russet::parallel::{Average, Collective, CollectiveError, ParallelError, Synchroniser, ThreadCollective, check};
use russet::select::SelectKind;
use russet::settings::{ExpansionKind, Settings, StepKind};
use russet::{Learner, Model};

const PASSES: u32 = 3;

/// Examples where one of twelve features decides which of two others the label is, with some noise; the same for each seed.
fn made(examples: u64, seed: u64) -> Batch {
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % below
    };
    batch.start(&mut dictionary);
    for line in 1..=examples {
        let present: Vec<u64> = (0..12).filter(|_| draw(2) == 0).collect();
        let positive = present.contains(if present.contains(&3) { &7 } else { &5 });
        // Each rank meets features in an order of its own.
        for place in 0..present.len() {
            let feature = present[(place + draw(12) as usize * usize::from(line == 1)) % present.len()];
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("f{feature}"), 1.0 + (feature % 3) as f32);
        }
        batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("rare{}", draw(300)), 1.0);
        let label = if positive != (draw(20) == 0) { 1.0 } else { -1.0 };
        batch.end_example(Label::new(label), b"", line);
    }
    batch
}

/// What one rank does: `PASSES` over its batch, in steps of `every`.
fn learn(
    settings: &Settings,
    batch: &Batch,
    every: usize,
    average: Average,
    mut rank: ThreadCollective,
) -> Result<Model, ParallelError> {
    let mut learner = Learner::new(settings.clone().check().unwrap());
    let mut synchroniser = Synchroniser::new(average);
    synchroniser.begin(&mut learner, batch.len() as u64, PASSES, &mut rank)?;
    for pass in 0..PASSES {
        learner.set_pass(pass, PASSES);
        let every = if pass == 0 && settings.expansion == ExpansionKind::Apple { usize::MAX } else { every };
        let mut taken: usize = 0;
        loop {
            let end = taken.saturating_add(every).min(batch.len());
            learner.learn_range(batch, taken..end).unwrap();
            taken = end;
            if synchroniser.synchronise(&mut learner, &mut rank, taken == batch.len())? {
                break;
            }
        }
    }
    synchroniser.finish(&mut learner, &mut rank)?;
    Ok(learner.into_model())
}

/// The models that ranks with these batches come to.
fn models(settings: &Settings, batches: &[Batch], every: usize, average: Average) -> Vec<Model> {
    thread::scope(|scope| {
        let ranks = ThreadCollective::new(batches.len());
        let start = |(rank, batch)| scope.spawn(move || learn(settings, batch, every, average, rank).unwrap());
        let threads: Vec<_> = ranks.into_iter().zip(batches).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn settings(expansion: ExpansionKind) -> Settings {
    Settings { expansion, ..Settings::default() }
}

/// The share of mistakes on other examples.
fn error(model: &Model) -> f64 {
    let test = made(4000, 99);
    let mut predictor = model.predictor();
    predictor.begin(&test);
    let wrong = test
        .iter()
        .filter(|example| (predictor.predict(&test, example).value > 0.0) != (example.label.value.unwrap() > 0.0));
    wrong.count() as f64 / 4000.0
}

fn shards(sizes: &[u64]) -> Vec<Batch> {
    (1..).zip(sizes).map(|(seed, size)| made(*size, seed)).collect()
}

#[test]
fn one_rank_learns_as_without() {
    for expansion in [ExpansionKind::Linear, ExpansionKind::Apple] {
        let (settings, batches) = (settings(expansion), shards(&[2000]));
        let mut plain = Learner::new(settings.clone().check().unwrap());
        plain.set_course_length(2000 * u64::from(PASSES));
        for pass in 0..PASSES {
            plain.set_pass(pass, PASSES);
            plain.learn(&batches[0]).unwrap();
        }
        let found = models(&settings, &batches, 300, Average::Adaptive);
        assert!(found[0].to_bytes() == plain.into_model().to_bytes(), "{expansion:?}");
    }
}

#[test]
fn all_ranks_come_to_the_same_model_every_time() {
    let apple = || settings(ExpansionKind::Apple);
    let linear = || settings(ExpansionKind::Linear);
    let all = [
        linear(),
        apple(),
        Settings { ngram: 2, ..linear() },
        Settings { ngram: 2, ..apple() },
        // Products in hash tables, with hardly any room.
        Settings { memory: 1, ngram: 2, alpha: 1.5, ..apple() },
        Settings { select: SelectKind::Ssm, ..apple() },
        Settings { l1: 1e-5, l2: 1e-4, ..apple() },
        Settings { step: StepKind::Sgd, l2: 0.01, ..linear() },
        Settings { indexing: Indexing::Hashed, bits: 8, ..apple() },
        // More features than there is room for.
        Settings { bits: 6, ..apple() },
        Settings { bits: 6, ..linear() },
        Settings { epochs: 1, ..apple() },
        Settings { bits: 17, ..settings(ExpansionKind::Quadratic) },
        Settings { indexing: Indexing::Hashed, bits: 10, l2: 1e-5, ..settings(ExpansionKind::Cubic) },
        Settings { guard: russet::settings::GuardKind::Off, ..apple() },
    ];
    let batches = shards(&[900, 1500, 0, 3]);
    for settings in all {
        for (every, average) in [(usize::MAX, Average::Adaptive), (200, Average::Plain)] {
            let first = models(&settings, &batches, every, average);
            let bytes = first[0].to_bytes();
            assert!(first.iter().all(|model| model.to_bytes() == bytes), "{settings:?}");
            assert!(models(&settings, &batches, every, average)[3].to_bytes() == bytes, "{settings:?}");
            assert_eq!(Model::from_bytes(&bytes).unwrap().to_bytes(), bytes, "{settings:?}");
            assert_eq!(first[0].progress().tally.examples, 2403 * u64::from(PASSES));
            let active = first[0].terms(1000).into_iter().filter_map(|term| term.active).fold(0.0, f64::max);
            assert!(active <= 1.0, "{settings:?}: {active}");
        }
    }
}

#[test]
fn several_ranks_learn_about_as_well_as_one() {
    for (expansion, good) in
        [(ExpansionKind::Linear, 0.31), (ExpansionKind::Apple, 0.07), (ExpansionKind::Quadratic, 0.1)]
    {
        let settings = settings(expansion);
        for ranks in [1, 2, 4] {
            let batches = shards(&vec![8000 / ranks; ranks as usize]);
            for (every, average) in [(usize::MAX, Average::Adaptive), (500, Average::Adaptive), (500, Average::Plain)] {
                let error = error(&models(&settings, &batches, every, average)[0]);
                assert!(error < good, "{expansion:?}, {ranks} ranks, {every} {average:?}: {error}");
            }
        }
    }
}

#[test]
fn a_rank_that_ends_early_ends_the_others() {
    let settings = settings(ExpansionKind::Apple);
    let batch = made(500, 1);
    let results = thread::scope(|scope| {
        let (settings, batch) = (&settings, &batch);
        let threads: Vec<_> = ThreadCollective::new(3)
            .into_iter()
            .map(|rank| {
                scope.spawn(move || match rank.rank() {
                    1 => Err(ParallelError::Unsupported("this rank")),
                    _ => learn(settings, batch, 100, Average::Adaptive, rank).map(drop),
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let left = || Err(ParallelError::Collective(CollectiveError::Left { rank: 1 }));
    assert_eq!(results, [left(), Err(ParallelError::Unsupported("this rank")), left()]);
}

#[test]
fn what_is_for_one_rank_is_refused() {
    assert_eq!(check(&settings(ExpansionKind::Apple)), Ok(()));
    let picky = Settings { select: SelectKind::PickySsm, ..settings(ExpansionKind::Apple) };
    assert_eq!(check(&picky), Err(ParallelError::Unsupported("a picky rule of selection")));
}
