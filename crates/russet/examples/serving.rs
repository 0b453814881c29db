//! What a model costs where it is used: how long it takes to load, and to make one prediction. Prints one JSON object.
//!
//! `cargo run --release -p russet --example serving [FOLDER]`; models are written to FOLDER (by default the system's temporary
//! one), read back, and removed. `bench/run` calls it.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use russet::batch::{Batch, Dictionary, Label};
use russet::feature::Namespace;
use russet::settings::{ExpansionKind, Settings};
use russet::{Learner, Model};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

const FEATURES: usize = 30;
/// Of five growths the first makes all 30 features parents, each of the others 43: floor(31^1.0955).
const ALPHA: f32 = 1.0955;
const TRAINING: usize = 30_000;
/// Predictions go round these, so that no example is predicted twice in a row.
const EXAMPLES: usize = 1024;
const ROUNDS: usize = 101;
const PREDICTIONS: usize = 2000;

const MILLION: usize = 1_000_000;
/// Loads in a row, of which the processor time is taken together: the system tells it in ticks of 10 ms.
const LOADS: usize = 25;
const LOAD_ROUNDS: usize = 6;
/// So many MiB have room for a million weights.
const MEMORY: u32 = 49;

fn main() -> Outcome<()> {
    let folder = env::args().nth(1).map_or_else(env::temp_dir, PathBuf::from);
    let report = json!({
        "prediction": prediction()?,
        "load_linear": load(&linear_model()?, &folder)?,
        "load_apple": load(&apple_model()?, &folder)?,
    });
    writeln!(io::stdout(), "{report}")?;
    Ok(())
}

/// Random numbers that are the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1, never 0.
    fn number(&mut self) -> f32 {
        ((self.bits() >> 40) + 1) as f32 / (1 << 24) as f32
    }
}

/// An example as a service has it: values in the order of the names.
type Values = [f32; FEATURES];

/// Turns values into a batch of one example.
struct Maker {
    names: Vec<String>,
    dictionary: Dictionary,
    batch: Batch,
}

impl Maker {
    fn new() -> Maker {
        let names = (0..FEATURES).map(|number| format!("feature_{number}")).collect();
        Maker { names, dictionary: Dictionary::default(), batch: Batch::default() }
    }

    fn make(&mut self, values: &Values, label: Label) -> &Batch {
        self.batch.start(&mut self.dictionary);
        for (name, &value) in self.names.iter().zip(values) {
            self.batch.push_named(&mut self.dictionary, Namespace::ANONYMOUS, name, value);
        }
        self.batch.end_example(label, b"", 1);
        &self.batch
    }
}

/// The time of one prediction by a model of 30 features and 200 parents, in microseconds: from names and values, as a
/// service has them, and for an example that lies in a batch already.
fn prediction() -> Outcome<Value> {
    let mut random = Random(1);
    let model = model_of_products(&mut random)?;
    let (parents, share) = (model.parents().unwrap_or(0), model.adaptive_share());
    if parents < 200 || share == 0.0 {
        return Err(format!("the model has {parents} parents, and products a share of {share}").into());
    }
    let examples: Vec<Values> = (0..EXAMPLES).map(|_| values(&mut random)).collect();
    let (from_values, alone) = (times_from_values(&model, &examples), times_alone(&model, &examples));
    Ok(json!({
        "features": FEATURES, "parents": parents, "products": model.weight_counts().1,
        "predictions": ROUNDS * PREDICTIONS, "from_values_us": summary(from_values), "alone_us": summary(alone),
    }))
}

fn values(random: &mut Random) -> Values {
    std::array::from_fn(|_| random.number())
}

/// Learns what no linear model can, so that products have a say.
fn model_of_products(random: &mut Random) -> Outcome<Model> {
    let mut learner = Learner::new(Settings { alpha: ALPHA, ..Settings::default() }.check()?);
    learner.set_course_length(TRAINING as u64);
    let mut maker = Maker::new();
    for _ in 0..TRAINING {
        let values = values(random);
        let truth = (values[0] - 0.5) * (values[1] - 0.5) - (values[2] - 0.5) * (values[3] - 0.5) + 0.1 * values[4];
        learner.learn(maker.make(&values, Label::new(4.0 * truth)))?;
    }
    Ok(learner.into_model())
}

fn times_from_values(model: &Model, examples: &[Values]) -> Vec<f64> {
    let (mut predictor, mut maker) = (model.predictor(), Maker::new());
    rounds(examples.len(), |place| {
        let batch = maker.make(&examples[place], Label::unknown());
        predictor.begin(batch);
        predictor.predict(batch, &batch.example(0)).value
    })
}

fn times_alone(model: &Model, examples: &[Values]) -> Vec<f64> {
    let mut maker = Maker::new();
    let batches: Vec<Batch> = examples.iter().map(|values| maker.make(values, Label::unknown()).clone()).collect();
    let mut predictor = model.predictor();
    predictor.begin(&batches[0]);
    rounds(batches.len(), |place| predictor.predict(&batches[place], &batches[place].example(0)).value)
}

/// For each round the microseconds that one prediction took on average.
fn rounds(examples: usize, mut predict: impl FnMut(usize) -> f32) -> Vec<f64> {
    let mut times = Vec::with_capacity(ROUNDS);
    let mut sum = 0.0;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for number in 0..PREDICTIONS {
            sum += predict(number % examples);
        }
        times.push(began.elapsed().as_secs_f64() * 1e6 / PREDICTIONS as f64);
    }
    std::hint::black_box(sum);
    times
}

fn summary(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    json!({ "best": times[0], "median": times[times.len() / 2] })
}

/// A linear model of a million features, each with its name.
fn linear_model() -> Outcome<Model> {
    let settings = Settings { expansion: ExpansionKind::Linear, bits: 20, ..Settings::default() };
    let mut learner = Learner::new(settings.check()?);
    let (mut dictionary, mut batch, mut random) = (Dictionary::default(), Batch::default(), Random(2));
    for first in (0..MILLION).step_by(100) {
        batch.start(&mut dictionary);
        for number in first..first + 100 {
            let name = format!("word_{number}");
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &name, random.number());
        }
        batch.end_example(Label::new(random.number()), b"", 1);
        learner.learn(&batch)?;
    }
    Ok(learner.into_model())
}

/// A model that has grown until features and products together have a million weights: wide sparse data, few words frequent.
fn apple_model() -> Outcome<Model> {
    let mut learner = Learner::new(Settings { memory: MEMORY, ..Settings::default() }.check()?);
    learner.set_course_length(TRAINING as u64);
    let (mut dictionary, mut batch, mut random) = (Dictionary::default(), Batch::default(), Random(3));
    for _ in 0..TRAINING {
        batch.start(&mut dictionary);
        for _ in 0..100 {
            let number = (100_000.0 * random.number().powi(3)) as u32;
            batch.push_named(&mut dictionary, Namespace::ANONYMOUS, &format!("word_{number}"), 1.0);
        }
        batch.end_example(Label::new(random.number().round()), b"", 1);
        learner.learn(&batch)?;
    }
    Ok(learner.into_model())
}

/// The milliseconds it takes to load a model from a file that the system has in its memory.
fn load(model: &Model, folder: &Path) -> Outcome<Value> {
    let path = folder.join(format!("serving-{}.model", std::process::id()));
    fs::write(&path, model.to_bytes())?;
    let mut times = Vec::with_capacity(LOADS * LOAD_ROUNDS);
    let mut spent = Vec::with_capacity(LOAD_ROUNDS);
    for _ in 0..LOAD_ROUNDS {
        let before = processor_ms();
        load_often(&path, &mut times)?;
        spent.extend(processor_ms().zip(before).map(|(after, before)| (after - before) / LOADS as f64));
    }
    let bytes = fs::metadata(&path)?.len();
    fs::remove_file(&path)?;
    let (linear, products) = model.weight_counts();
    Ok(
        json!({ "weights": linear + products, "features": linear, "bytes": bytes, "load_ms": summary(times), "processor_ms": spent.into_iter().reduce(f64::min) }),
    )
}

/// The processor time of all threads of this process so far, where the system tells it in this way: in ticks of 10 ms.
fn processor_ms() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/stat").ok()?;
    // After the program's name, which may have spaces, user and system time are the 12th and the 13th.
    let mut fields = status.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some(10.0 * (ticks()? + ticks()?))
}

fn load_often(path: &Path, times: &mut Vec<f64>) -> Outcome<()> {
    for _ in 0..LOADS {
        let began = Instant::now();
        let model = Model::load(path)?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        drop(model);
    }
    Ok(())
}
