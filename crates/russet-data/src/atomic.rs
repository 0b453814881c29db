//! Files that are there whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file being written: it takes the place of `path` only when it is committed. Dropped before that, it is gone
/// without a trace. A path that is there and not a regular file (a pipe, a device) is written to directly.
pub struct AtomicFile {
    path: PathBuf,
    out: Target,
}

enum Target {
    Temporary(BufWriter<NamedTempFile>),
    Direct(BufWriter<fs::File>),
}

impl AtomicFile {
    /// Begins a file that is to be at `path`, by writing to a temporary one in the same folder.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let out = if special {
            Target::Direct(BufWriter::with_capacity(1 << 16, fs::OpenOptions::new().write(true).open(path)?))
        } else {
            Target::Temporary(BufWriter::with_capacity(1 << 16, temporary_beside(path)?))
        };
        Ok(AtomicFile { path: path.to_owned(), out })
    }

    /// Puts the file in its place, after all of it has reached the disk.
    pub fn commit(self) -> io::Result<()> {
        match self.out {
            Target::Direct(mut out) => out.flush(),
            Target::Temporary(out) => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(&self.path).map(drop).map_err(|failed| failed.error)
            }
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Target::Temporary(out) => out.write(bytes),
            Target::Direct(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Target::Temporary(out) => out.flush(),
            Target::Direct(out) => out.flush(),
        }
    }
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".russet-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes `bytes` to `path`, all or nothing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new, but").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
