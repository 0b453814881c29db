//! Examples out again, as text: VW, svmlight or CSV, compressed or not.

mod book;
mod compressed;
mod csv;
mod svmlight;
mod vw;

use std::io::{self, Write};

use russet::batch::Batch;

pub(crate) use book::NameBook;
pub use compressed::Compressed;
pub use csv::{Columns, CsvWriter, write_field};
pub use svmlight::SvmlightWriter;
pub use vw::VwWriter;

/// Writes batches in the order they come, in some format.
pub trait ExampleWriter {
    /// Adds all examples of a batch.
    fn write(&mut self, batch: &Batch, out: &mut dyn Write) -> io::Result<()>;
}
