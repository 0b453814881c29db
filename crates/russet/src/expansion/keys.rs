use crate::feature::mix;

/// Products by parent and base slot, each with a place in the order they came.
///
/// Open addressing with linear probing, at most half full; a lookup touches one entry of 16 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// (key, place + 1); a place + 1 of 0 marks a free entry.
    entries: Vec<(u64, u32)>,
    /// The products in the order of their places.
    products: Vec<(u32, u32)>,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys { entries: vec![(0, 0); 64], products: Vec::new() }
    }
}

fn key((parent, slot): (u32, u32)) -> u64 {
    u64::from(parent) << 32 | u64::from(slot)
}

impl Keys {
    pub(crate) fn len(&self) -> usize {
        self.products.len()
    }

    /// All products in the order of their places.
    pub(crate) fn products(&self) -> &[(u32, u32)] {
        &self.products
    }

    /// The place of a product, if it has one.
    #[inline]
    pub(crate) fn place(&self, product: (u32, u32)) -> Option<u32> {
        self.entries[self.find(key(product))].1.checked_sub(1)
    }

    /// Gives a product that has none the next place.
    pub(crate) fn push(&mut self, product: (u32, u32)) -> u32 {
        if (self.products.len() + 1) * 2 > self.entries.len() {
            self.grow();
        }
        let entry = self.find(key(product));
        debug_assert_eq!(self.entries[entry].1, 0, "{product:?} has a place already");
        self.products.push(product);
        self.entries[entry] = (key(product), self.products.len() as u32);
        self.products.len() as u32 - 1
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut entry = mix(key) as usize & mask;
        loop {
            let (found, place) = self.entries[entry];
            if place == 0 || found == key {
                return entry;
            }
            entry = (entry + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let entries = self.entries.len() * 2;
        self.entries.clear();
        self.entries.resize(entries, (0, 0));
        for place in 0..self.products.len() {
            let key = key(self.products[place]);
            let entry = self.find(key);
            self.entries[entry] = (key, place as u32 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_as_the_standard_map(products in prop::collection::vec((0u32..9, 0u32..40), 0..500)) {
            let (mut keys, mut map) = (Keys::default(), HashMap::new());
            for product in products {
                let next = map.len() as u32;
                map.entry(product).or_insert_with(|| {
                    assert_eq!(keys.push(product), next);
                    next
                });
            }
            for parent in 0..9 {
                for slot in 0..40 {
                    prop_assert_eq!(keys.place((parent, slot)), map.get(&(parent, slot)).copied());
                }
            }
        }
    }
}
