use std::borrow::Cow;

use russet::batch::{Batch, Code};
use russet::feature::{FeatureId, Names, Namespace};

/// Remembers which features the readers' dictionaries have declared.
#[derive(Default)]
pub(crate) struct NameBook {
    dictionaries: Vec<Page>,
}

#[derive(Default)]
pub(crate) struct Page {
    ids: Vec<FeatureId>,
    names: Names,
}

impl NameBook {
    /// Takes note of what a batch declares, and gives the page that its features are on.
    pub(crate) fn page(&mut self, batch: &Batch) -> &Page {
        let number = batch.dictionary() as usize;
        if self.dictionaries.len() <= number {
            self.dictionaries.resize_with(number + 1, Page::default);
        }
        let page = &mut self.dictionaries[number];
        let known = if batch.starts_dictionary() { 0 } else { batch.first_declared() as usize };
        page.ids.truncate(known);
        page.names.truncate(known);
        page.ids.extend_from_slice(batch.declared_ids());
        batch.declared_names().iter().for_each(|name| page.names.push(name));
        page
    }
}

impl Page {
    pub(crate) fn id(&self, code: u32) -> FeatureId {
        match Code::unpack(code) {
            Code::Declared(index) => self.ids[index as usize],
            Code::Number(number) => Namespace::ANONYMOUS.numbered(number.into()),
        }
    }

    pub(crate) fn name(&self, code: u32) -> Cow<'_, [u8]> {
        match Code::unpack(code) {
            Code::Declared(index) => Cow::Borrowed(self.names.get(index as usize)),
            Code::Number(number) => Cow::Owned(number.to_string().into_bytes()),
        }
    }
}
