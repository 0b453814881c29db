//! Killed at any moment, a training loses nothing that a checkpoint has, and ends as if nothing had happened.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::made_up::{regression, sparse};
use common::{Folder, RUSSET};
use russet::Model;

/// How many kills a test wants.
const KILLS: u32 = 200;

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = Command::new(RUSSET);
    command.args(arguments.split_whitespace()).current_dir(folder.path("")).env("TMPDIR", folder.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits this long, then kills; true if it was still running.
fn kill_after(mut child: Child, moment: Duration) -> bool {
    thread::sleep(moment);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(status.success() || status.code().is_none(), "it failed before it was killed: {status}");
    !status.success()
}

/// What the kills of a test met.
#[derive(Debug, Default)]
struct Tally {
    kills: u32,
    resumed: u32,
    ends: u32,
}

/// Trains again and again, each time killed and resumed until the end is reached, which has to be `expected`.
fn kill_and_resume(folder: &Folder, flags: &str, longest: Duration, expected: &[u8]) -> Tally {
    let (mut tally, mut dice) = (Tally::default(), Dice(7));
    while tally.kills < KILLS {
        let begun = folder.path("model").exists();
        let resume = if begun { " --resume model" } else { "" };
        let child = start(folder, &format!("train {flags} -q --checkpoint-every 500 -o model{resume}"));
        tally.resumed += u32::from(begun);
        if kill_after(child, Duration::from_micros(dice.roll(longest.as_micros() as u64))) {
            tally.kills += 1;
            // It may have saved the finished model and not yet ended; to resume that would be to learn once more.
            if !std::fs::read(folder.path("model")).is_ok_and(|model| model == expected) {
                continue;
            }
        }
        assert!(folder.read("model") == expected, "{flags}: after {tally:?}");
        tally.ends += 1;
        std::fs::remove_file(folder.path("model")).unwrap();
    }
    if folder.path("model").exists() {
        folder.run(&format!("train {flags} -q --resume model -o model")).succeeds();
        assert!(folder.read("model") == expected, "{flags}: at the end of {tally:?}");
    }
    tally
}

#[test]
fn two_hundred_kills_lead_to_the_same_model() {
    let folder = Folder::new();
    folder.copy("abalone.csv");
    let flags = "abalone.csv --label rings --passes 2";
    let expected = folder.train(flags);
    // Long enough for a run to reach its end now and then.
    let started = Instant::now();
    folder.run(&format!("train {flags} -q --checkpoint-every 500 -o timed")).succeeds();
    let tally = kill_and_resume(&folder, flags, started.elapsed() * 3 / 2, &expected);
    assert!(tally.resumed > 20 && tally.ends > 0, "{tally:?}");
}

/// Whoever looks at the path meanwhile sees a whole model, and the last to finish stays.
#[test]
fn two_processes_that_write_one_path_do_not_mix() {
    let folder = Folder::with("a.vw", sparse(8000, 1));
    folder.write("b.vw", regression(8000, 2));
    let results = [folder.train("a.vw"), folder.train("b.vw")];
    let flags = "-q --checkpoint-every 200 -o model";
    let mut children = [start(&folder, &format!("train a.vw {flags}")), start(&folder, &format!("train b.vw {flags}"))];
    let mut looks = 0;
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        if let Ok(bytes) = std::fs::read(folder.path("model")) {
            Model::from_bytes(&bytes).unwrap();
            looks += 1;
        }
        thread::sleep(Duration::from_millis(1));
    }
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert!(results.contains(&folder.read("model")) && looks > 0);
    assert_eq!(folder.names(), ["a.vw", "b.vw", "model", "trained.model"]);
}

/// A file size limit is a full disk at a place of our choice: the old model stays, and the program says what happened.
#[test]
fn a_full_disk_leaves_the_old_model() {
    let folder = Folder::with("data.vw", sparse(300, 1));
    let old = folder.train("data.vw");
    folder.write("other.vw", sparse(900, 2));
    let size = folder.train("other.vw").len();
    folder.write("model", &old);
    for blocks in 0..size.div_ceil(1024) {
        // The shell's unit is 1024 bytes; the signal that comes with the limit would be the end without the trap.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {RUSSET} train other.vw -q -o model");
        let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{blocks}: {said}");
        assert!(said.starts_with("error: ") && said.contains("model"), "{said}");
        assert!(folder.read("model") == old, "with room for {blocks} KiB");
    }
    assert_eq!(folder.names(), ["data.vw", "model", "other.vw", "trained.model"]);
}
