//! Other programs, run to their end and measured.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look whether a child has to be stopped.
const WATCH: Duration = Duration::from_millis(20);

/// What to start.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// How a child ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// As it should.
    Well(Measured),
    /// With an error: what it said last.
    Badly(String),
    /// Stopped, as it had taken longer than it may.
    OverTime,
    /// Stopped, as the study was.
    Cancelled,
}

/// What a child printed and took.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) output: String,
    /// From start to exit.
    pub(super) wall_seconds: f64,
    pub(super) cpu_seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    No,
    OverTime,
    Cancelled,
}

/// Runs a program to its end, unless it takes longer than `limit` seconds or the study is cancelled.
pub(super) fn run(call: &Call, limit: Option<f64>, cancelled: &AtomicBool) -> io::Result<Ended> {
    let mut errors = tempfile::tempfile()?;
    let mut command = Command::new(&call.program);
    command.args(&call.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors.try_clone()?);
    let started = Instant::now();
    let mut child = command.spawn()?;
    let (mut pipe, mut output) = (child.stdout.take(), String::new());
    let (done, wait) = mpsc::channel();
    let deadline = limit.map(|seconds| started + Duration::from_secs_f64(seconds));
    let (read, watched) = thread::scope(|scope| {
        let watcher = scope.spawn(move || watch(child, &wait, deadline, cancelled));
        // The pipe ends when the child does.
        let read = pipe.as_mut().map_or(Ok(0), |pipe| pipe.read_to_string(&mut output));
        drop(done);
        (read, watcher.join())
    });
    let (mut child, stopped) = watched.map_err(|_| io::Error::other("the watcher panicked"))?;
    let (success, cpu_seconds) = reap(&mut child)?;
    let wall_seconds = started.elapsed().as_secs_f64();
    read?;
    Ok(match stopped {
        Stopped::Cancelled => Ended::Cancelled,
        Stopped::OverTime => Ended::OverTime,
        Stopped::No if success => Ended::Well(Measured { output, wall_seconds, cpu_seconds }),
        Stopped::No => Ended::Badly(last_words(&mut errors)),
    })
}

/// Stops the child if it has to be; the child is not waited for, so its number stays its own.
fn watch(mut child: Child, done: &Receiver<()>, deadline: Option<Instant>, cancelled: &AtomicBool) -> (Child, Stopped) {
    while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(WATCH) {
        let stopped = match deadline {
            _ if cancelled.load(Ordering::Relaxed) => Stopped::Cancelled,
            Some(deadline) if Instant::now() > deadline => Stopped::OverTime,
            _ => continue,
        };
        // It may have ended by itself just now.
        let _ = child.kill();
        return (child, stopped);
    }
    (child, Stopped::No)
}

/// Waits for a child's end: whether it succeeded, and its processor time. (Its peak memory is not taken from here: the
/// system counts what this program had when the child began as the child's.)
#[cfg(unix)]
#[allow(unsafe_code)]
fn reap(child: &mut Child) -> io::Result<(bool, f64)> {
    let id = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: rusage is a struct of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live variables of the right type; the child is ours and nobody else waits for it.
    while unsafe { libc::wait4(id, &raw mut status, 0, &raw mut usage) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let success = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
    Ok((success, seconds(usage.ru_utime) + seconds(usage.ru_stime)))
}

/// Waits for a child's end: whether it succeeded. Its processor time is not told here.
#[cfg(not(unix))]
fn reap(child: &mut Child) -> io::Result<(bool, f64)> {
    Ok((child.wait()?.success(), 0.0))
}

/// The end of what a child said on standard error.
fn last_words(errors: &mut File) -> String {
    const LONGEST: usize = 500;
    let mut bytes = Vec::new();
    let read = errors.rewind().and_then(|()| errors.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim().trim_start_matches("error: ");
    match text.char_indices().rev().nth(LONGEST) {
        _ if read.is_err() || text.is_empty() => "it failed without a word".to_owned(),
        Some((start, _)) => format!("...{}", &text[start..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Option<f64>, cancelled: bool) -> Ended {
        let call = Call { program: "sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] };
        run(&call, limit, &AtomicBool::new(cancelled)).unwrap()
    }

    #[test]
    fn output_and_time_are_taken() {
        let Ended::Well(measured) = shell("echo 1; sleep 0.05", None, false) else { panic!() };
        assert_eq!(measured.output, "1\n");
        assert!((0.05..5.0).contains(&measured.wall_seconds) && measured.cpu_seconds < 0.05, "{measured:?}");
    }

    #[test]
    fn failures_speak() {
        let ended = shell("echo 'error: no such luck' >&2; exit 3", None, false);
        assert!(matches!(&ended, Ended::Badly(words) if words == "no such luck"), "{ended:?}");
    }

    #[test]
    fn children_can_be_stopped() {
        assert!(matches!(shell("exec sleep 30", Some(0.05), false), Ended::OverTime));
        assert!(matches!(shell("exec sleep 30", None, true), Ended::Cancelled));
    }
}
