//! Each phase alone, on dense, mixed and sparse examples: `cargo bench -p russet-bench`, or `cargo bench -p russet-bench -- parse`.
#![allow(missing_docs, clippy::unwrap_used)]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

use russet::batch::{Batch, Dictionary};
use russet::feature::Namespace;
use russet::settings::{ExpansionKind, Settings};
use russet::{Learner, Model, Taken};
use russet_bench::data::Shape;
use russet_bench::work::{File, Trained, examples_at_hand, feature_count};

/// How much text is parsed.
const TEXT: usize = 2 << 20;

/// How much text a model is trained on.
const COURSE: usize = 4 << 20;

/// Models of these are gone through: shape and expansion.
const MODELS: [(Shape, ExpansionKind); 8] = [
    (Shape::Dense, ExpansionKind::Linear),
    (Shape::Dense, ExpansionKind::Quadratic),
    (Shape::Dense, ExpansionKind::Apple),
    (Shape::Mixed, ExpansionKind::Linear),
    (Shape::Mixed, ExpansionKind::Quadratic),
    (Shape::Mixed, ExpansionKind::Apple),
    (Shape::Sparse, ExpansionKind::Linear),
    (Shape::Sparse, ExpansionKind::Apple),
];

/// Those that have products.
const EXPANDED: [(Shape, ExpansionKind); 5] = [MODELS[1], MODELS[2], MODELS[4], MODELS[5], MODELS[7]];

/// Those that grow.
const GROWN: [(Shape, ExpansionKind); 3] = [MODELS[2], MODELS[5], MODELS[7]];

fn main() {
    divan::main();
}

/// Text to batches.
#[divan::bench(args = Shape::ALL, sample_count = 20)]
fn parse(bencher: Bencher, shape: Shape) {
    let file = File::new(shape.text(TEXT).as_bytes(), ".vw");
    bencher.counter(BytesCount::new(file.bytes)).bench_local(|| file.parse());
}

/// A cache to batches.
#[divan::bench(args = Shape::ALL, sample_count = 20)]
fn decode(bencher: Bencher, shape: Shape) {
    let file = File::new(shape.text(TEXT).as_bytes(), ".vw").cache();
    bencher.counter(BytesCount::new(file.bytes)).bench_local(|| file.parse());
}

/// Names to ids, and ids to their numbers in a reader's dictionary.
#[divan::bench(args = [100, 10_000, 60_000])]
fn hash(bencher: Bencher, names: usize) {
    let names: Vec<String> = (0..names).map(|name| format!("w{name}")).collect();
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    let mut index = |name: &String| {
        let id = Namespace::ANONYMOUS.feature(name.as_bytes());
        dictionary.index(&mut batch, id, |declared| declared.push(name.as_bytes()))
    };
    bencher
        .counter(ItemsCount::new(names.len()))
        .bench_local(|| names.iter().map(&mut index).fold(0, u32::wrapping_add));
}

/// A batch's codes to slots of the model's feature table.
#[divan::bench(args = Shape::ALL, sample_count = 20)]
fn look_up(bencher: Bencher, shape: Shape) {
    let parsed = File::new(shape.text(TEXT).as_bytes(), ".vw").batches();
    let features = feature_count(parsed.iter().map(|parsed| &parsed.batch));
    let settings = Settings { expansion: ExpansionKind::Linear, ..Settings::default() };
    let (mut scout, mut taken) = (Learner::new(settings.check().unwrap()).send_scout(), Taken::default());
    bencher.counter(ItemsCount::new(features)).bench_local(|| {
        parsed.iter().for_each(|parsed| scout.take(&parsed.batch, &mut taken));
    });
}

/// Base features to rows of products; counted are the products.
#[divan::bench(args = EXPANDED)]
fn expand(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let mut phases = Trained::new(shape, expansion, COURSE).phases(examples_at_hand(shape));
    bencher.counter(ItemsCount::new(phases.features())).bench_local(|| phases.expand());
}

/// Rows to a prediction.
#[divan::bench(args = MODELS)]
fn score(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let mut phases = Trained::new(shape, expansion, COURSE).phases(examples_at_hand(shape));
    bencher.counter(ItemsCount::new(phases.weights())).bench_local(|| phases.score());
}

/// Rows to a prediction, and weights moved: an update needs what scoring has gathered.
#[divan::bench(args = MODELS)]
fn score_and_update(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let mut phases = Trained::new(shape, expansion, COURSE).phases(examples_at_hand(shape));
    bencher.counter(ItemsCount::new(phases.weights())).bench_local(|| phases.score_and_update());
}

/// All weights to those that become parents; counted are the weights.
#[divan::bench(args = GROWN, sample_count = 20)]
fn select(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let mut phases = Trained::new(shape, expansion, COURSE).phases(1);
    let (linear, products) = phases.model().weight_counts();
    bencher.counter(ItemsCount::new(linear + products)).bench_local(|| phases.select(black_box(64)));
}

/// A model to bytes.
#[divan::bench(args = GROWN, sample_count = 20)]
fn save(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let model = Trained::new(shape, expansion, COURSE).model;
    bencher.counter(BytesCount::new(model.to_bytes().len())).bench_local(|| model.to_bytes());
}

/// Bytes to a model.
#[divan::bench(args = GROWN, sample_count = 20)]
fn load(bencher: Bencher, (shape, expansion): (Shape, ExpansionKind)) {
    let bytes = Trained::new(shape, expansion, COURSE).model.to_bytes();
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| Model::from_bytes(&bytes).unwrap());
}
