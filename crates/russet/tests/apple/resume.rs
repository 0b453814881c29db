//! A saved model goes on as if undisturbed.

use crate::compare::{examples, for_every};
use crate::made_up::*;
use crate::*;

/// Saves the model after `cut` examples, loads it and goes on; the end is that of the undisturbed run.
fn resumes(settings: &Settings, batch: &Batch, cuts: &[usize], course: Option<usize>) {
    let fresh = || match course {
        Some(length) => learner(settings, length),
        None => Learner::new(settings.clone().check().unwrap()),
    };
    let mut undisturbed = fresh();
    undisturbed.learn(batch).unwrap();
    let (end, rest) = (undisturbed.model().to_bytes(), batch.len().saturating_sub(40)..batch.len());
    let wanted = bits(&predictions(undisturbed.model(), batch, rest.clone()));
    let mut before = fresh();
    let mut learned = 0;
    for &cut in cuts {
        before.learn_range(batch, learned..cut).unwrap();
        learned = cut;
        let bytes = before.model().to_bytes();
        let loaded = Model::from_bytes(&bytes).unwrap_or_else(|error| panic!("after {cut}: {error}"));
        assert!(loaded.to_bytes() == bytes, "after {cut}: other bytes");
        let pair = [before.model(), &loaded].map(|model| bits(&predictions(model, batch, rest.clone())));
        assert_eq!(pair[0], pair[1], "after {cut}: other predictions");
        assert_eq!(loaded.terms(usize::MAX), before.model().terms(usize::MAX), "after {cut}");
        assert_eq!((loaded.parents(), loaded.storage()), (before.model().parents(), before.model().storage()));
        let mut resumed = Learner::resume(loaded);
        // The course has begun: its length stays what it is.
        resumed.set_course_length(7);
        resumed.learn_range(batch, cut..batch.len()).unwrap();
        assert_eq!(bits(&predictions(resumed.model(), batch, rest.clone())), wanted, "after {cut}");
        assert!(resumed.model().to_bytes() == end, "after {cut}: the end has other bytes");
    }
}

#[test]
fn the_length_can_be_told_as_long_as_the_first_epoch_lasts() {
    let batch = batch_of(&sparse(240, 60, 4));
    let mut told_first = learner(&apple(), 240);
    told_first.learn(&batch).unwrap();
    for told_after in [0, 1, 39] {
        let mut learner = Learner::new(apple().check().unwrap());
        learner.expect_course_length();
        learner.learn_range(&batch, 0..told_after).unwrap();
        learner.set_course_length(240);
        learner.learn_range(&batch, told_after..240).unwrap();
        assert!(learner.model().to_bytes() == told_first.model().to_bytes(), "told after {told_after}");
    }
    // Too late: with the fortieth example the epoch was over.
    let mut learner = Learner::new(apple().check().unwrap());
    learner.expect_course_length();
    learner.learn_range(&batch, 0..40).unwrap();
    learner.set_course_length(240);
    assert_eq!(learner.model().course_length(), None);
}

#[test]
fn a_number_is_the_same_feature_however_it_is_coded() {
    let batches = [false, true].map(|coded| {
        let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
        batch.start(&mut dictionary);
        for (place, example) in sparse(240, 60, 4).iter().enumerate() {
            for (name, value) in &example.features {
                if coded && place % 3 > 0 {
                    batch.push_number(*name, *value);
                } else {
                    batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name.to_string(), *value);
                }
            }
            batch.end_example(Label::new(example.label), b"", place as u64 + 1);
        }
        batch
    });
    let [declared, coded] = batches.map(|batch| {
        let mut learner = learner(&apple(), 240);
        learner.learn(&batch).unwrap();
        learner.into_model().to_bytes()
    });
    assert!(declared == coded);
}

/// Right before, at and right after each growth of equal epochs, and in the middle of each.
fn cuts(length: usize, epochs: usize) -> Vec<usize> {
    let epoch = length / epochs;
    let mut cuts: Vec<usize> =
        (0..epochs).flat_map(|k| [1, epoch / 2, epoch - 1, epoch].map(|c| k * epoch + c)).collect();
    cuts.retain(|cut| *cut < length);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

#[test]
fn a_saved_model_goes_on_as_if_undisturbed_anywhere_in_an_epoch() {
    let batch = batch_of(&sparse(240, 60, 4));
    for settings in [
        apple(),
        Settings { loss: LossKind::Logistic, l1: 1e-4, l2: 1e-3, ..apple() },
        Settings { loss: LossKind::Hinge, alpha: 0.5, select: SelectKind::Fallback, ..apple() },
        Settings { loss: LossKind::Quantile, inherit: 0.0, ngram: 2, ..apple() },
        Settings { step: StepKind::Sgd, l2: 0.01, ..apple() },
        Settings { select: SelectKind::Ssm, ..apple() },
        Settings { select: SelectKind::PickyWeight, ..apple() },
        Settings { select: SelectKind::PickySsm, loss: LossKind::Hinge, ..apple() },
    ] {
        resumes(&settings, &batch, &cuts(240, 6), Some(240));
    }
}

#[test]
fn a_saved_model_of_tiles_goes_on_as_if_undisturbed() {
    // The first hundred examples have few of the features, so the layout changes on the way.
    let mut examples = sparse(100, 60, 13);
    examples.extend(dense(500, 30, 14));
    let settings = Settings { epochs: 8, ..apple() };
    resumes(&settings, &batch_of(&examples), &cuts(600, 8), Some(600));
    let batch = batch_of(&dense(120, 9, 15));
    resumes(&apple(), &batch, &cuts(120, 6), Some(120));
}

#[test]
fn a_saved_model_with_keys_goes_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(700, 3000, 1));
    resumes(&Settings { memory: 1, ..apple() }, &batch, &cuts(700, 6), Some(700));
}

#[test]
fn a_saved_model_whose_memory_is_full_goes_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(6000, 3000, 2));
    let settings = Settings { memory: 1, alpha: 1.5, ..apple() };
    resumes(&settings, &batch, &[4999, 5000, 5001, 5900], Some(6000));
}

#[test]
fn a_model_that_gives_up_well_filled_blocks_can_be_saved() {
    // 190 parents of 190 features fill blocks with 18,145 products; with 191 more they no longer fit in 1 MiB.
    let batch = batch_of(&dense(24, 190, 5));
    let settings = Settings { memory: 1, epochs: 4, ..apple() };
    resumes(&settings, &batch, &[5, 6, 7, 11, 12, 13, 18, 20], Some(24));
}

#[test]
fn growing_epochs_go_on_as_if_undisturbed() {
    let batch = batch_of(&sparse(5000, 60, 6));
    resumes(&apple(), &batch, &[500, 1023, 1024, 1025, 4095, 4096, 4097], None);
}

#[test]
fn any_model_goes_on_from_any_place() {
    for_every(48, (examples(6..50), 1u32..7, any::<[bool; 2]>(), 0.0f64..1.0), |(drawn, epochs, [a, b], part)| {
        let settings = Settings {
            epochs,
            inherit: if a { 0.05 } else { 0.0 },
            select: if b { SelectKind::Fallback } else { SelectKind::Weight },
            ..apple()
        };
        let cut = 1 + (part * (drawn.len() - 1) as f64) as usize;
        resumes(&settings, &batch_of(&drawn), &[cut], Some(drawn.len()));
        Ok(())
    });
}
