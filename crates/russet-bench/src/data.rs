//! Texts to measure with, made from a fixed seed.

use std::fmt::Write;

/// What the examples of a text are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 30 numbers of six digits, as in `numeric30` of `bench/speed`.
    Dense,
    /// Ten numbers and two of 44 categories, as in covtype.
    Mixed,
    /// About 80 of 60,000 words, common and rare, as in text.
    Sparse,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 3] = [Shape::Dense, Shape::Mixed, Shape::Sparse];

    /// Examples in VW text, of at least `bytes` bytes.
    pub fn text(self, bytes: usize) -> String {
        let (mut numbers, mut text) = (Numbers(1), String::new());
        while text.len() < bytes {
            match self {
                Shape::Dense => dense(&mut numbers, &mut text),
                Shape::Mixed => mixed(&mut numbers, &mut text),
                Shape::Sparse => sparse(&mut numbers, &mut text),
            }
            text.push('\n');
        }
        text
    }
}

/// Numbers that only look like chance: splitmix64.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// The next one.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `limit`, each as often.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.unit() * f64::from(limit)) as u32
    }

    /// From 1 to `words`, each in inverse proportion to it (Zipf's law).
    fn word(&mut self, words: u32) -> u32 {
        f64::from(words).powf(self.unit()) as u32
    }
}

fn dense(numbers: &mut Numbers, text: &mut String) {
    let values: Vec<f64> = (0..30).map(|_| numbers.unit()).collect();
    let score = values[0] - 0.5 + 8.0 * (values[3] - 0.5) * (values[4] - 0.5) + (numbers.unit() - 0.5);
    write!(text, "{} |", if score > 0.0 { 1 } else { -1 }).unwrap();
    for (place, value) in (1..).zip(&values) {
        write!(text, " {place}:{value:.6}").unwrap();
    }
}

fn mixed(numbers: &mut Numbers, text: &mut String) {
    let values: Vec<f64> = (0..10).map(|_| numbers.unit()).collect();
    let (soil, area) = (numbers.below(40), numbers.below(4));
    let score = values[0] - 0.5 + f64::from(soil % 7) / 7.0 * (values[1] - 0.5);
    write!(text, "{} |", if score > 0.0 { 1 } else { -1 }).unwrap();
    for (place, value) in (1..).zip(&values) {
        write!(text, " {place}:{value:.3}").unwrap();
    }
    write!(text, " soil{soil} area{area}").unwrap();
}

fn sparse(numbers: &mut Numbers, text: &mut String) {
    let mut words: Vec<u32> = (0..100).map(|_| numbers.word(60_000)).collect();
    words.sort_unstable();
    words.dedup();
    let positive = words.iter().filter(|word| **word % 3 == 0).count() * 3 > words.len();
    write!(text, "{} |t", if positive { 1 } else { -1 }).unwrap();
    for word in words {
        write!(text, " w{word}:{}", 1 + numbers.below(3)).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_always_the_same() {
        for shape in Shape::ALL {
            let text = shape.text(10_000);
            assert!(text.len() >= 10_000 && text.ends_with('\n'));
            assert_eq!(text, shape.text(10_000));
        }
    }

    #[test]
    fn sparse_examples_have_some_80_words() {
        let text = Shape::Sparse.text(100_000);
        let words = text.matches(':').count() / text.lines().count();
        assert!((60..100).contains(&words), "{words}");
    }
}
