//! What fraction of the machine's limit each phase reaches, as Markdown tables: `bench/limits`, or `bench/limits 9` for nine rounds.
//!
//! Everything is measured by turns, in this one process and with one thread; the fastest round counts.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use russet::batch::{Batch, Dictionary};
use russet::feature::Namespace;
use russet::settings::{ExpansionKind, Settings};
use russet::weights::{Row, Slot};
use russet::{Learner, Model, Taken};
use russet_bench::data::Shape;
use russet_bench::limits::{self, Gathers, ROUND};
use russet_bench::work::{File, Trained, examples_at_hand, feature_count};

const TEXT: usize = 4 << 20;

/// Something that is timed: a limit or a phase.
struct Timed {
    name: &'static str,
    unit: Unit,
    /// How much of the unit one run does.
    amount: usize,
    run: Box<dyn FnMut()>,
    /// The fastest run so far.
    seconds: f64,
}

/// What is counted.
#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Things(&'static str),
}

/// A phase beside the limit that binds it, by name.
struct Phase {
    timed: Timed,
    limit: &'static str,
}

impl Timed {
    fn new<T>(name: &'static str, unit: Unit, amount: usize, mut run: impl FnMut() -> T + 'static) -> Timed {
        let run = Box::new(move || drop(black_box(run())));
        Timed { name, unit, amount, run, seconds: f64::INFINITY }
    }

    /// Runs it for some milliseconds.
    fn time(&mut self) {
        let begun = Instant::now();
        while begun.elapsed().as_millis() < 20 {
            let start = Instant::now();
            (self.run)();
            self.seconds = self.seconds.min(start.elapsed().as_secs_f64());
        }
    }

    fn rate(&self) -> f64 {
        self.amount as f64 / self.seconds
    }

    fn shown(&self) -> String {
        match self.unit {
            Unit::Bytes => format!("{:.2} GB/s", self.rate() / 1e9),
            Unit::Things(things) if self.rate() < 1e10 => format!("{:.0} M {things}/s", self.rate() / 1e6),
            Unit::Things(things) => format!("{:.0} G {things}/s", self.rate() / 1e9),
        }
    }
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(7, |rounds| rounds.parse().unwrap());
    let mut limits = limits();
    let mut phases: Vec<Phase> = [parsing(), features(), loops(), models()].into_iter().flatten().collect();
    measure(&mut limits, &mut phases, rounds);
    println!("{}, one thread, the fastest of {rounds} rounds\n", processor());
    println!("| limit | what is done | |\n|---|---|---|");
    for limit in &limits {
        println!("| {} | {} | {} |", limit.name, about(limit.name), limit.shown());
    }
    println!("\n| phase | ours | the limit that binds it | fraction |\n|---|---|---|---|");
    for Phase { timed, limit } in &phases {
        let limit = limits.iter().find(|known| known.name == *limit).unwrap();
        println!(
            "| {} | {} | {}: {} | {} |",
            timed.name,
            timed.shown(),
            limit.name,
            limit.shown(),
            percent(timed.rate() / limit.rate())
        );
    }
}

fn measure(limits: &mut [Timed], phases: &mut [Phase], rounds: usize) {
    for _ in 0..rounds {
        limits.iter_mut().for_each(Timed::time);
        phases.iter_mut().for_each(|phase| phase.timed.time());
    }
}

/// Two digits of a fraction.
fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if percent < 10.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

fn processor() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known.lines().find_map(|line| line.strip_prefix("model name")).and_then(|line| line.split_once(": "));
    name.map_or("unknown processor", |(_, name)| name).to_owned()
}

/// What the loop of a limit does.
fn about(limit: &str) -> &'static str {
    match limit {
        "newline count" => "every byte is looked at once (memchr, 4 MiB)",
        "float parse" => "digits become numbers, eight at a time; no sign, no exponent, no care for the last bit",
        "float parse, std" => "the same by the standard library, for comparison",
        "gathers, 1 MiB" => "scattered numbers of a table of this size are summed",
        "multiply-adds" => "in registers, 8 numbers at a time (AVX2, fused)",
        "divisions by roots" => "in registers, 8 numbers at a time",
        "copy, 128 KiB" | "copy, 16 MiB" => "memory of this size is copied",
        _ => "the same",
    }
}

fn limits() -> Vec<Timed> {
    let (text, decimals) = (Shape::Dense.text(TEXT).into_bytes(), limits::decimals(TEXT));
    let again = decimals.clone();
    let gathers = |name, mebibytes| {
        let gathers = Gathers::new(mebibytes, 1 << 20);
        Timed::new(name, Unit::Things("gathers"), 1 << 20, move || gathers.sum())
    };
    let copy = |name, bytes| {
        let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
        Timed::new(name, Unit::Bytes, bytes, move || black_box(&mut to).copy_from_slice(black_box(&from)))
    };
    let rounds = 100_000;
    let arithmetic = |name, things, run: fn(usize) -> f32| {
        Timed::new(name, Unit::Things(things), rounds * ROUND, move || run(black_box(rounds)))
    };
    vec![
        Timed::new("newline count", Unit::Bytes, text.len(), move || limits::count_lines(&text)),
        Timed::new("float parse", Unit::Bytes, decimals.len(), move || limits::sum_decimals(&decimals)),
        Timed::new("float parse, std", Unit::Bytes, again.len(), move || limits::sum_decimals_standard(&again)),
        gathers("gathers, 1 MiB", 1),
        gathers("gathers, 4 MiB", 4),
        gathers("gathers, 16 MiB", 16),
        gathers("gathers, 64 MiB", 64),
        arithmetic("multiply-adds", "numbers", limits::multiply_and_add),
        arithmetic("divisions by roots", "numbers", limits::divide_by_roots),
        copy("copy, 128 KiB", 128 << 10),
        copy("copy, 16 MiB", 16 << 20),
    ]
}

fn phase<T>(
    name: &'static str,
    limit: &'static str,
    unit: Unit,
    amount: usize,
    run: impl FnMut() -> T + 'static,
) -> Phase {
    Phase { timed: Timed::new(name, unit, amount, run), limit }
}

/// Bytes to batches.
fn parsing() -> Vec<Phase> {
    let reading = |name, limit, file: File| phase(name, limit, Unit::Bytes, file.bytes, move || file.parse());
    let text = |shape: Shape| File::new(shape.text(TEXT).as_bytes(), ".vw");
    vec![
        // Nearly all bytes are digits of numbers.
        reading("parse text, 30 numbers", "float parse", text(Shape::Dense)),
        // Names have to be told apart, which at the least means to look at each byte.
        reading("parse text, words", "newline count", text(Shape::Sparse)),
        // The numbers are there already.
        reading("read cache, 30 numbers", "copy, 16 MiB", text(Shape::Dense).cache()),
    ]
}

/// Names to slots: each is one look into a table.
fn features() -> Vec<Phase> {
    const NAMES: usize = 60_000;
    let names: Vec<String> = (0..NAMES).map(|name| format!("w{}", name * 7919 % NAMES)).collect();
    let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    batch.start(&mut dictionary);
    let hash = move || {
        for name in &names {
            let id = Namespace::ANONYMOUS.feature(name.as_bytes());
            black_box(dictionary.index(&mut batch, id, |declared| declared.push(name.as_bytes())));
        }
    };
    let parsed = File::new(Shape::Sparse.text(TEXT).as_bytes(), ".vw").batches();
    let count = feature_count(parsed.iter().map(|parsed| &parsed.batch));
    let settings = Settings { expansion: ExpansionKind::Linear, ..Settings::default() };
    let (mut scout, mut taken) = (Learner::new(settings.check().unwrap()).send_scout(), Taken::default());
    let look_up = move || parsed.iter().for_each(|parsed| scout.take(&parsed.batch, &mut taken));
    vec![
        phase("hash and number names, words", "gathers, 1 MiB", Unit::Things("names"), NAMES, hash),
        phase("look slots up, words", "gathers, 1 MiB", Unit::Things("features"), count, look_up),
    ]
}

/// Base features to rows, to predictions, to moved weights.
fn loops() -> Vec<Phase> {
    use ExpansionKind::{Apple, Linear, Quadratic};
    let things = Unit::Things("features");
    let going_through = |shape, expansion| Trained::new(shape, expansion, 4 * TEXT).phases(examples_at_hand(shape));
    let score = |name, limit, shape, expansion| {
        let mut phases = going_through(shape, expansion);
        phase(name, limit, things, phases.weights(), move || phases.score())
    };
    let learn = |name, limit, shape, expansion| {
        let mut phases = going_through(shape, expansion);
        phase(name, limit, things, phases.weights(), move || phases.score_and_update())
    };
    let (mut dense, mut sparse) = (going_through(Shape::Dense, Apple), going_through(Shape::Sparse, Apple));
    let products = sparse.features();
    let written = dense.expand() * size_of::<Row>();
    vec![
        // A row is written for each parent, the products are not.
        phase("expand, apple, 30 numbers", "copy, 128 KiB", Unit::Bytes, written, move || dense.expand()),
        // Each product is one look into the hash table of its parent. All take 16 MiB (--memory), but frequent ones lie together: scattered
        // over all of that, looks would be half as fast as ours are.
        phase("expand, apple, words", "gathers, 4 MiB", Unit::Things("products"), products, move || sparse.expand()),
        // 60,000 weights of 16 bytes lie scattered over 1 MiB.
        score("score, linear, words", "gathers, 1 MiB", Shape::Sparse, Linear),
        score("score, apple, words", "gathers, 4 MiB", Shape::Sparse, Apple),
        // Weights lie side by side and in the cache: what is left is arithmetic.
        score("score, apple, 30 numbers", "multiply-adds", Shape::Dense, Apple),
        learn("score and update, linear, words", "gathers, 1 MiB", Shape::Sparse, Linear),
        learn("score and update, apple, words", "gathers, 4 MiB", Shape::Sparse, Apple),
        // An adaptive step divides by the root of G for each feature.
        learn("score and update, quadratic, 30 numbers", "divisions by roots", Shape::Dense, Quadratic),
        learn("score and update, apple, 30 numbers", "divisions by roots", Shape::Dense, Apple),
    ]
}

/// What is done with all weights at once: they are read, or copied.
fn models() -> Vec<Phase> {
    let trained = Trained::new(Shape::Sparse, ExpansionKind::Apple, 4 * TEXT);
    let (linear, products) = trained.model.weight_counts();
    let (weights, mut phases) = ((linear + products) * size_of::<Slot>(), trained.phases(1));
    let (model, bytes) = (trained.model, phases.model().to_bytes());
    let length = bytes.len();
    vec![
        phase("select, words", "newline count", Unit::Bytes, weights, move || phases.select(80)),
        phase("save, words", "copy, 16 MiB", Unit::Bytes, length, move || model.to_bytes()),
        phase("load, words", "copy, 16 MiB", Unit::Bytes, length, move || Model::from_bytes(&bytes)),
    ]
}
