use std::io::{self, Write};

use russet::batch::{Batch, Example};
use russet::feature::{IdList, Names};

use super::ExampleWriter;
use super::book::{NameBook, Page};

/// Writes svmlight. Features whose names are numbers keep them; if the first feature has another kind of name,
/// all are numbered from 1 in the order they appear, and [`SvmlightWriter::names`] tells which is which.
#[derive(Default)]
pub struct SvmlightWriter {
    book: NameBook,
    numbering: Numbering,
    dropped: u64,
}

#[derive(Default)]
enum Numbering {
    #[default]
    Undecided,
    Own,
    Given {
        numbers: IdList,
        names: Names,
    },
}

impl SvmlightWriter {
    /// The names of features 1, 2, ..., if the features had names that are not numbers.
    pub fn names(&self) -> Option<&Names> {
        match &self.numbering {
            Numbering::Given { names, .. } => Some(names),
            Numbering::Own | Numbering::Undecided => None,
        }
    }

    /// How many examples had an importance, a base prediction or a tag, which svmlight has no place for.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl ExampleWriter for SvmlightWriter {
    fn write(&mut self, batch: &Batch, out: &mut dyn Write) -> io::Result<()> {
        let page = self.book.page(batch);
        for example in batch.iter() {
            let label = &example.label;
            self.dropped += u64::from(label.importance != 1.0 || label.base != 0.0 || !example.tag.is_empty());
            let missing =
                || io::Error::other(format!("the example on line {} has no label, which svmlight needs", example.line));
            write!(out, "{}", label.value.ok_or_else(missing)?)?;
            for (number, value) in numbered(&example, page, &mut self.numbering)? {
                write!(out, " {number}:{value}")?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// The example's features by number, in ascending order as the format wants them.
fn numbered(example: &Example<'_>, page: &Page, numbering: &mut Numbering) -> io::Result<Vec<(u64, f32)>> {
    let mut features = Vec::with_capacity(example.codes.len());
    for (&code, &value) in example.codes.iter().zip(example.values) {
        features.push((numbering.number(code, page)?, value));
    }
    features.sort_by_key(|feature| feature.0);
    Ok(features)
}

impl Numbering {
    fn number(&mut self, code: u32, page: &Page) -> io::Result<u64> {
        let name = page.name(code);
        let own = std::str::from_utf8(&name).ok().and_then(|text| text.parse::<u64>().ok());
        if let Numbering::Undecided = self {
            *self = match own {
                Some(_) => Numbering::Own,
                None => Numbering::Given { numbers: IdList::default(), names: Names::default() },
            };
        }
        match self {
            Numbering::Given { numbers, names } => Ok(given(numbers, names, code, page)),
            _ => own.ok_or_else(|| {
                let name = String::from_utf8_lossy(&name);
                io::Error::other(format!(
                    "svmlight has numbered features only, and `{name}` is not a number as the others are"
                ))
            }),
        }
    }
}

fn given(numbers: &mut IdList, names: &mut Names, code: u32, page: &Page) -> u64 {
    let id = page.id(code);
    let place = numbers.place(id).unwrap_or_else(|| {
        names.push(&page.name(code));
        numbers.push(id)
    });
    u64::from(place) + 1
}
