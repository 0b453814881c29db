//! What the tests of the program share: a folder to run it in, and data made up for them.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod made_up;
pub(crate) mod process;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// No run of a test may take longer: a hang is a failure.
const LONGEST: Duration = Duration::from_secs(60);

/// The program's path.
pub(crate) const RUSSET: &str = env!("CARGO_BIN_EXE_russet");

/// A folder that the program runs in, so that its messages name files plainly.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    /// A folder with one file in it.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies a data set that ships with the project.
    pub(crate) fn copy(&self, name: &str) {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name), self.path(name)).unwrap();
    }

    /// The names of all files in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with arguments that are apart by spaces.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(RUSSET);
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).timeout(LONGEST);
        command.env_remove("RUSSET_CPU").env_remove("RUST_BACKTRACE").env("TMPDIR", self.0.path());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        Run::of(&mut self.command(arguments))
    }

    /// Runs the program with something on its standard input.
    pub(crate) fn feed(&self, arguments: &str, input: impl Into<Vec<u8>>) -> Run {
        Run::of(self.command(arguments).write_stdin(input))
    }

    /// Trains quietly; gives the bytes of the model.
    pub(crate) fn train(&self, arguments: &str) -> Vec<u8> {
        self.run(&format!("train {arguments} -q -o trained.model")).succeeds();
        self.read("trained.model")
    }

    /// Trains quietly; gives the JSON object.
    pub(crate) fn train_json(&self, arguments: &str) -> serde_json::Value {
        self.run(&format!("train {arguments} -q --json")).succeeds().json()
    }
}

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Run {
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Run {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// It failed with exactly this message and printed nothing else.
    #[track_caller]
    pub(crate) fn fails(&self, message: &str) {
        assert_eq!((self.stderr.as_str(), self.code), (format!("error: {message}\n").as_str(), Some(1)));
        assert_eq!(self.stdout, "");
    }

    /// It refused its flags with exactly this message.
    #[track_caller]
    pub(crate) fn refuses(&self, message: &str) {
        let first = self.stderr.lines().next().unwrap_or_default();
        assert_eq!((first, self.code), (format!("error: {message}").as_str(), Some(2)), "{}", self.stderr);
        assert_eq!(self.stdout, "");
    }

    /// The one JSON object on its standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.stdout.lines().count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }
}
