use std::borrow::Cow;

use crate::weights::{make_room, room_to_fill};

/// Many byte strings one after another: one allocation for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    bytes: Vec<u8>,
    lengths: Vec<u32>,
    /// Where every [`STRIDE`]th name begins: the others are found from there, so that a name takes little more than its length.
    marks: Vec<u64>,
}

/// How many names there are to a mark.
const STRIDE: usize = 16;

impl Names {
    /// Names from their lengths, and the bytes of all of them. Nothing if these are not as many as the lengths say.
    pub(crate) fn of(lengths: Vec<u32>, bytes: Vec<u8>) -> Option<Names> {
        let (mut marks, mut end) = (room_to_fill(lengths.len().div_ceil(STRIDE)), 0);
        for lengths in lengths.chunks(STRIDE) {
            marks.push(end);
            end += lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        }
        (end == bytes.len() as u64).then_some(Names { bytes, lengths, marks })
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// True if there is no name.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Adds a name at the end.
    ///
    /// # Panics
    /// If it has 4 GiB or more.
    pub fn push(&mut self, name: &[u8]) {
        self.push_parts(&[name]);
    }

    /// Adds a name made of parts.
    ///
    /// # Panics
    /// If it has 4 GiB or more.
    pub fn push_parts(&mut self, parts: &[&[u8]]) {
        let start = self.bytes.len();
        make_room(&mut self.lengths, 1);
        for part in parts {
            make_room(&mut self.bytes, part.len());
            self.bytes.extend_from_slice(part);
        }
        if self.lengths.len().is_multiple_of(STRIDE) {
            self.marks.push(start as u64);
        }
        self.lengths.push(u32::try_from(self.bytes.len() - start).expect("a name is shorter than 4 GiB"));
    }

    /// The name at `place`, as it was given.
    pub fn get(&self, place: usize) -> &[u8] {
        let start = self.start(place);
        &self.bytes[start..start + self.lengths[place] as usize]
    }

    /// Where the name at `place` begins; for the place after the last one, where that ends.
    fn start(&self, place: usize) -> usize {
        let marked = place / STRIDE;
        let Some(mark) = self.marks.get(marked) else { return self.bytes.len() };
        self.lengths[marked * STRIDE..place].iter().fold(*mark as usize, |start, length| start + *length as usize)
    }

    /// The name at `place` for a person to read.
    pub fn text(&self, place: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.get(place))
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..];
        self.lengths.iter().map(move |length| {
            let (name, others) = rest.split_at(*length as usize);
            rest = others;
            name
        })
    }

    /// The bytes of all names, one after another.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Keeps the first `count` names.
    pub fn truncate(&mut self, count: usize) {
        if count < self.len() {
            self.bytes.truncate(self.start(count));
            self.lengths.truncate(count);
            self.marks.truncate(count.div_ceil(STRIDE));
        }
    }

    /// Forgets all names, keeping the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_as_a_list_of_byte_strings(
            names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 0..70), kept in 0usize..80,
        ) {
            let mut ours = Names::default();
            names.iter().for_each(|name| ours.push_parts(&[&name[..name.len() / 2], &name[name.len() / 2..]]));
            prop_assert!(ours.iter().eq(names.iter()));
            prop_assert!((0..names.len()).all(|place| ours.get(place) == names[place]));

            let lengths: Vec<u32> = names.iter().map(|name| name.len() as u32).collect();
            prop_assert_eq!(Names::of(lengths.clone(), names.concat()), Some(ours.clone()));
            prop_assert_eq!(Names::of(lengths, [&names.concat()[..], b"x"].concat()), None);

            ours.truncate(kept);
            let mut shorter = Names::default();
            names.iter().take(kept).for_each(|name| shorter.push(name));
            prop_assert_eq!(&ours, &shorter);
            ours.push(b"next");
            prop_assert_eq!(ours.get(ours.len() - 1), b"next");
            ours.clear();
            prop_assert_eq!(ours, Names::default());
        }
    }
}
