//! gzip and zstd, told by their first bytes.

use std::io::{self, BufReader, Cursor, Read};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// True for the first bytes of a compressed file.
pub(super) fn is_compressed(start: &[u8]) -> bool {
    start.starts_with(GZIP) || start.starts_with(ZSTD)
}

/// The plain bytes of a stream that may be compressed.
pub(crate) fn decompressed(mut raw: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    raw.by_ref().take(4).read_to_end(&mut start)?;
    let (gzip, zstd) = (start.starts_with(GZIP), start.starts_with(ZSTD));
    let whole = Cursor::new(start).chain(raw);
    if gzip {
        let decoder = flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 17, whole));
        Ok(Box::new(Named { inner: decoder, kind: "gzip" }))
    } else if zstd {
        Ok(Box::new(Named { inner: zstd::stream::read::Decoder::new(whole)?, kind: "zstd" }))
    } else {
        Ok(Box::new(whole))
    }
}

/// Says in errors what was being decompressed.
struct Named<R> {
    inner: R,
    kind: &'static str,
}

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|cause| match cause.kind() {
            io::ErrorKind::Interrupted => cause,
            io::ErrorKind::UnexpectedEof => {
                io::Error::other(format!("the {} data is cut short: the file is not complete", self.kind))
            }
            _ => io::Error::other(format!("the {} data is damaged: {cause}", self.kind)),
        })
    }
}
