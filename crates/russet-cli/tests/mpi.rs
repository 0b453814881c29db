//! Real jobs under `mpirun`, for a program that is built with `--features mpi`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{Folder, Run, made_up};

#[cfg(not(feature = "mpi"))]
#[test]
fn without_mpi_a_launcher_is_refused() {
    let folder = Folder::with("data.vw", made_up::sparse(100, 1));
    let run = |rank: &str, size: &str| {
        Run::of(
            folder
                .command("train data.vw -o model -q")
                .env("OMPI_COMM_WORLD_RANK", rank)
                .env("OMPI_COMM_WORLD_SIZE", size),
        )
    };
    run("0", "2").refuses(
        "this russet is built without MPI, but 2 of it were started, which would overwrite each other's model; \
         build it with --features mpi, or use --threads on one machine",
    );
    let other = run("1", "2");
    assert_eq!((other.code, other.stderr.as_str()), (Some(2), ""), "one of them speaks");
    assert_eq!(folder.names(), ["data.vw"]);
    run("0", "1").succeeds();
    folder.run("lab parallel data.vw --mpi").refuses("--mpi needs a russet that is built with --features mpi");
}

#[cfg(feature = "mpi")]
mod jobs {
    use super::*;
    use common::RUSSET;
    use common::process::Child;
    use serde_json::Value;
    use std::process::Command as Program;
    use std::time::{Duration, Instant};

    /// `mpirun` on the program, in the folder; nothing where it is not installed, which is said.
    fn mpirun(folder: &Folder, ranks: usize, arguments: &str) -> Option<assert_cmd::Command> {
        if Program::new("mpirun").arg("--version").output().is_err() {
            println!("skipped: there is no mpirun");
            return None;
        }
        let mut command = assert_cmd::Command::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string(), RUSSET]);
        command.args(arguments.split_whitespace()).current_dir(folder.path("")).timeout(Duration::from_secs(60));
        // So that files of the job are found, and MPI's own are not taken for them.
        command
            .env("TMPDIR", folder.path(""))
            .env("OMPI_MCA_orte_tmpdir_base", session())
            .env("PMIX_SERVER_TMPDIR", "/tmp");
        Some(command)
    }

    /// Where the jobs of a test keep what is MPI's own. Those of others at the same time would be in each other's way: one
    /// removes the folder that another has just found.
    fn session() -> String {
        let name = format!("{}/mpi-{:?}", env!("CARGO_TARGET_TMPDIR"), std::thread::current().id());
        std::fs::create_dir_all(&name).unwrap();
        name
    }

    fn run(folder: &Folder, ranks: usize, arguments: &str) -> Option<Run> {
        mpirun(folder, ranks, arguments).map(|mut command| Run::of(&mut command))
    }

    fn folder() -> Folder {
        let folder = Folder::with("data.vw", made_up::sparse(3000, 1));
        (0..4).for_each(|part| folder.write(&format!("part-{part}.vw"), made_up::sparse(600 + 20 * part, part)));
        folder
    }

    /// What the program has said of a failure: the launcher adds words of its own.
    fn errors(run: &Run) -> Vec<&str> {
        run.stderr.lines().filter(|line| line.starts_with("error: ")).collect()
    }

    #[test]
    fn processes_learn_what_threads_do() {
        let folder = folder();
        for (ranks, flags) in [
            (2, "data.vw --passes 3"),
            (4, "part-*.vw --passes 2 --sync-every 150 --ngram 2"),
            (2, "data.vw --passes 2 --expansion linear --cache kept.cache"),
            (4, "data.vw --passes 2 --loss logistic --average plain"),
        ] {
            let Some(run) = run(&folder, ranks, &format!("train {flags} -q --json -o model --test part-0.vw")) else {
                return;
            };
            let json = run.succeeds().json();
            assert_eq!(json["ranks"], ranks);
            assert!(
                json["bytes_sent"].as_u64() > Some(0) && json["seconds_communicating"].as_f64() > Some(0.0),
                "{json}"
            );
            let threads = folder.train_json(&format!("{flags} --threads {ranks} -o threads.model --test part-0.vw"));
            assert!(folder.read("model") == folder.read("threads.model"), "{flags}");
            for field in ["examples", "progressive_loss", "test_error", "auc"] {
                assert_eq!(json[field], threads[field], "{flags}: {field}");
            }
        }
    }

    #[test]
    fn one_process_is_no_parallel_training_at_all() {
        let folder = folder();
        let Some(run) = run(&folder, 1, "train data.vw --passes 2 -q -o model") else { return };
        run.succeeds();
        assert!(folder.read("model") == folder.train("data.vw --passes 2"));
    }

    #[test]
    fn one_rank_speaks() {
        let folder = folder();
        let Some(run) = run(&folder, 3, "train data.vw --passes 2 --top 0 -o model") else { return };
        let run = run.succeeds();
        assert_eq!(run.stdout.matches("examples           6,000").count(), 1, "{}", run.stdout);
        assert_eq!(run.stderr.matches("pass 2 of 2: 6,000 examples on 3 ranks").count(), 1, "{}", run.stderr);
    }

    #[test]
    fn the_laboratory_s_table_is_the_same_over_mpi() {
        let folder = folder();
        if mpirun(&folder, 2, "").is_none() {
            return;
        }
        let table = |mpi: &[&str]| {
            let mut command = folder.command("lab parallel data.vw --test part-0.vw --ranks 2 --passes 2 --json -q");
            let found = Run::of(command.args(mpi).env("OMPI_MCA_orte_tmpdir_base", session())).succeeds().json();
            let row = |row: &Value| (row["method"].clone(), row["auc"].clone(), row["test_error"].clone());
            (found["mpi"].clone(), found["rows"].as_array().unwrap().iter().map(row).collect::<Vec<_>>())
        };
        let (threads, processes) = (table(&[]), table(&["--mpi=mpirun --allow-run-as-root --oversubscribe"]));
        assert_eq!((threads.0, processes.0), (Value::from(false), Value::from(true)));
        assert_eq!(threads.1, processes.1);
    }

    #[test]
    fn ranks_without_data_take_part() {
        let folder = Folder::with("data.vw", "1 | a\n-1 | b\n1 | a c\n");
        let Some(run) = run(&folder, 4, "train data.vw --passes 2 -q --json -o model") else { return };
        assert_eq!(run.succeeds().json()["examples"], 6);
        folder.run("train data.vw --passes 2 --threads 4 -q -o threads.model").succeeds();
        assert!(folder.read("model") == folder.read("threads.model"));
    }

    #[test]
    fn a_bad_file_ends_the_job_with_one_message() {
        let folder = folder();
        let whole = made_up::gzip(made_up::sparse(9000, 3));
        folder.write("part-2.vw.gz", &whole[..whole.len() / 2]);
        folder.write("part-3.vw", "1 | a\n".repeat(9000) + "1 | a:b\n");
        let before = folder.names();
        for (data, message) in [
            ("part-0.vw part-1.vw part-2.vw.gz", "part-2.vw.gz: "),
            ("part-0.vw part-1.vw part-3.vw", "part-3.vw:9001:"),
            ("part-0.vw part-1.vw nowhere.vw", "nowhere.vw: no such file"),
        ] {
            let started = Instant::now();
            let Some(run) = run(&folder, 3, &format!("train {data} --passes 9 -q -o model --checkpoint saved")) else {
                return;
            };
            assert_eq!(run.code, Some(1), "{}", run.stderr);
            let errors = errors(&run);
            assert!(errors.len() == 1 && errors[0].starts_with("error: rank "), "{}", run.stderr);
            assert!(errors[0].contains(" on ") && errors[0].contains(message), "{}", run.stderr);
            assert!(started.elapsed() < Duration::from_secs(10));
            let left: Vec<String> = folder.names().into_iter().filter(|name| name != "saved").collect();
            assert_eq!(left, before);
        }
    }

    #[test]
    fn flags_that_cannot_be_used_are_refused_once() {
        let folder = folder();
        for (flags, message) in [
            ("data.vw --threads 2", "error: --threads cannot be used under an MPI launcher: start more ranks instead"),
            ("data.vw --nonsense", "error: unexpected argument '--nonsense' found"),
        ] {
            let Some(run) = run(&folder, 2, &format!("train {flags} -q")) else { return };
            assert_eq!((run.code, errors(&run)), (Some(2), vec![message]), "{}", run.stderr);
        }
    }

    #[test]
    fn a_killed_rank_ends_the_others() {
        let folder = folder();
        let before = folder.names();
        if mpirun(&folder, 2, "").is_none() {
            return;
        }
        let mut command = Program::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", "3", RUSSET]);
        command.args("train data.vw --passes 100000 -o model".split(' ')).current_dir(folder.path(""));
        command.env("TMPDIR", folder.path("")).env("OMPI_MCA_orte_tmpdir_base", session());
        let mut job = Child::of(command);
        job.wait_for_line("pass 3 of 100000");
        let ranks = children(job.id());
        assert_eq!(ranks.len(), 3);
        let killed = Instant::now();
        assert!(Program::new("kill").args(["-9", &ranks[1].to_string()]).status().unwrap().success());
        let (code, _) = job.end();
        assert!(code != Some(0) && killed.elapsed() < Duration::from_secs(10), "{code:?} {:?}", killed.elapsed());
        let running = |rank: &u32| {
            std::fs::read_to_string(format!("/proc/{rank}/cmdline")).is_ok_and(|line| line.contains("100000"))
        };
        assert!(!ranks.iter().any(running), "a rank is still there");
        assert_eq!(folder.names(), before);
    }

    /// The processes that another has started.
    fn children(parent: u32) -> Vec<u32> {
        let output = Program::new("pgrep").args(["-P", &parent.to_string()]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn another_number_of_processes_goes_on_from_a_checkpoint() {
        let folder = folder();
        let Some(first) = run(&folder, 2, "train data.vw --passes 3 -q -o model --checkpoint saved") else { return };
        first.succeeds();
        let whole = folder.read("model");
        run(&folder, 2, "train data.vw --resume saved -q -o model").unwrap().succeeds();
        assert!(folder.read("model") == whole);
        run(&folder, 4, "train data.vw --resume saved -q -o model").unwrap().succeeds();
        assert!(folder.read("model") == folder.train("data.vw --resume saved --threads 4"));
    }
}
