//! What the machine can do at most: loops that do only what a phase cannot do without.

// AVX2 is called for where the processor has it; there is no safe way to.
#![allow(unsafe_code)]

use std::hint::black_box;

use crate::data::Numbers;

/// Looks at every byte once: how many lines there are.
pub fn count_lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// Numbers from 0 to 1 with six decimals, a space after each, of at least `bytes` bytes; [`sum_decimals`] needs the zeros at the end.
pub fn decimals(bytes: usize) -> Vec<u8> {
    let (mut numbers, mut text) = (Numbers(1), String::new());
    while text.len() < bytes {
        text.push_str(&format!("{:.6} ", numbers.unit()));
    }
    text.push_str("\0\0\0\0\0\0\0\0");
    text.into_bytes()
}

/// Reads decimals such as `12.5`, and nothing else: no sign, no exponent, no error, no care for the last bit.
pub fn sum_decimals(text: &[u8]) -> f32 {
    const SHARES: [f32; 9] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
    let (mut place, mut sum) = (0, 0.0);
    while text[place] != 0 {
        let mut whole = 0_u32;
        while text[place].is_ascii_digit() {
            whole = whole * 10 + u32::from(text[place] - b'0');
            place += 1;
        }
        let (fraction, digits) = leading_digits(text[place + 1..place + 9].try_into().unwrap());
        sum += whole as f32 + fraction as f32 * SHARES[digits];
        // The point before them and the space after.
        place += digits + 2;
    }
    sum
}

/// The number that up to eight digits at the start are, and how many there are; at least one.
fn leading_digits(bytes: [u8; 8]) -> (u32, usize) {
    let values = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // The highest bit of each byte that is no digit.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let digits = (others.trailing_zeros() / 8) as usize;
    // Those before become leading zeros; then neighbours join: 8 x 1 digit, 4 x 2, 2 x 4, 1 x 8.
    let ones = values << (64 - 8 * digits);
    let twos = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    (eight as u32, digits)
}

/// The same by the standard library.
pub fn sum_decimals_standard(text: &[u8]) -> f32 {
    let text = std::str::from_utf8(text).unwrap().trim_end_matches('\0');
    text.split_ascii_whitespace().map(|number| number.parse::<f32>().unwrap()).sum()
}

/// A table of numbers, and where to look in it.
pub struct Gathers {
    table: Vec<f32>,
    places: Vec<u32>,
}

impl Gathers {
    /// A table of some MiB, a power of two, to be looked at in `count` places.
    pub fn new(mebibytes: usize, count: usize) -> Gathers {
        let (length, mut numbers) = (mebibytes << 18, Numbers(1));
        let places = (0..count).map(|_| numbers.below(length as u32)).collect();
        Gathers { table: vec![1.0; length], places }
    }

    /// The sum of what is there, eight sums at a time.
    pub fn sum(&self) -> f32 {
        let (table, last, mut sums) = (&self.table[..], self.table.len() - 1, [0.0; 8]);
        for places in self.places.chunks_exact(8) {
            for (sum, place) in sums.iter_mut().zip(places) {
                *sum += table[*place as usize & last];
            }
        }
        sums.iter().sum()
    }
}

/// How many numbers a round of the loops below takes.
pub const ROUND: usize = 96;

/// Multiplies and adds, `ROUND` numbers a round.
pub fn multiply_and_add(rounds: usize) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if wide::is_available() {
        // SAFETY: that is what was asked.
        return unsafe { wide::multiply_and_add(rounds) };
    }
    let (factor, mut sums) = (black_box(0.5), [1.0; ROUND]);
    for _ in 0..rounds {
        sums.iter_mut().for_each(|sum| *sum = *sum * factor + factor);
    }
    sums.iter().sum()
}

/// Divides by roots, `ROUND` numbers a round.
pub fn divide_by_roots(rounds: usize) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if wide::is_available() {
        // SAFETY: that is what was asked.
        return unsafe { wide::divide_by_roots(rounds) };
    }
    let (number, mut sums) = (black_box(2.0_f32), [1.0_f32; ROUND]);
    for _ in 0..rounds {
        sums.iter_mut().for_each(|sum| *sum = number / sum.sqrt());
    }
    sums.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256, _mm256_add_ps, _mm256_cvtss_f32, _mm256_div_ps, _mm256_fmadd_ps, _mm256_set1_ps, _mm256_sqrt_ps,
    };
    use std::hint::black_box;

    /// As many sums of eight as hide how long an instruction takes.
    const SUMS: usize = super::ROUND / 8;

    pub(super) fn is_available() -> bool {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn multiply_and_add(rounds: usize) -> f32 {
        let half = _mm256_set1_ps(black_box(0.5));
        let mut sums = [half; SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, half, half);
            }
        }
        first(sums)
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn divide_by_roots(rounds: usize) -> f32 {
        let number = _mm256_set1_ps(black_box(2.0));
        let mut sums = [number; SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_div_ps(number, _mm256_sqrt_ps(*sum));
            }
        }
        first(sums)
    }

    #[target_feature(enable = "avx2,fma")]
    fn first(sums: [__m256; SUMS]) -> f32 {
        _mm256_cvtss_f32(sums.into_iter().fold(_mm256_set1_ps(0.0), |total, sum| _mm256_add_ps(total, sum)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_as_the_standard_library_reads_them() {
        let text = decimals(10_000);
        let (ours, standard) = (sum_decimals(&text), sum_decimals_standard(&text));
        assert!((ours - standard).abs() < 1e-3 * standard, "{ours} {standard}");
        assert!((sum_decimals(b"12.5 0.25 3.12345678 \0\0\0\0\0\0\0\0") - 15.873_457).abs() < 1e-5);
    }

    #[test]
    fn loops_do_what_they_say() {
        assert_eq!(count_lines(b"a\nb\n\n"), 3);
        assert_eq!(Gathers::new(1, 800).sum(), 800.0);
        // Every sum comes to 1; with AVX2, the first of each eight are added up.
        assert!([ROUND as f32, ROUND as f32 / 8.0].contains(&multiply_and_add(100)));
        assert!(divide_by_roots(100) > 0.0);
    }
}
