use std::borrow::Cow;

/// Many byte strings one after another: one allocation for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Names {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a name at the end.
    pub fn push(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u64);
    }

    /// Adds a name made of parts.
    pub fn push_parts(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        self.ends.push(self.bytes.len() as u64);
    }

    /// The name at `place`, as it was given.
    pub fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        &self.bytes[start..self.ends[place] as usize]
    }

    /// The name at `place` for a person to read.
    pub fn text(&self, place: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.get(place))
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Keeps the first `count` names.
    pub fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.bytes.truncate(self.ends.last().map_or(0, |end| *end as usize));
    }

    /// Forgets all names, keeping the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}
