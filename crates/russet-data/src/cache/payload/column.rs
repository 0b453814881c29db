//! Columns of what examples have besides features: whole numbers, and numbers in single precision.
//!
//! ```text
//! whole numbers: 1 width; if it is 0, 8 the number that all are; otherwise each in that many bytes (1, 2, 4 or 8)
//! numbers:       1 how many different ones there are, if one or two, otherwise 0; these, 4 each; of two, a bit for each example that
//!                says which, in whole bytes; of more, 4 for each example instead
//! ```

use super::input::Input;

/// A column of whole numbers where it lies.
pub(super) enum Wholes<'a> {
    Same(u64),
    Bytes(&'a [[u8; 1]]),
    Twos(&'a [[u8; 2]]),
    Fours(&'a [[u8; 4]]),
    Eights(&'a [[u8; 8]]),
}

impl<'a> Wholes<'a> {
    pub(super) fn read(input: &mut Input<'a>, count: usize) -> Option<Wholes<'a>> {
        Some(match input.array()? {
            [0] => Wholes::Same(input.u64()?),
            [1] => Wholes::Bytes(input.chunks(count)?),
            [2] => Wholes::Twos(input.chunks(count)?),
            [4] => Wholes::Fours(input.chunks(count)?),
            [8] => Wholes::Eights(input.chunks(count)?),
            _ => return None,
        })
    }

    /// True if each of them takes a byte at least.
    pub(super) fn are_written_out(&self) -> bool {
        !matches!(self, Wholes::Same(_))
    }

    /// All `count` of them.
    pub(super) fn to_vec(&self, count: usize) -> Vec<u64> {
        match self {
            Wholes::Same(number) => vec![*number; count],
            Wholes::Bytes(column) => column.iter().map(|[byte]| u64::from(*byte)).collect(),
            Wholes::Twos(column) => column.iter().map(|two| u64::from(u16::from_le_bytes(*two))).collect(),
            Wholes::Fours(column) => column.iter().map(|four| u64::from(u32::from_le_bytes(*four))).collect(),
            Wholes::Eights(column) => column.iter().map(|eight| u64::from_le_bytes(*eight)).collect(),
        }
    }

    /// The sum of all `count` of them; none if they are more than any batch has.
    pub(super) fn sum(&self, count: usize) -> Option<usize> {
        let sum = match self {
            Wholes::Same(number) => number.checked_mul(count as u64)?,
            Wholes::Bytes(column) => column.iter().map(|[byte]| u64::from(*byte)).sum(),
            Wholes::Twos(column) => column.iter().map(|two| u64::from(u16::from_le_bytes(*two))).sum(),
            Wholes::Fours(column) => column.iter().map(|four| u64::from(u32::from_le_bytes(*four))).sum(),
            Wholes::Eights(_) => return None,
        };
        u32::try_from(sum).ok().map(|sum| sum as usize)
    }
}

/// Writes what [`Wholes::read`] reads; `least` is the least width to be used.
pub(super) fn write_wholes(column: &[u64], least: usize, out: &mut Vec<u8>) {
    let (first, largest) = (column.first().copied().unwrap_or(0), column.iter().copied().max().unwrap_or(0));
    let width = match largest {
        _ if least == 0 && column.iter().all(|number| *number == first) => 0,
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    };
    out.push(width);
    if width == 0 {
        out.extend_from_slice(&first.to_le_bytes());
    } else {
        column.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()[..width.into()]));
    }
}

/// Reads a column of `count` numbers.
pub(super) fn read_numbers(input: &mut Input<'_>, count: usize) -> Option<Vec<f32>> {
    let number = |input: &mut Input<'_>| input.array().map(f32::from_le_bytes);
    Some(match input.array()? {
        [0] => input.chunks(count)?.iter().map(|four| f32::from_le_bytes(*four)).collect(),
        [1] => vec![number(input)?; count],
        [2] => {
            let two = [number(input)?, number(input)?];
            one_of_two(two, input.slice(count.div_ceil(8))?, count)
        }
        _ => return None,
    })
}

/// For each bit, the number that it stands for; without a branch, as labels come in any order.
fn one_of_two(two: [f32; 2], bits: &[u8], count: usize) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(8 * bits.len());
    for bits in bits {
        numbers.extend(std::array::from_fn::<f32, 8, _>(|place| two[usize::from(bits >> place & 1)]));
    }
    numbers.truncate(count);
    numbers
}

/// Writes what [`read_numbers`] reads.
pub(super) fn write_numbers(column: &[f32], out: &mut Vec<u8>) {
    // By their bits, as what stands for no number is not equal to itself.
    let first = column.first().copied().unwrap_or(0.0);
    let is_first = |number: &f32| number.to_bits() == first.to_bits();
    let Some(second) = column.iter().copied().find(|number| !is_first(number)) else {
        out.push(1);
        return out.extend_from_slice(&first.to_le_bytes());
    };
    let is_second = |number: &f32| number.to_bits() == second.to_bits();
    if column.iter().all(|number| is_first(number) || is_second(number)) {
        out.push(2);
        out.extend_from_slice(&first.to_le_bytes());
        out.extend_from_slice(&second.to_le_bytes());
        let bits =
            |eight: &[f32]| (0..).zip(eight).fold(0, |bits, (place, it)| bits | u8::from(is_second(it)) << place);
        out.extend(column.chunks(8).map(bits));
    } else {
        out.push(0);
        column.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    }
}
