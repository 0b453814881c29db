/// What an example says besides its features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// What is to be predicted; `None` where it is not known.
    pub value: Option<f32>,
    /// How many examples this one counts for.
    pub importance: f32,
    /// A prediction to start from: the model learns what is to be added to it.
    pub base: f32,
}

impl Label {
    /// A label that counts once and starts from zero.
    pub fn new(value: f32) -> Label {
        Label { value: Some(value), importance: 1.0, base: 0.0 }
    }

    /// No label: the example can be predicted, not learned from.
    pub fn unknown() -> Label {
        Label { value: None, importance: 1.0, base: 0.0 }
    }
}

/// One example of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Its label.
    pub label: Label,
    /// The tag that predictions carry along.
    pub tag: &'a [u8],
    /// Its features: the code of each, as [`Code::unpack`](super::Code::unpack) reads it.
    pub codes: &'a [u32],
    /// The value of each feature.
    pub values: &'a [f32],
    /// Where each namespace ends within `codes`: n-grams do not cross these.
    pub namespace_ends: &'a [u32],
    /// The line of the input it began on, counted from 1.
    pub line: u64,
    /// Where its features begin among all of the batch.
    pub(crate) first: usize,
}

/// What ends an example, for [`Batch::end_examples`](super::Batch::end_examples).
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// Its label.
    pub label: Label,
    /// The line of the input it began on, counted from 1.
    pub line: u64,
    /// How many features it has.
    pub features: u32,
    /// How many namespaces it has.
    pub namespaces: u32,
    /// How long its tag is.
    pub tag: u32,
}
