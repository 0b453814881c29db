//! Files that are there whole or not at all.
//!
//! What is written goes to a temporary file beside the one it is to replace; only when all of it has reached the disk does it
//! take that one's name, which the system does at once or not at all. So whoever looks at the path sees the old file or the
//! new one, whole, also if the program is killed or several write to it at a time: the last to finish stays. A program that
//! is killed may leave its temporary file behind, called `.russet-*.tmp`, which nobody reads.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file being written: it takes the place of `path` only when it is committed. Dropped before that, it is gone
/// without a trace. A path that is there and not a regular file (a pipe, a device) is written to directly.
pub struct AtomicFile(Target);

enum Target {
    Temporary(Replacement<System>),
    Direct(BufWriter<fs::File>),
}

impl AtomicFile {
    /// Begins a file that is to be at `path`, by writing to a temporary one in the same folder.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        Ok(AtomicFile(if special {
            Target::Direct(BufWriter::with_capacity(1 << 16, fs::OpenOptions::new().write(true).open(path)?))
        } else {
            Target::Temporary(Replacement::begin(System, path)?)
        }))
    }

    /// Puts the file in its place, after all of it has reached the disk.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Target::Direct(mut out) => out.flush(),
            Target::Temporary(replacement) => replacement.commit(),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Target::Temporary(replacement) => replacement.out.write(bytes),
            Target::Direct(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Temporary(replacement) => replacement.out.flush(),
            Target::Direct(out) => out.flush(),
        }
    }
}

/// Writes `bytes` to `path`, all or nothing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// What is asked of the system; tests have one that fails.
trait Disk {
    /// A file that is gone when it is dropped.
    type File: Write;

    fn create(&self, folder: &Path) -> io::Result<Self::File>;
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    fn rename(&self, file: Self::File, path: &Path) -> io::Result<()>;
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// A file that will replace another.
struct Replacement<D: Disk> {
    disk: D,
    path: PathBuf,
    out: BufWriter<D::File>,
}

impl<D: Disk> Replacement<D> {
    fn begin(disk: D, path: &Path) -> io::Result<Replacement<D>> {
        let out = BufWriter::with_capacity(1 << 16, disk.create(folder_of(path))?);
        Ok(Replacement { disk, path: path.to_owned(), out })
    }

    fn commit(self) -> io::Result<()> {
        let Replacement { disk, path, out } = self;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        disk.sync(&file)?;
        disk.rename(file, &path)?;
        // The new file is in its place. Where a folder cannot be synced, a power cut may still bring the old one back, whole.
        let _ = disk.sync_folder(folder_of(&path));
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

struct System;

impl Disk for System {
    type File = NamedTempFile;

    fn create(&self, folder: &Path) -> io::Result<NamedTempFile> {
        let mut builder = Builder::new();
        builder.prefix(".russet-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder)
    }

    fn sync(&self, file: &NamedTempFile) -> io::Result<()> {
        file.as_file().sync_all()
    }

    fn rename(&self, file: NamedTempFile, path: &Path) -> io::Result<()> {
        file.persist(path).map(drop).map_err(|failed| failed.error)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        fs::File::open(folder)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// The real disk, until it has done so many things and taken so many bytes.
    #[derive(Clone)]
    struct Failing {
        steps: Rc<Cell<usize>>,
        room: usize,
    }

    struct FailingFile {
        disk: Failing,
        file: NamedTempFile,
        written: usize,
    }

    impl Failing {
        fn after(steps: usize, room: usize) -> Failing {
            Failing { steps: Rc::new(Cell::new(steps)), room }
        }

        fn step(&self) -> io::Result<()> {
            let left = self.steps.get().checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            self.steps.set(left);
            Ok(())
        }
    }

    impl Write for FailingFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.disk.step()?;
            // A full disk takes a part, then nothing.
            let taken = bytes.len().min(self.disk.room - self.written);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.written += taken;
            self.file.write_all(&bytes[..taken]).map(|()| taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.disk.step()
        }
    }

    impl Disk for Failing {
        type File = FailingFile;

        fn create(&self, folder: &Path) -> io::Result<FailingFile> {
            self.step()?;
            Ok(FailingFile { disk: self.clone(), file: System.create(folder)?, written: 0 })
        }

        fn sync(&self, file: &FailingFile) -> io::Result<()> {
            self.step()?;
            System.sync(&file.file)
        }

        fn rename(&self, file: FailingFile, path: &Path) -> io::Result<()> {
            self.step()?;
            System.rename(file.file, path)
        }

        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            self.step()?;
            System.sync_folder(folder)
        }
    }

    fn replace(disk: Failing, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut replacement = Replacement::begin(disk, path)?;
        bytes.chunks(1000).try_for_each(|part| replacement.out.write_all(part))?;
        replacement.commit()
    }

    /// What is at the path afterwards: the new file exactly if there was no error, else the old one; and nothing beside it.
    #[track_caller]
    fn check(disk: Failing, new: &[u8]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write(&path, b"old").unwrap();
        let result = replace(disk, &path, new);
        assert_eq!(fs::read(&path).unwrap(), if result.is_ok() { new } else { b"old" });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        result.is_ok()
    }

    #[test]
    fn whatever_step_fails_the_old_file_or_the_new_one_is_there_whole() {
        // Three buffers' worth, so that some is written before the end.
        let new = vec![7; 200_000];
        let succeeded: Vec<bool> = (0..12).map(|steps| check(Failing::after(steps, usize::MAX), &new)).collect();
        // It is created, written to four times, synced and renamed; syncing the folder is only tried.
        assert_eq!(succeeded.iter().position(|succeeded| *succeeded), Some(7));
        assert!(succeeded.is_sorted());
    }

    #[test]
    fn wherever_the_disk_is_full_the_old_file_is_there_whole() {
        let new: Vec<u8> = (0..=255).collect();
        for room in 0..new.len() {
            assert!(!check(Failing::after(usize::MAX, room), &new), "with room for {room} bytes");
        }
        assert!(check(Failing::after(usize::MAX, new.len()), &new));
    }

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
