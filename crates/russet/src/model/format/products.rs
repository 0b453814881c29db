use super::input::Input;
use super::runs::Runs;
use super::weights::{MOMENTS_BYTES, SLOT_BYTES, not_a_number, read_slot, restore_moments, restore_slot, write_slot};
use super::{ModelError, WORTH_A_THREAD, damaged};
use crate::beside::hand_over;
use crate::growth::{Growth, GrowthHeader};
use crate::model::Model;
use crate::weights::{Slot, WeightTable, unpacked};

/// A product: parent, base slot, weight.
pub(super) const PRODUCT_BYTES: usize = 8 + SLOT_BYTES;

pub(super) fn write_growth(growth: &Growth, table: &WeightTable, observed: bool, bytes: &mut Vec<u8>) {
    let fractional = growth.parents.fractional_bits();
    bytes.extend_from_slice(&(fractional.len() as u64).to_le_bytes());
    fractional.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    let mut products = ProductWriter::new(observed, bytes);
    growth.visit_in_order(table, |parent, slot, place| products.write(parent, slot, table, place));
    products.finish();
    if let Some(trial) = &growth.trial {
        let mut products = ProductWriter::new(observed, bytes);
        trial.visit_in_order(|parent, slot, place| products.write(parent, slot, &trial.table, place));
        products.finish();
    }
}

/// Writes products one by one, and how many there were before them.
struct ProductWriter<'b> {
    observed: bool,
    bytes: &'b mut Vec<u8>,
    start: usize,
    count: u64,
}

impl<'b> ProductWriter<'b> {
    fn new(observed: bool, bytes: &'b mut Vec<u8>) -> ProductWriter<'b> {
        let start = bytes.len();
        bytes.extend_from_slice(&[0; 8]);
        ProductWriter { observed, bytes, start, count: 0 }
    }

    fn write(&mut self, parent: u32, slot: u32, table: &WeightTable, place: usize) {
        self.count += 1;
        self.bytes.extend_from_slice(&parent.to_le_bytes());
        self.bytes.extend_from_slice(&slot.to_le_bytes());
        write_slot(table, place, self.observed, self.bytes);
    }

    fn finish(self) {
        self.bytes[self.start..self.start + 8].copy_from_slice(&self.count.to_le_bytes());
    }
}

pub(super) fn read_growth(header: &GrowthHeader, model: &mut Model, input: &mut Input<'_>) -> Result<(), ModelError> {
    let observed = model.settings.select.rule().observes();
    let count = input.count(8)?;
    let fractional = (0..count).map(|_| input.u64()).collect::<Result<Vec<_>, _>>()?;
    let (slot_count, table) = (model.slot_count(), &mut model.products);
    let restored = Growth::restore(header, &model.settings, fractional, slot_count, table);
    let mut growth = restored.ok_or_else(contradicting_parents)?;
    if observed {
        read_products::<{ PRODUCT_BYTES + MOMENTS_BYTES }>(&mut growth, slot_count, table, input)?;
    } else {
        read_products::<PRODUCT_BYTES>(&mut growth, slot_count, table, input)?;
    }
    if let Some(trial) = &mut growth.trial {
        for _ in 0..input.count(PRODUCT_BYTES)? {
            let (parent, slot) = (input.u32()?, input.u32()?);
            let known = Some(slot).filter(|slot| (*slot as usize) < slot_count);
            let place = known.and_then(|slot| trial.restore_product(&growth.parents, parent, slot));
            let place = place.ok_or_else(contradicting_parents)?;
            read_slot(&mut trial.table, place, observed, input)?;
        }
    }
    model.growth = Some(growth);
    Ok(())
}

/// Reads products of `N` bytes each. Those of a parent come together.
fn read_products<const N: usize>(
    growth: &mut Growth,
    slot_count: usize,
    table: &mut WeightTable,
    input: &mut Input<'_>,
) -> Result<(), ModelError> {
    let mut runs = Runs::<N>::new(input)?;
    // There are more places than products.
    table.expect(runs.unread());
    let mut place = |run: &Vec<u8>| {
        let (products, _) = run.as_chunks::<N>();
        let mut families = products.chunk_by(|a, b| parent_and_slot(a).0 == parent_and_slot(b).0);
        families.try_for_each(|family| {
            // What was observed lies in a table of its own, which only few models have.
            if N > PRODUCT_BYTES || !read_family(growth, family, slot_count, table)? {
                read_one_by_one(growth, family, slot_count, table)?;
            }
            Ok(())
        })
    };
    if runs.unread() >= WORTH_A_THREAD {
        return hand_over(|run| runs.next(run), place);
    }
    let mut run = Vec::new();
    while runs.next(&mut run)? {
        place(&run)?;
    }
    Ok(())
}

/// Reads the products of a parent at once; false if that is not how they are stored.
fn read_family<const N: usize>(
    growth: &mut Growth,
    family: &[[u8; N]],
    slot_count: usize,
    table: &mut WeightTable,
) -> Result<bool, ModelError> {
    let read = |product: &[u8; N]| {
        let (slot, count) = unpacked(weight_of(product));
        (Slot { key: parent_and_slot(product).1, ..slot }, count)
    };
    if !family.iter().fold(true, |sound, product| sound & read(product).0.is_sound()) {
        return Err(not_a_number());
    }
    let parent = parent_and_slot(&family[0]).0;
    growth.restore_family(parent, family, slot_count, table, read).ok_or_else(contradicting_parents)
}

fn read_one_by_one<const N: usize>(
    growth: &mut Growth,
    products: &[[u8; N]],
    slot_count: usize,
    table: &mut WeightTable,
) -> Result<(), ModelError> {
    for product in products {
        let (parent, slot) = parent_and_slot(product);
        let place = growth.restore_product(parent, slot, slot_count, table).ok_or_else(contradicting_parents)?;
        restore_slot(table, place, weight_of(product))?;
        if let Some(moments) = product[PRODUCT_BYTES..].first_chunk() {
            restore_moments(table, place, moments)?;
        }
    }
    Ok(())
}

/// What a product is of.
pub(super) fn parent_and_slot<const N: usize>(product: &[u8; N]) -> (u32, u32) {
    let (numbers, _) = product.as_chunks::<4>();
    (u32::from_le_bytes(numbers[0]), u32::from_le_bytes(numbers[1]))
}

/// Its weight.
fn weight_of<const N: usize>(product: &[u8; N]) -> &[u8; SLOT_BYTES] {
    product[8..].first_chunk().expect("a product has a weight")
}

pub(super) fn contradicting_parents() -> ModelError {
    damaged("its parents contradict each other")
}
