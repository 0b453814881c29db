//! Real processes under `mpirun`: each test starts itself again there, and what it says is checked.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use russet::parallel::{Collective, CollectiveError};
use russet_mpi::MpiCollective;

/// Set in the processes that `mpirun` starts.
const INSIDE: &str = "RUSSET_MPI_TEST";

/// Runs `rank` on each of `ranks` processes. Outside of these: what they came to, or nothing where there is no `mpirun`.
fn on_ranks(test: &str, ranks: usize, rank: impl FnOnce(MpiCollective)) -> Option<Output> {
    if std::env::var_os(INSIDE).is_some() {
        rank(MpiCollective::join().unwrap());
        return None;
    }
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]).env(INSIDE, "1");
    match command.output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: there is no mpirun");
            None
        }
        Err(error) => panic!("mpirun: {error}"),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_rank_gets_what_every_rank_brings() {
    let output = on_ranks("every_rank_gets_what_every_rank_brings", 3, |rank| {
        let number = rank.rank();
        assert_eq!(rank.ranks(), 3);
        // So small that most messages take several calls.
        let mut rank = rank.with_largest_call(10);
        for length in [0, 1, 3, 4, 50] {
            let bring = |rank: usize| -> Vec<u8> { (0..length * rank).map(|byte| (byte + rank) as u8).collect() };
            let gathered = rank.gather(&bring(number)).unwrap();
            let gathered: Vec<Vec<u8>> = gathered.iter().map(|theirs| theirs.to_vec()).collect();
            assert_eq!(gathered, [bring(0), bring(1), bring(2)]);
        }
        assert_eq!(rank.traffic().bytes_sent, 58 * number as u64);
        assert!(rank.traffic().seconds > 0.0 && !rank.host().is_empty());
        let mut values = [0.1, number as f64];
        rank.sum(&mut values).unwrap();
        assert_eq!(values, [0.1 + 0.1 + 0.1, 3.0]);
        let mut word = vec![number as u8];
        rank.broadcast(2, &mut word).unwrap();
        assert_eq!(word, [2]);
        assert_eq!(rank.check(), Ok(()));
        println!("rank {number} is done");
    });
    if let Some(output) = output {
        let said = text(&output.stdout);
        assert!(output.status.success(), "{said}{}", text(&output.stderr));
        assert_eq!(said.matches("is done").count(), 3, "{said}");
    }
}

#[test]
fn the_first_rank_learns_why_another_failed_and_ends_all() {
    let started = Instant::now();
    let output = on_ranks("the_first_rank_learns_why_another_failed_and_ends_all", 3, |mut rank| {
        if rank.rank() == 1 {
            rank.fail("there is no more disk", 7);
            panic!("rank 0 has not answered");
        }
        let error = rank.barrier().unwrap_err();
        let host = rank.host().to_owned();
        let message = "there is no more disk".to_owned();
        assert_eq!(error, CollectiveError::Failed { rank: 1, host, message, code: 7 });
        println!("rank {}: {error}", rank.rank());
        rank.abort(7);
    });
    if let Some(output) = output {
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(7), "{said}{}", text(&output.stderr));
        assert_eq!(said.matches("there is no more disk").count(), 1, "{said}");
        assert!(said.contains("rank 0: rank 1 on "), "{said}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
