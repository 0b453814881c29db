//! A file for the time of a training.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// A file that is gone when the program is. Where the system allows it, it has no name: so nothing of it is left even when the
/// program is killed, as the ranks of a job are when one of them fails.
pub(super) struct Scratch {
    path: PathBuf,
    /// Keeps a file that has no name.
    _open: Option<File>,
    /// Removes one that has.
    _named: Option<TempPath>,
}

impl Scratch {
    /// Makes one; gives it open for writing.
    pub(super) fn create() -> io::Result<(File, Scratch)> {
        if let Some(scratch) = nameless() {
            return Ok(scratch);
        }
        let named = tempfile::Builder::new().prefix("russet-").suffix(".cache").tempfile()?;
        let (file, named) = named.into_parts();
        Ok((file, Scratch { path: named.to_path_buf(), _open: None, _named: Some(named) }))
    }

    /// Where it can be read.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Linux lets a process open its open files anew by their number.
#[cfg(target_os = "linux")]
fn nameless() -> Option<(File, Scratch)> {
    use std::os::fd::AsRawFd;
    let file = tempfile::tempfile().ok()?;
    let open = file.try_clone().ok()?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
    File::open(&path).ok()?;
    Some((file, Scratch { path, _open: Some(open), _named: None }))
}

#[cfg(not(target_os = "linux"))]
fn nameless() -> Option<(File, Scratch)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn what_is_written_can_be_read_more_than_once() {
        let (mut file, scratch) = Scratch::create().unwrap();
        file.write_all(b"once").unwrap();
        for _ in 0..2 {
            let mut text = String::new();
            File::open(scratch.path()).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "once");
        }
    }
}
