//! Eight numbers that are worked on together: what a tile's loops are written in. The compiler finds such loops, too, but goes four
//! at a time, or one, where it thinks little of them.

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(test)]
mod tests;

use std::ops::{Add, Div, Mul, Sub};

use super::tile::TILE;
use super::{SMALLEST, at_least, at_most, sum};

#[cfg(target_arch = "x86_64")]
pub(super) use avx::{Avx, Together};

/// Eight numbers. Each operation gives the same bits in every version.
pub(crate) trait Eight:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Eight times the same.
    fn all(value: f32) -> Self;

    fn load(values: &[f32; TILE]) -> Self;

    /// Up to eight, filled up with zeros.
    fn load_some(values: &[f32]) -> Self;

    /// One number and, behind it, up to seven others, filled up with zeros.
    fn load_behind(first: f32, values: &[f32]) -> Self;

    fn store(self, place: &mut [f32; TILE]);

    fn sqrt(self) -> Self;

    /// Of each pair the smaller; that of `limit` for "not a number".
    fn at_most(self, limit: Self) -> Self;

    /// Of each pair the larger; that of `limit` for "not a number".
    fn at_least(self, limit: Self) -> Self;

    /// True if the magnitude of one is larger than its limit.
    fn passes(self, limit: Self) -> bool;

    /// Values whose squares are normal numbers; 0 stays 0.
    fn lift(self) -> Self;

    /// The sum, in the order of [`sum`].
    fn sum(self) -> f32;

    /// Places, of which there is one at least, filled up with the last one.
    fn fill_up(places: &[u32]) -> [u32; TILE];

    /// Up to eight places, filled up with 0.
    fn some_places(places: &[u32]) -> [u32; TILE];

    /// The place 0 and, behind it, up to seven others, filled up with 0.
    fn places_behind(places: &[u32]) -> [u32; TILE];

    /// Eight columns of four numbers as four rows of eight.
    fn rows(columns: [&[f32; 4]; TILE]) -> [Self; 4];

    /// The other way round.
    fn columns(rows: [Self; 4]) -> [[f32; 4]; TILE];

    #[inline(always)]
    fn zero() -> Self {
        Self::all(0.0)
    }

    /// Finite values.
    #[inline(always)]
    fn bounded(self) -> Self {
        self.at_most(Self::all(f32::MAX)).at_least(Self::all(-f32::MAX))
    }
}

/// With what every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Portable(pub(super) [f32; TILE]);

impl Portable {
    #[inline(always)]
    fn with(self, other: Portable, operation: impl Fn(f32, f32) -> f32) -> Portable {
        let Portable(mut values) = self;
        for (value, other) in values.iter_mut().zip(other.0) {
            *value = operation(*value, other);
        }
        Portable(values)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl $name for Portable {
            type Output = Portable;

            #[inline(always)]
            fn $method(self, other: Portable) -> Portable {
                self.with(other, f32::$method)
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Eight for Portable {
    #[inline(always)]
    fn all(value: f32) -> Portable {
        Portable([value; TILE])
    }

    #[inline(always)]
    fn load(values: &[f32; TILE]) -> Portable {
        Portable(*values)
    }

    #[inline(always)]
    fn load_some(values: &[f32]) -> Portable {
        Portable(std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0)))
    }

    #[inline(always)]
    fn load_behind(first: f32, values: &[f32]) -> Portable {
        let behind = |lane: usize| values.get(lane - 1).copied().unwrap_or(0.0);
        Portable(std::array::from_fn(|lane| if lane == 0 { first } else { behind(lane) }))
    }

    #[inline(always)]
    fn store(self, place: &mut [f32; TILE]) {
        *place = self.0;
    }

    #[inline(always)]
    fn sqrt(self) -> Portable {
        Portable(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn at_most(self, limit: Portable) -> Portable {
        self.with(limit, at_most)
    }

    #[inline(always)]
    fn at_least(self, limit: Portable) -> Portable {
        self.with(limit, at_least)
    }

    #[inline(always)]
    fn passes(self, limit: Portable) -> bool {
        self.0.iter().zip(limit.0).fold(false, |passes, (value, limit)| passes | (value.abs() > limit))
    }

    #[inline(always)]
    fn lift(self) -> Portable {
        Portable(self.0.map(super::plain::lift))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        sum(&self.0)
    }

    #[inline(always)]
    fn fill_up(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| places[lane.min(places.len() - 1)])
    }

    #[inline(always)]
    fn some_places(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| places.get(lane).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn places_behind(places: &[u32]) -> [u32; TILE] {
        std::array::from_fn(|lane| lane.checked_sub(1).and_then(|lane| places.get(lane)).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn rows(columns: [&[f32; 4]; TILE]) -> [Portable; 4] {
        std::array::from_fn(|row| Portable(columns.map(|column| column[row])))
    }

    #[inline(always)]
    fn columns(rows: [Portable; 4]) -> [[f32; 4]; TILE] {
        std::array::from_fn(|column| rows.map(|row| row.0[column]))
    }
}
