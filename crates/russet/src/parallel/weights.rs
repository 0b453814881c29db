//! One set of weights for all ranks.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::mean::{Average, Mean};
use super::parents::Union;
use super::wire::{Reader, Writer};
use super::{Collective, ParallelError};
use crate::model::Model;
use crate::weights::{Slot, WeightTable};

/// The weight of a product on this rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) parent: u32,
    pub(super) slot: u32,
    pub(super) weight: Slot,
    /// In how many examples it was active.
    pub(super) count: u32,
}

impl Product {
    pub(super) fn key(&self) -> (u32, u32) {
        (self.parent, self.slot)
    }
}

/// Averages all weights. Features and parents are the same everywhere, `products` are this rank's, by parent and base slot, and the
/// model's table of products is empty, unless its expansion is fixed. `active`: the ranks that count.
pub(super) fn average(
    model: &mut Model,
    products: &[Product],
    union: Option<&Union>,
    (average, active): (Average, &[usize]),
    collective: &mut dyn Collective,
) -> Result<(), ParallelError> {
    let mut message = Writer::default();
    // A fixed expansion has all its products in their places.
    let fixed = model.growth.is_none();
    let tables =
        [Some(&model.linear), model.guard.as_ref().map(|guard| &guard.linear), Some(&model.products).filter(|_| fixed)];
    tables.into_iter().flatten().for_each(|table| table.iter().for_each(|slot| write(slot, &mut message)));
    for product in products {
        message.u32(product.parent);
        message.u32(product.slot);
        write(product.weight, &mut message);
    }
    // Those that do not count have nothing to say.
    let idle = !active.contains(&collective.rank());
    let gathered = collective.gather(if idle { &[] } else { &message.0 })?;
    let mut readers: Vec<Reader<'_>> = active.iter().map(|rank| Reader::new(&gathered[*rank], *rank)).collect();
    average_table(&mut model.linear, &mut readers, average)?;
    if let Some(guard) = &mut model.guard {
        average_table(&mut guard.linear, &mut readers, average)?;
    }
    if fixed {
        average_table(&mut model.products, &mut readers, average)?;
    }
    match union {
        Some(union) => average_products(model, products, union, readers, (average, active)),
        None => Ok(()),
    }
}

fn write(slot: Slot, message: &mut Writer) {
    [slot.weight, slot.gradient, slot.scale].into_iter().for_each(|value| message.f32(value));
}

fn read(reader: &mut Reader<'_>) -> Result<Slot, ParallelError> {
    let [weight, gradient, scale] = [reader.f32()?, reader.f32()?, reader.f32()?];
    Ok(Slot { weight, gradient, scale, ..Slot::default() })
}

fn average_table(table: &mut WeightTable, readers: &mut [Reader<'_>], average: Average) -> Result<(), ParallelError> {
    for place in 0..table.len() {
        let mut mean = Mean::default();
        readers.iter_mut().try_for_each(|reader| read(reader).map(|slot| mean.add(slot)))?;
        table.set(place, mean.slot(average, readers.len(), 1.0));
    }
    Ok(())
}

/// Goes through the products of all ranks at once, by parent and base slot.
fn average_products(
    model: &mut Model,
    own: &[Product],
    union: &Union,
    readers: Vec<Reader<'_>>,
    (average, active): (Average, &[usize]),
) -> Result<(), ParallelError> {
    let slot_count = model.features.slot_count();
    let (Some(growth), table) = (&mut model.growth, &mut model.products) else { return Ok(()) };
    let mut own = own.iter().peekable();
    let lists = readers.into_iter().map(read_products).collect::<Result<Vec<_>, _>>()?;
    let mut lists: Vec<Peekable<IntoIter<Product>>> =
        lists.into_iter().map(|list| list.into_iter().peekable()).collect();
    while let Some((parent, slot)) = lists.iter_mut().filter_map(|list| list.peek().map(Product::key)).min() {
        let mut mean = Mean::default();
        let same = |list: &mut Peekable<IntoIter<Product>>| list.next_if(|product| product.key() == (parent, slot));
        lists.iter_mut().filter_map(same).for_each(|product| mean.add(product.weight));
        while own.next_if(|product| product.key() < (parent, slot)).is_some() {}
        let count = own.next_if(|product| product.key() == (parent, slot)).map_or(0, |product| product.count);
        // Where memory is full, the product has no weight, on any rank.
        if let Some(place) = growth.restore_product(parent, slot, slot_count, table) {
            let share = union.share(parent, slot, active);
            let key = table.get(place).key;
            table.set(place, Slot { key, ..mean.slot(average, active.len(), share) });
            table.set_active(place, count);
        }
    }
    Ok(())
}

fn read_products(mut reader: Reader<'_>) -> Result<Vec<Product>, ParallelError> {
    let mut products = Vec::new();
    while !reader.is_empty() {
        let (parent, slot) = (reader.u32()?, reader.u32()?);
        products.push(Product { parent, slot, weight: read(&mut reader)?, count: 0 });
    }
    Ok(products)
}
