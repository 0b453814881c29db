//! Which products of an example have a weight, and where: looked for in two steps, so that memory is on its way for all rows
//! before any of it is needed.
//!
//! Both steps are there twice: [`plain`] is the oracle, and what runs where the processor has no AVX2; [`wide`] does the same,
//! eight products at a time, or sixteen with AVX-512.

// For the calls of `wide`.
#![allow(unsafe_code)]

use std::ops::Range;

use super::family::{Family, NO_FAMILY};
#[cfg(target_arch = "x86_64")]
use super::wide;
use super::{Families, plain, steps};
use crate::weights::{Cpu, Listed, Room, Slot, WeightTable};

/// The base features of an example, without the constant.
#[derive(Clone, Copy)]
pub(crate) struct Features<'a> {
    pub(crate) slots: &'a [u32],
    pub(crate) values: &'a [f32],
}

/// Which base features, by their positions, make no product with a parent: the product is another's, or the square of a 0/1
/// feature. Sixteen positions a word.
#[derive(Debug, Default)]
pub(crate) struct Sealed {
    words: Vec<u16>,
}

impl Sealed {
    /// None of `length` features.
    #[inline]
    pub(crate) fn clear(&mut self, length: usize) {
        self.words.clear();
        self.words.resize(length.div_ceil(16), 0);
    }

    #[inline]
    pub(crate) fn add(&mut self, position: usize) {
        self.words[position / 16] |= 1 << (position % 16);
    }

    pub(super) fn has(&self, position: usize) -> bool {
        self.words[position / 16] >> (position % 16) & 1 == 1
    }

    /// The bits of positions from a multiple of eight on: eight of them, at least.
    pub(super) fn bits_from(&self, position: usize) -> u16 {
        self.words[position / 16] >> (position % 16)
    }
}

/// What the first step has to know.
pub(super) struct Aim<'a> {
    pub(super) family: &'a Family,
    /// From this base slot on, products without a place will get none.
    pub(super) late_from: u32,
    pub(super) weights: &'a [Slot],
    pub(super) sealed: &'a Sealed,
}

/// What the second step has to know.
pub(super) struct Confirm<'a> {
    pub(super) family: &'a Family,
    pub(super) late_from: u32,
    pub(super) weights: &'a [Slot],
}

impl Confirm<'_> {
    /// The place of a product whose home another has. Otherwise [`Families::NEW`], if it may get one.
    pub(super) fn search(&self, slot: u32) -> Option<u32> {
        let place = self.family.find(slot, self.weights);
        match self.weights[place as usize].key == slot {
            true => Some(place),
            false => (slot < self.late_from).then_some(Families::NEW),
        }
    }
}

/// A look at families that nothing changes meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    families: &'a Families,
    weights: &'a [Slot],
    /// What this machine can run.
    cpu: Cpu,
    /// Whether products that have no place yet are listed, and sealed ones.
    lists_new: bool,
}

impl<'a> Lookup<'a> {
    /// The same for somebody who gives no product a place.
    pub(crate) fn of_old_ones(self) -> Lookup<'a> {
        Lookup { lists_new: false, ..self }
    }

    /// From which base slot on products of a parent that have no place get none, or are not listed at all.
    pub(crate) fn late_from(self, parent: u32) -> u32 {
        if self.lists_new { self.families.late_from(parent) } else { 0 }
    }

    /// Lists where each of a parent's products is, if it is anywhere: those that have a place, or may get one, or are sealed; and
    /// some others. Asks for that memory; [`Lookup::confirm`] has to follow.
    #[inline]
    pub(crate) fn aim(self, parent: u32, features: Features<'_>, sealed: &Sealed, listed: &mut Listed) {
        let (late_from, length) = (self.late_from(parent), features.slots.len());
        steps::count(length);
        let count = match self.families.family(parent) {
            None if late_from < u32::MAX => 0,
            family => {
                let aim = Aim { family: family.unwrap_or(&NO_FAMILY), late_from, weights: self.weights, sealed };
                self.aim_at(&aim, features, listed.room(length))
            }
        };
        listed.keep(count);
    }

    #[inline(always)]
    fn aim_at(self, aim: &Aim<'_>, features: Features<'_>, room: Room<'_>) -> usize {
        match self.cpu {
            // SAFETY: the processor has it; the family has a filter.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx512 if aim.family.bits > 0 => unsafe { wide::aim_with_avx512(aim, features, room) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2 if aim.family.bits > 0 => unsafe { wide::aim_with_avx2(aim, features, room) },
            _ => plain::aim(aim, features, room),
        }
    }

    /// Moves the products of a row that was aimed at to `to`, which is not behind the row, without those that have no place and
    /// get none; gives how many are left. Their order is that of the example, and who is left does not hang on where they are: a
    /// model that is loaded is laid out in another way.
    #[inline]
    pub(crate) fn confirm(self, parent: u32, row: Range<usize>, to: usize, listed: &mut Listed) -> usize {
        let family = self.families.family(parent).unwrap_or(&NO_FAMILY);
        let confirm = Confirm { family, late_from: self.late_from(parent), weights: self.weights };
        match self.cpu {
            // SAFETY: the processor has it; families have their places in the table.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx512 if self.is_short() => unsafe { wide::confirm_with_avx512(&confirm, row, to, listed) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2 if self.is_short() => unsafe { wide::confirm_with_avx2(&confirm, row, to, listed) },
            _ => plain::confirm(&confirm, row, to, listed),
        }
    }

    /// True if the table is short enough for [`wide::confirm`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn is_short(self) -> bool {
        self.weights.len() < wide::MOST_PLACES
    }
}

impl Families {
    /// A look at where products are.
    #[inline]
    pub(crate) fn lookup<'a>(&'a self, table: &'a WeightTable, cpu: Cpu) -> Lookup<'a> {
        Lookup { families: self, weights: table.slots(), cpu: cpu.at_hand(), lists_new: true }
    }

    /// Gives places to the products of a listed row that have none; calls `admitted(position, key)` for each that got one.
    pub(crate) fn admit(
        &mut self,
        parent: u32,
        row: Range<usize>,
        listed: &mut Listed,
        table: &mut WeightTable,
        mut admitted: impl FnMut(usize, u32),
    ) {
        let (had, Room { places, slots, .. }) = (self.length_of(parent), listed.part(row));
        for (position, (slot, place)) in slots.iter().zip(&mut *places).enumerate() {
            if *place == Families::NEW {
                match self.insert(parent, *slot, table) {
                    Some(found) => {
                        *place = found;
                        admitted(position, *slot);
                    }
                    None => self.left_out += 1,
                }
            }
        }
        if had != self.length_of(parent) {
            let family = &self.families[parent as usize];
            for (slot, place) in slots.iter().zip(places).filter(|(_, place)| **place > Families::NEW) {
                *place = family.find(*slot, table.slots());
            }
        }
    }
}
