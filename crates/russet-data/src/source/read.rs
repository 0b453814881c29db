use std::io::{self, Read};

/// Adds `wanted` bytes, or all there are: true if there are no more. In as few reads as it takes.
pub(crate) fn read_up_to(reader: &mut impl Read, wanted: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = bytes.len();
    let end = length + wanted;
    bytes.resize(end, 0);
    let outcome = read_whole(reader, &mut bytes[length..]);
    length += outcome.as_ref().map_or(0, |taken| *taken);
    bytes.truncate(length);
    outcome.map(|_| length < end)
}

/// Fills `bytes`, or as much of it as there is to read; gives how many were read.
pub(crate) fn read_whole(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(taken) => length += taken,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
