//! A stream that goes on and on: memory and pace stay what they were near its start.
//!
//! The run of 100 million examples that `docs/guarantees.md` tells of is this test with
//! `RUSSET_LONG_RUN=100000000`, and the program that `RUSSET_PROGRAM` names, if not the one of the tests.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// How often the program is looked at.
const LOOKS: u64 = 20;

/// The system may put small pages together to large ones of 2 MiB at any time: so much more is no growth of the program's.
const LARGE_PAGES_KIB: u64 = 2 * 2048;

/// What was seen of the program at one moment.
#[derive(Clone, Copy)]
struct Look {
    examples: u64,
    resident_kib: u64,
    processor_seconds: f64,
}

impl Look {
    fn at(child: &Child, examples: u64) -> Look {
        let read = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
        let status = read("status");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let stat = read("stat");
        // The fields after the program's name, which may hold anything: user and system time are the 12th and 13th.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
        let resident_kib = resident.trim().trim_end_matches(" kB").parse().unwrap();
        Look { examples, resident_kib, processor_seconds: ticks as f64 / 100.0 }
    }

    /// Examples in a second of the processor's time: what else runs on the machine does not count.
    fn pace_since(self, before: Look) -> f64 {
        (self.examples - before.examples) as f64 / (self.processor_seconds - before.processor_seconds)
    }
}

/// Writes examples of five features out of 5,000, whose products matter; the same in every run.
struct Generator(u64);

impl Generator {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn examples(&mut self, count: u64, text: &mut String) {
        text.clear();
        for _ in 0..count {
            let features = [0; 5].map(|_: u64| self.roll(1000));
            let score: u64 = features.iter().map(|feature| feature % 3).sum();
            let sum = score + features[0] % 2 * (features[1] % 2) + self.roll(3);
            let label = if sum.is_multiple_of(2) { 1 } else { -1 };
            let [a, b, c, d, e] = features;
            let _ = writeln!(text, "{label} | a{a} b{b} c{c}:0.5 d{d} e{e}:1.5");
        }
    }
}

#[test]
fn memory_and_pace_stay_what_they_were() {
    let examples: u64 = env::var("RUSSET_LONG_RUN").map_or(4_000_000, |count| count.parse().unwrap());
    let program = env::var("RUSSET_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_russet").to_owned());
    let mut child = Command::new(program)
        .args(["train", "-", "--format", "vw", "--readers", "1", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let (looks, seconds) = watch(&mut child, examples);
    assert!(child.wait().unwrap().success());
    eprintln!("{examples} examples in {seconds:.0} s");
    check(&looks, examples);
}

/// Feeds the program, and looks at it now and then.
fn watch(child: &mut Child, examples: u64) -> (Vec<Look>, f64) {
    let mut input = child.stdin.take().unwrap();
    let (mut generator, mut text, started) = (Generator(1), String::new(), Instant::now());
    let mut looks = vec![Look::at(child, 0)];
    for share in 1..=LOOKS {
        let wanted = examples * share / LOOKS;
        let mut sent = looks.last().unwrap().examples;
        while sent < wanted {
            let count = (wanted - sent).min(1000);
            generator.examples(count, &mut text);
            input.write_all(text.as_bytes()).unwrap();
            sent += count;
        }
        let look = Look::at(child, sent);
        let (pace, memory) = (look.pace_since(*looks.last().unwrap()), look.resident_kib);
        let wall = started.elapsed().as_secs_f64();
        eprintln!(
            "{sent:>12} examples  {wall:>7.1} s  {memory:>8} KiB  {pace:>9.0} examples a second of processor time"
        );
        looks.push(look);
    }
    drop(input);
    (looks, started.elapsed().as_secs_f64())
}

/// From a tenth of the way on, memory does not grow, and the last tenth goes as fast as that after the first.
fn check(looks: &[Look], examples: u64) {
    let at = |share: u64| looks[(share * LOOKS / 10) as usize];
    let (first, last) = (at(1).resident_kib, at(10).resident_kib);
    assert!(last <= first + first / 20 + LARGE_PAGES_KIB, "memory has grown from {first} to {last} KiB");
    // A short run is timed by few ticks of the clock.
    let least = if examples >= 10_000_000 { 0.9 } else { 0.5 };
    let (start, end) = (at(2).pace_since(at(1)), at(10).pace_since(at(9)));
    eprintln!("pace: {start:.0} after the first tenth, {end:.0} in the last ({:.3})", end / start);
    assert!(end >= least * start, "{start:.0} examples a second of processor time became {end:.0}");
}
