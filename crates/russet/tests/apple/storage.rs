//! However the weights are stored, one result.

use crate::made_up::*;
use crate::*;

/// Learns one by one, and holds the learner's own predictions against those of a predictor.
fn learn_watched(learner: &mut Learner, batch: &Batch, range: Range<usize>) -> Vec<f32> {
    let mut all = Vec::new();
    for place in range {
        let predicted = predictions(learner.model(), batch, place..place + 1)[0];
        let (before, features) = (*learner.model().progress(), learner.model().features().len());
        learner.learn_range(batch, place..place + 1).unwrap();
        let after = learner.model().progress();
        let error = after.tally.since(&before.tally).squared_error.sqrt();
        let expected = f64::from((predicted - batch.example(place).label.value.unwrap()).abs());
        // A new label widens the range that predictions are clipped to; a new feature has no weight for a predictor.
        if after.labels == before.labels && learner.model().features().len() == features {
            assert!((error - expected).abs() < 1e-5, "example {place}: the learner is off by {error}, not {expected}");
        }
        all.push(predicted);
    }
    all
}

#[test]
fn rows_and_families_learn_the_same_bits() {
    let examples = sparse(700, 3000, 1);
    let batch = batch_of(&examples);
    for settings in [
        apple(),
        Settings { loss: LossKind::Logistic, l1: 1e-4, l2: 1e-3, ..apple() },
        Settings { inherit: 0.0, select: SelectKind::Fallback, alpha: 1.1, ..apple() },
    ] {
        let mut blocks = learner(&settings, examples.len());
        let mut keys = learner(&Settings { memory: 4, ..settings }, examples.len());
        let both = [&mut blocks, &mut keys].map(|learner| learn_watched(learner, &batch, 0..examples.len()));
        assert_eq!(layout(blocks.model()), Layout::Rows);
        let storage = keys.model().storage().unwrap();
        assert_eq!((storage.layout, storage.left_out), (Layout::Families, 0));
        assert!(keys.model().parents().unwrap() > 30);
        // A predictor leaves products without a weight out of families, so it sums in another order.
        for (of_rows, of_families) in both[0].iter().zip(&both[1]) {
            assert!((of_rows - of_families).abs() <= 1e-6 * of_rows.abs().max(1.0), "{of_rows} {of_families}");
        }
        assert_eq!(blocks.model().progress(), keys.model().progress());
        assert_eq!(blocks.model().weight_counts(), keys.model().weight_counts());
        assert_eq!(blocks.model().terms(usize::MAX), keys.model().terms(usize::MAX));
    }
}

#[test]
fn where_memory_is_full_products_are_left_out_and_counted() {
    let examples = sparse(6000, 3000, 2);
    let mut learner = learner(&Settings { memory: 1, alpha: 1.5, ..apple() }, examples.len());
    let batch = batch_of(&examples);
    learner.learn_range(&batch, 0..5800).unwrap();
    let before = learner.model().storage().unwrap();
    assert!(before.layout == Layout::Families && before.left_out > 0, "{before:?}");
    learn_watched(&mut learner, &batch, 5800..6000);
    let after = learner.model().storage().unwrap();
    assert!(after.left_out > before.left_out, "products were left out without being counted");
    assert!(after.places * 40 <= 1 << 20, "{after:?}");
}

#[test]
fn every_cpu_gives_the_same_bytes_from_every_layout() {
    for (layout, memory, examples) in [
        (Layout::Families, 1, sparse(500, 3000, 3)),
        (Layout::Rows, 256, sparse(500, 3000, 3)),
        (Layout::Tiles, 256, dense(500, 21, 3)),
    ] {
        let batch = batch_of(&examples);
        let trained = Cpu::available().into_iter().map(|cpu| {
            let mut model = Model::new(Settings { memory, ..apple() }.check().unwrap());
            model.set_cpu(cpu);
            let mut learner = Learner::resume(model);
            learner.set_course_length(500);
            learner.learn(&batch).unwrap();
            assert_eq!(self::layout(learner.model()), layout);
            (cpu, learner.model().to_bytes())
        });
        let trained: Vec<_> = trained.collect();
        for (cpu, bytes) in &trained {
            assert!(*bytes == trained[0].1, "{cpu:?}, memory {memory}");
        }
    }
}
