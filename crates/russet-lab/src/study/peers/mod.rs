//! Other programs to compare with. They are run by scripts that ship with this crate, in a Python environment that is made
//! where it is missing.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::child::{self, Call, Ended};
use super::{Event, Observer, Program, Settings};

const VW_SCRIPT: &str = include_str!("vw.py");
const FIT_SCRIPT: &str = include_str!("fit.py");

/// A program that is ready to be run.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) program: Program,
    /// What is started...
    pub(super) python: PathBuf,
    /// ... with these arguments before those of the run.
    pub(super) first: Vec<String>,
    /// What it is, down to its version.
    pub(super) identity: String,
}

/// The packages that a peer needs, as pip knows them, the peer itself first. VW is pinned, so that everyone compares with
/// the same one.
fn packages(program: Program) -> &'static [&'static str] {
    match program {
        Program::Russet => &[],
        Program::Vw => &["vowpal-wabbit-next==0.7.0"],
        Program::Lightgbm => &["lightgbm", "scikit-learn"],
        Program::Sklearn => &["scikit-learn"],
    }
}

/// Makes a peer ready; otherwise says why it cannot be run.
pub(super) fn prepare(
    program: Program,
    settings: &Settings,
    observer: &dyn Observer,
    cancelled: &AtomicBool,
) -> Result<Peer, String> {
    let (name, text) = if program == Program::Vw { ("vw.py", VW_SCRIPT) } else { ("fit.py", FIT_SCRIPT) };
    let script = settings.work().join(name);
    std::fs::write(&script, text).map_err(|error| format!("{}: {error}", script.display()))?;
    let script = script.to_string_lossy().into_owned();
    if let Some(vw) = on_path("vw").filter(|_| program == Program::Vw) {
        let version = ask(&vw, &["--version"], cancelled)?;
        let first = vec![script, "--vw".to_owned(), vw.to_string_lossy().into_owned()];
        return Ok(Peer { program, python: "python3".into(), first, identity: format!("vw {version}\n{text}") });
    }
    let python = Environment::new(settings, cancelled).with(program, observer)?;
    let versions = ask(&python, &["-c", &check(program)], cancelled)?;
    Ok(Peer { program, python, first: vec![script], identity: format!("{versions}\n{text}") })
}

/// Where a program is that can be called by its name alone.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A Python environment.
struct Environment<'a> {
    folder: PathBuf,
    cancelled: &'a AtomicBool,
}

impl Environment<'_> {
    fn new<'a>(settings: &Settings, cancelled: &'a AtomicBool) -> Environment<'a> {
        let folder = settings.environment.clone().unwrap_or_else(|| settings.out.join(".venv"));
        // Its Python is started from wherever we are.
        Environment { folder: std::path::absolute(&folder).unwrap_or(folder), cancelled }
    }

    /// Its Python, once the packages for `program` are there.
    fn with(&self, program: Program, observer: &dyn Observer) -> Result<PathBuf, String> {
        let python = self.folder.join("bin").join("python");
        if python.is_file() && ask(&python, &["-c", &check(program)], self.cancelled).is_ok() {
            return Ok(python);
        }
        observer.notice(Event::Installing { peer: program });
        // Also where making it was interrupted.
        if !python.is_file() || ask(&python, &["-m", "pip", "--version"], self.cancelled).is_err() {
            ask(Path::new("python3"), &["-m", "venv", &self.folder.to_string_lossy()], self.cancelled)?;
        }
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        ask(&python, &[&install, packages(program)].concat(), self.cancelled)?;
        Ok(python)
    }
}

/// A line of Python that fails if a package is missing, and prints the versions if not.
fn check(program: Program) -> String {
    let name = |package: &&str| package.split('=').next().unwrap_or_default().to_owned();
    let names: Vec<String> = packages(program).iter().map(name).collect();
    format!("from importlib.metadata import version; print(*[(name, version(name)) for name in {names:?}])")
}

/// What a program answers.
fn ask(program: &Path, arguments: &[&str], cancelled: &AtomicBool) -> Result<String, String> {
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    let call = Call { program: program.to_owned(), arguments };
    match child::run(&call, None, cancelled) {
        Ok(Ended::Well(measured)) => Ok(measured.output.trim().to_owned()),
        Ok(Ended::Badly(words)) => Err(format!("{}: {words}", program.display())),
        Ok(Ended::OverTime | Ended::Cancelled) => Err("interrupted".to_owned()),
        Err(error) => Err(format!("{}: {error}", program.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_python() {
        let expected = "from importlib.metadata import version; print(*[(name, version(name)) for name in [\"lightgbm\", \"scikit-learn\"]])";
        assert_eq!(check(Program::Lightgbm), expected);
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(on_path("sh").is_some());
        assert!(on_path("no such program").is_none());
    }
}
