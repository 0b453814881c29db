//! Runs that are watched while they go on.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, PipeWriter, Read, Write};
use std::process::{ChildStderr, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Folder, RUSSET, Run};

/// The program, running; its standard input is open until the test closes it.
pub(crate) struct Child {
    child: std::process::Child,
    input: Option<ChildStdin>,
    errors: BufReader<ChildStderr>,
    said: String,
}

impl Child {
    pub(crate) fn start(folder: &Folder, arguments: &str) -> Child {
        let mut command = Command::new(RUSSET);
        command.args(arguments.split_whitespace()).current_dir(folder.path("")).env("TMPDIR", folder.path(""));
        Child::of(command)
    }

    /// Another program, watched in the same way.
    pub(crate) fn of(mut command: Command) -> Child {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, errors) = (child.stdin.take(), child.stderr.take().unwrap());
        Child { child, input, errors: BufReader::new(errors), said: String::new() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn feed(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the row that shows this many examples.
    pub(crate) fn wait_for_row(&mut self, examples: &str) {
        while self.next_line(examples).split_whitespace().next() != Some(examples) {}
    }

    /// Waits for a line that begins with these words.
    pub(crate) fn wait_for_line(&mut self, start: &str) {
        while !self.next_line(start).starts_with(start) {}
    }

    fn next_line(&mut self, wanted: &str) -> &str {
        let start = self.said.len();
        assert!(self.errors.read_line(&mut self.said).unwrap() > 0, "it ended before {wanted}: {}", self.said);
        &self.said[start..]
    }

    /// What Ctrl-C sends.
    pub(crate) fn interrupt(&self) {
        let pid = libc::pid_t::try_from(self.child.id()).unwrap();
        // SAFETY: kill takes two numbers; the process is ours and has not been waited for, so the id is still its own.
        #[allow(unsafe_code)]
        let result = unsafe { libc::kill(pid, libc::SIGINT) };
        assert_eq!(result, 0);
    }

    /// Waits for its end with the input still open; gives the exit code and all it said.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "it did not end: {}", self.said);
            thread::sleep(Duration::from_millis(5));
        }
        self.errors.read_to_string(&mut self.said).unwrap();
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.said))
    }
}

impl Drop for Child {
    /// A test that fails leaves no program behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every checkpoint of a training, and the finished model as the last.
pub(crate) fn checkpoints(folder: &Folder, arguments: &str) -> Vec<Vec<u8>> {
    catch_models(folder, "caught", || folder.run(&format!("train {arguments} -q -o caught")))
}

/// The models that a run writes to a file: that is a named pipe, which the program writes to directly.
pub(crate) fn catch_models(folder: &Folder, name: &str, run: impl FnOnce() -> Run) -> Vec<Vec<u8>> {
    const MAGIC: &[u8] = b"russet\x1a\n";
    let path = folder.path(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // While this end is open, the reader does not see an end of file between two models.
    let keep_open = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let mut pipe = File::open(&path).unwrap();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).map(|_| bytes)
    });
    run().succeeds();
    drop(keep_open);
    std::fs::remove_file(&path).unwrap();
    let bytes = reader.join().unwrap().unwrap();
    let starts: Vec<usize> = (0..bytes.len()).filter(|start| bytes[*start..].starts_with(MAGIC)).collect();
    let ends = starts.iter().copied().skip(1).chain([bytes.len()]);
    starts.iter().zip(ends).map(|(start, end)| bytes[*start..end].to_vec()).collect()
}

/// A pipe that nobody reads from.
pub(crate) fn closed_pipe() -> PipeWriter {
    std::io::pipe().unwrap().1
}
