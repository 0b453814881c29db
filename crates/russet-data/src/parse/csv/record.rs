//! Rows as they are written: where they end, and their fields.

use crate::parse::Fault;

/// Calls `visit` with the end of each record that is closed by a line end. `bytes` begin outside quotes.
///
/// A quote opens a quoted field only where a field begins; within one, two quotes stand for one.
pub(crate) fn visit_ends(bytes: &[u8], delimiter: u8, mut visit: impl FnMut(usize)) {
    let mut inside = false;
    let mut skip = None;
    for at in memchr::memchr2_iter(b'"', b'\n', bytes) {
        if skip == Some(at) {
            continue;
        }
        let begins_field = at == 0 || bytes[at - 1] == delimiter || bytes[at - 1] == b'\n';
        match bytes[at] {
            b'"' if inside && bytes.get(at + 1) == Some(&b'"') => skip = Some(at + 1),
            b'"' if inside => inside = false,
            b'"' => inside = begins_field,
            _ if !inside => visit(at + 1),
            _ => {}
        }
    }
}

/// The fields of one row, as places in the bytes read or, if quotes were doubled in it, in a buffer.
#[derive(Default)]
pub(super) struct Record {
    pub(super) fields: Vec<Field>,
    unquoted: Vec<u8>,
}

#[derive(Clone, Copy)]
pub(super) struct Field {
    start: usize,
    end: usize,
    in_buffer: bool,
    /// Where it begins in the bytes read.
    pub(super) at: usize,
}

impl Record {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn field<'a>(&'a self, bytes: &'a [u8], place: usize) -> &'a [u8] {
        let field = self.fields[place];
        let source = if field.in_buffer { &self.unquoted } else { bytes };
        &source[field.start..field.end]
    }

    /// Splits the row at `at`; gives the start of the next one.
    pub(super) fn read(&mut self, bytes: &[u8], mut at: usize, delimiter: u8) -> Result<usize, Fault> {
        self.fields.clear();
        self.unquoted.clear();
        loop {
            at = if bytes.get(at) == Some(&b'"') { self.quoted(bytes, at)? } else { self.plain(bytes, at, delimiter) };
            match bytes.get(at) {
                Some(byte) if *byte == delimiter => at += 1,
                Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => return Ok(at + 2),
                Some(b'\n') => return Ok(at + 1),
                None => return Ok(at),
                Some(b'\r') if at + 1 == bytes.len() => return Ok(at + 1),
                Some(_) => {
                    return Err(Fault::expected(
                        at,
                        "text after a closing quote",
                        &bytes[at..=at],
                        "the end of the field",
                    ));
                }
            }
        }
    }

    /// A field up to the next delimiter or line end.
    fn plain(&mut self, bytes: &[u8], at: usize, delimiter: u8) -> usize {
        let rest = &bytes[at..];
        let length = memchr::memchr2(delimiter, b'\n', rest).unwrap_or(rest.len());
        let end = at + length;
        // The carriage return of a line's end is not part of its last field.
        let trimmed = if bytes.get(end) != Some(&delimiter) && rest[..length].ends_with(b"\r") { end - 1 } else { end };
        self.fields.push(Field { start: at, end: trimmed, in_buffer: false, at });
        trimmed
    }

    /// A field in quotes; two quotes stand for one.
    fn quoted(&mut self, bytes: &[u8], at: usize) -> Result<usize, Fault> {
        let buffered = self.unquoted.len();
        let mut start = at + 1;
        loop {
            let rest = &bytes[start..];
            let quote = memchr::memchr(b'"', rest)
                .ok_or_else(|| Fault::new(at, "this quote is never closed; expected a `\"` at the end of the field"))?;
            self.unquoted.extend_from_slice(&rest[..quote]);
            start += quote + 1;
            if bytes.get(start) != Some(&b'"') {
                break;
            }
            self.unquoted.push(b'"');
            start += 1;
        }
        self.fields.push(Field { start: buffered, end: self.unquoted.len(), in_buffer: true, at });
        Ok(start)
    }
}
