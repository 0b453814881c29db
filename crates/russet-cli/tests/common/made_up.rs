use std::fmt::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    /// A number from 0 to `below` - 1.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// VW text of two classes: a few of a growing number of features, so that later lines use names of earlier ones.
pub(crate) fn sparse(lines: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for line in 0..lines {
        let mut features: Vec<u64> = (0..6).map(|_| dice.roll(20 + line / 100)).collect();
        features.sort_unstable();
        features.dedup();
        let score: i64 = features.iter().map(|feature| (feature % 7) as i64 - 3).sum();
        let _ = write!(text, "{} |", if score + dice.roll(5) as i64 > 1 { 1 } else { -1 });
        for feature in features {
            let _ = match dice.roll(2) {
                0 => write!(text, " f{feature}"),
                _ => write!(text, " f{feature}:0.{:03}", 1 + dice.roll(999)),
            };
        }
        text.push('\n');
    }
    text
}

/// VW text of two classes with so many features that they are looked up in a thread of their own; half are called by numbers.
pub(crate) fn wide(lines: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for _ in 0..lines {
        let common = dice.roll(4);
        let _ = write!(text, "{} | c{common}", if common + dice.roll(3) > 2 { 1 } else { -1 });
        for _ in 0..8 {
            let _ = match dice.roll(2) {
                0 => write!(text, " {}", dice.roll(12_000)),
                _ => write!(text, " f{}:0.{:03}", dice.roll(12_000), 1 + dice.roll(999)),
            };
        }
        text.push('\n');
    }
    text
}

/// VW text whose labels are numbers.
pub(crate) fn regression(lines: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for _ in 0..lines {
        let values: Vec<f64> = (0..8).map(|_| (1 + dice.roll(999)) as f64 / 1000.0).collect();
        let label = 3.0 * values[0] - 2.0 * values[3] + values[1] * values[2] + dice.roll(100) as f64 / 500.0;
        let _ = write!(text, "{label:.3} |");
        for (place, value) in values.iter().enumerate() {
            let _ = write!(text, " {place}:{value}");
        }
        text.push('\n');
    }
    text
}

/// A table with a column of names, two of numbers, and a label of two names.
pub(crate) fn tabular(rows: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = "colour,size,age,bought\n".to_owned();
    for _ in 0..rows {
        let (colour, size, age) = (dice.roll(5), dice.roll(100), dice.roll(80));
        let bought = if colour * 20 + size + dice.roll(30) > 90 { "yes" } else { "no" };
        let colour = ["red", "green", "blue", "\"light, blue\"", "grey"][colour as usize];
        let _ = writeln!(text, "{colour},{size},{age},{bought}");
    }
    text
}

pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut encoder, bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::encode_all(bytes.as_ref(), 3).unwrap()
}
