use std::io::{self, Write};

use flate2::write::GzEncoder;
use zstd::stream::write::Encoder;

/// A writer that compresses, as a file name's ending asks for.
pub enum Compressed<W: Write> {
    /// As it is.
    Plain(W),
    /// `.gz`
    Gzip(GzEncoder<W>),
    /// `.zst`
    Zstd(Encoder<'static, W>),
}

impl<W: Write> Compressed<W> {
    /// Compresses what goes to `out` if `name` ends in `.gz` or `.zst`.
    pub fn by_name(name: &str, out: W) -> io::Result<Compressed<W>> {
        if name.ends_with(".gz") {
            Ok(Compressed::Gzip(GzEncoder::new(out, flate2::Compression::default())))
        } else if name.ends_with(".zst") || name.ends_with(".zstd") {
            Ok(Compressed::Zstd(Encoder::new(out, 3)?))
        } else {
            Ok(Compressed::Plain(out))
        }
    }

    /// Writes what is still held back, and gives the writer underneath.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Compressed::Plain(out) => Ok(out),
            Compressed::Gzip(encoder) => encoder.finish(),
            Compressed::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Compressed::Plain(out) => out.write(bytes),
            Compressed::Gzip(encoder) => encoder.write(bytes),
            Compressed::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressed::Plain(out) => out.flush(),
            Compressed::Gzip(encoder) => encoder.flush(),
            Compressed::Zstd(encoder) => encoder.flush(),
        }
    }
}
