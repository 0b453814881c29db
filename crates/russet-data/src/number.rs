//! Decimal numbers to f32, correctly rounded: by hand for the common form, by the standard library for the rest.

use std::ops::Range;

/// `10^-n`, each rounded to the nearest double.
const INVERSE_POWERS: [f64; 20] = [
    1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17,
    1e-18, 1e-19,
];

/// The number that `bytes` begins with, and how many bytes it takes. Not a number at all: `None`. Infinities
/// and "nan" are not numbers here; a number too large for f32 comes out as infinite.
#[inline]
pub(crate) fn parse(bytes: &[u8]) -> Option<(f32, usize)> {
    common_form(bytes).or_else(|| parse_slowly(bytes))
}

/// As [`parse`], but a number too large for f32 is none.
#[inline(always)]
pub(crate) fn parse_finite(bytes: &[u8]) -> Option<(f32, usize)> {
    common_form(bytes).or_else(|| parse_slowly(bytes).filter(|(value, _)| value.is_finite()))
}

/// The number that `bytes` is, as a whole.
pub(crate) fn parse_whole(bytes: &[u8]) -> Option<f32> {
    parse(bytes).filter(|(_, length)| *length == bytes.len()).map(|(value, _)| value)
}

/// True for what is meant as a number, be it infinite.
pub(crate) fn is_meant_as_number(bytes: &[u8]) -> bool {
    let unsigned = bytes.strip_prefix(b"-").or(bytes.strip_prefix(b"+")).unwrap_or(bytes);
    let infinite = unsigned.eq_ignore_ascii_case(b"inf") || unsigned.eq_ignore_ascii_case(b"infinity");
    infinite || parse_whole(bytes).is_some()
}

/// Digits with an optional point, up to 2^53 without it; nothing else is in the common form.
#[inline(always)]
fn common_form(bytes: &[u8]) -> Option<(f32, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative || bytes.first() == Some(&b'+'));
    let start = at;
    let mut mantissa = 0u64;
    while let Some(digit) = digit(bytes, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut digits = at - start;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let point = at;
        if let Some(eight) = bytes[at..].first_chunk() {
            let (value, count) = leading_digits(u64::from_le_bytes(*eight));
            mantissa = mantissa.wrapping_mul(WHOLE_POWERS[count]).wrapping_add(value);
            at += count;
        }
        while let Some(digit) = digit(bytes, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        fraction = at - point;
        digits += fraction;
    }
    let exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if digits == 0 || digits > 19 || mantissa >= 1 << 53 || exponent {
        return None;
    }
    rounded(negative, mantissa, fraction).map(|value| (value, at))
}

/// The number whose digits write `mantissa`, `fraction` of them after the point; `None` if another way has to find it.
///
/// As a whole number below 2^53 times a rounded power of ten it is right to 2 units in the last place of a double. Rounding
/// to f32 can then only go wrong if the double is that close to the middle between two f32: such numbers,
/// one in a hundred million, are left to the standard library.
#[inline(always)]
pub(crate) fn rounded(negative: bool, mantissa: u64, fraction: usize) -> Option<f32> {
    debug_assert!(mantissa < 1 << 53);
    let value = mantissa as i64 as f64 * INVERSE_POWERS[fraction];
    let beyond_f32 = value.to_bits() as u32 & 0x1fff_ffff;
    if beyond_f32.wrapping_sub(0x1000_0000 - 2) <= 4 {
        return None;
    }
    let sign = u32::from(negative) << 31;
    Some(f32::from_bits((value as f32).to_bits() | sign))
}

/// `10^n`.
pub(crate) const WHOLE_POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number that the digits at the start of eight bytes write, and how many digits there are.
///
/// All eight at once: the first byte that is no digit is found by a carry into its top bit; the digits are
/// moved to the end, as if zeros stood before them; then neighbours are joined to pairs, fours and eight.
#[inline(always)]
fn leading_digits(eight: u64) -> (u64, usize) {
    let digits = eight ^ 0x3030_3030_3030_3030;
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    (joined(digits << (64 - 8 * count)), count)
}

/// The number that eight digits write, each a byte, the first byte lowest.
#[inline(always)]
fn joined(aligned: u64) -> u64 {
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

/// The number that the first `length` of eight bytes write, which are digits; there is one at least.
#[inline(always)]
pub(crate) fn of_digits(eight: [u8; 8], length: usize) -> u64 {
    debug_assert!((1..=8).contains(&length));
    joined((u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030) << ((64 - 8 * length) & 63))
}

/// As [`of_digits`], of four bytes.
#[inline(always)]
pub(crate) fn of_few_digits(four: [u8; 4], length: usize) -> u32 {
    debug_assert!((1..=4).contains(&length));
    let aligned = (u32::from_le_bytes(four) ^ 0x3030_3030) << ((32 - 8 * length) & 31);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    (pairs & 0x00ff_00ff).wrapping_mul(0x0064_0001) >> 16
}

/// The number that a word of a text is, if it is one and finite.
#[inline(always)]
pub(crate) fn of_word(text: &[u8], word: Range<usize>) -> Option<f32> {
    short(text, &word).or_else(|| {
        let (value, length) = parse_finite(&text[word.start..])?;
        (length == word.len()).then_some(value)
    })
}

/// The same for up to seven digits, or one digit, a point and up to eight digits, where more text follows.
#[inline(always)]
fn short(text: &[u8], word: &Range<usize>) -> Option<f32> {
    let window: &[u8; 16] = text.get(word.start..)?.first_chunk()?;
    let negative = window[0] == b'-';
    let sign = usize::from(negative);
    let length = word.len().wrapping_sub(sign);
    let eight = |start: usize| window[start..].first_chunk().map(|eight| u64::from_le_bytes(*eight));
    if window[1 + sign] == b'.' {
        let first = digit(window, sign)?;
        let (decimals, count) = leading_digits(eight(2 + sign)?);
        let mantissa = first * WHOLE_POWERS[count] + decimals;
        return if count + 2 == length { rounded(negative, mantissa, count) } else { None };
    }
    let (whole, count) = leading_digits(eight(sign)?);
    if count == length && (1..8).contains(&count) { rounded(negative, whole, 0) } else { None }
}

/// The whole number that the digits from `start` on write, modulo 2^64, and where they end.
#[inline(always)]
pub(crate) fn whole(bytes: &[u8], start: usize) -> (u64, usize) {
    let (mut number, mut at) = (0u64, start);
    if let Some(eight) = bytes[start..].first_chunk() {
        let (value, count) = leading_digits(u64::from_le_bytes(*eight));
        if count < 8 {
            return (value, start + count);
        }
        (number, at) = (value, start + 8);
    }
    while let Some(digit) = digit(bytes, at) {
        number = number.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    (number, at)
}

#[inline(always)]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cold]
fn parse_slowly(bytes: &[u8]) -> Option<(f32, usize)> {
    let numeric = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    let longest = bytes.iter().take_while(|byte| numeric(byte)).count();
    let text = std::str::from_utf8(&bytes[..longest]).ok()?;
    let value = text.parse().ok()?;
    Some((value, longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms() {
        assert_eq!(parse(b"1.5 x"), Some((1.5, 3)));
        assert_eq!(parse(b"-.5:"), Some((-0.5, 3)));
        assert_eq!(parse(b"+3"), Some((3.0, 2)));
        assert_eq!(parse(b"7."), Some((7.0, 2)));
        assert_eq!(parse(b"2e-3|"), Some((0.002, 4)));
        assert_eq!(parse(b"1e999"), Some((f32::INFINITY, 5)));
        for not in ["", "-", ".", "nan", "inf", "x", "-x", "e5"] {
            assert_eq!(parse(not.as_bytes()), None, "{not}");
        }
        assert_eq!(parse_whole(b"1.5x"), None);
        assert_eq!(parse_whole(b"1e"), None);
        assert_eq!(parse_whole(b"1-2"), None);
        assert_eq!(parse(b"0.12345678901"), Some((0.123_456_79, 13)));
        assert_eq!(parse(b"0.\xff12345678"), Some((0.0, 2)));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "-?[0-9]{1,12}(\\.[0-9]{0,12})?(e-?[0-9]{1,2})?") {
            let expected: f32 = text.parse().unwrap();
            let (found, length) = parse(text.as_bytes()).unwrap();
            prop_assert_eq!(found.to_bits(), expected.to_bits());
            prop_assert_eq!(length, text.len());
        }

        #[test]
        fn agrees_on_every_float(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let text = format!("{value}");
                prop_assert_eq!(parse_whole(text.as_bytes()).map(f32::to_bits), Some(value.to_bits()));
            }
        }

        #[test]
        fn agrees_in_the_middle_between_two_floats(bits in 0x3000_0000u32..0x5000_0000) {
            let (low, high) = (f64::from(f32::from_bits(bits)), f64::from(f32::from_bits(bits + 1)));
            let text = format!("{}", (low + high) / 2.0);
            let expected: f32 = text.parse().unwrap();
            prop_assert_eq!(parse_whole(text.as_bytes()).map(f32::to_bits), Some(expected.to_bits()));
        }
    }
}
