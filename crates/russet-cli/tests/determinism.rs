//! The same data and flags give the same model, byte for byte, however the work is done.

mod common;

use common::made_up::{gzip, regression, sparse, tabular, wide, zstd};
use common::{Folder, Run};

const EXPANSIONS: [&str; 3] = ["linear", "quadratic", "cubic"];

/// Data that ships, and data that is made up.
fn folder_and_data() -> (Folder, Vec<&'static str>) {
    let folder = Folder::with("sparse.vw", sparse(8000, 1));
    folder.write("numbers.vw", regression(6000, 2));
    ["titanic.csv", "abalone.csv", "cal_housing.csv"].iter().for_each(|name| folder.copy(name));
    let data = vec![
        "titanic.csv --label survived",
        "abalone.csv --label rings",
        "cal_housing.csv --label median_house_value",
        "sparse.vw",
        "numbers.vw",
    ];
    (folder, data)
}

fn train_on(folder: &Folder, cpu: &str, flags: &str) -> Vec<u8> {
    let arguments = format!("train {flags} -q -o on.{cpu}");
    Run::of(folder.command(&arguments).env("RUSSET_CPU", cpu)).succeeds();
    folder.read(&format!("on.{cpu}"))
}

/// The instruction sets of this machine.
fn processors() -> Vec<&'static str> {
    let avx2 = cfg!(target_arch = "x86_64") && std::arch::is_x86_feature_detected!("avx2");
    ["plain", "portable"].into_iter().chain(avx2.then_some("avx2")).collect()
}

#[test]
fn two_runs_give_the_same_bytes() {
    let (folder, data) = folder_and_data();
    for data in data {
        for expansion in EXPANSIONS {
            let flags = format!("{data} --expansion {expansion}");
            assert!(folder.train(&flags) == folder.train(&flags), "{flags}");
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bytes() {
    println!("instruction sets: {:?}", processors());
    let (folder, data) = folder_and_data();
    for data in data {
        for expansion in EXPANSIONS {
            let flags = format!("{data} --expansion {expansion}");
            let default = folder.train(&flags);
            for cpu in processors() {
                assert!(train_on(&folder, cpu, &flags) == default, "{flags} on {cpu}");
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bytes_with_every_loss_and_step() {
    let folder = Folder::with("data.vw", sparse(3000, 3));
    for flags in [
        "--loss logistic --l1 0.0001",
        "--loss hinge --ngram 2",
        "--loss quantile --quantile 0.7 --l2 0.001",
        "--step sgd --l2 0.01",
        "--step sgd --l2 0.01 --loss logistic --l1 0.0001",
        "--indexing hashed --bits 6",
    ] {
        for expansion in ["linear", "cubic"] {
            let flags = format!("data.vw --expansion {expansion} {flags}");
            let default = folder.train(&flags);
            for cpu in processors() {
                assert!(train_on(&folder, cpu, &flags) == default, "{flags} on {cpu}");
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_predictions() {
    let folder = Folder::with("data.vw", sparse(3000, 3));
    folder.run("train data.vw -q -o model --expansion cubic --loss logistic").succeeds();
    let default = folder.run("predict -m model data.vw").succeeds().stdout;
    for cpu in processors() {
        let run = Run::of(folder.command("predict -m model data.vw").env("RUSSET_CPU", cpu)).succeeds();
        assert!(run.stdout == default, "{cpu}");
    }
}

#[test]
fn an_instruction_set_that_is_not_there_is_refused() {
    let folder = Folder::with("data.vw", "1 | a\n");
    let run = Run::of(folder.command("train data.vw").env("RUSSET_CPU", "abacus"));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("error: RUSSET_CPU is abacus; "), "{}", run.stderr);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = Folder::with("data.vw", sparse(30_000, 1));
    folder.write("data.csv", tabular(30_000, 1));
    for data in ["data.vw", "data.vw --expansion quadratic", "data.csv --label bought", "data.vw --passes 3"] {
        let one = folder.train(&format!("{data} --readers 1"));
        for threads in [2, 5] {
            assert!(folder.train(&format!("{data} --readers {threads}")) == one, "{data} --readers {threads}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_with_many_features() {
    let folder = Folder::with("wide.vw", wide(20_000, 1));
    let unlabelled =
        wide(9000, 2) + "| 1 2 never_seen_elsewhere\n" + &wide(9000, 3) + "5 | 3 only_here\n" + &wide(5000, 4);
    folder.write("faulty.vw", unlabelled);
    let flags = ["wide.vw", "wide.vw --passes 3", "wide.vw --ngram 2", "faulty.vw --on-error skip --loss logistic"];
    for data in flags {
        let one = folder.train(&format!("{data} --readers 1"));
        for threads in [2, 4] {
            assert!(folder.train(&format!("{data} --readers {threads}")) == one, "{data} --readers {threads}");
        }
    }
}

/// A thread of its own reads the cache and finds the weights, or the learner does.
#[test]
fn a_linear_model_has_the_same_bytes_however_a_cache_is_read() {
    let folder = Folder::with("names.vw", sparse(30_000, 1));
    folder.write("numbers.vw", sparse(60_000, 2).replace('f', ""));
    folder.write("wide.vw", wide(20_000, 3));
    let refused = "5 | 3 4\n| 1 2 99999\n1 | 7 7 3\n".to_owned();
    folder.write("faulty.vw", [sparse(20_000, 4), refused, sparse(20_000, 5)].concat().replace('f', ""));
    folder.write("table.csv", tabular(20_000, 1));
    for (data, flags) in [
        ("names.vw", ""),
        ("numbers.vw", ""),
        ("numbers.vw", "--passes 3 --l1 0.0001"),
        ("wide.vw", "--ngram 2"),
        ("faulty.vw", "--on-error skip --loss logistic"),
        ("faulty.vw", "--on-error skip --loss logistic --passes 2"),
        ("table.csv", "--label bought"),
    ] {
        let label = if data == "table.csv" { flags } else { "" };
        let wanted = folder.train(&format!("{data} --expansion linear {flags} --readers 1"));
        folder.run(&format!("convert {data} {label} --on-error skip -q -o data.cache")).succeeds();
        let flags = flags.replace("--label bought", "");
        for readers in [1, 2, 5] {
            let trained = folder.train(&format!("data.cache --expansion linear {flags} --readers {readers}"));
            assert!(trained == wanted, "{data} {flags} --readers {readers}");
        }
        if !flags.contains("--passes") {
            let train = format!("train - --expansion linear {flags} -q -o piped --readers 2");
            folder.feed(&train, folder.read("data.cache")).succeeds();
            assert!(folder.read("piped") == wanted, "{data} {flags}, from a pipe");
        }
    }
}

#[test]
fn compression_and_the_cache_give_the_same_bytes() {
    let folder = Folder::with("data.vw", sparse(20_000, 1));
    folder.write("data.csv", tabular(20_000, 1));
    for (name, label) in [("data.vw", ""), ("data.csv", "--label bought")] {
        let text = folder.read(name);
        folder.write(&format!("{name}.gz"), gzip(&text));
        folder.write(&format!("{name}.zst"), zstd(&text));
        folder.run(&format!("convert {name} {label} -q -o {name}.cache")).succeeds();
        let plain = folder.train(&format!("{name} {label}"));
        for (ending, label) in [("gz", label), ("zst", label), ("cache", "")] {
            assert!(folder.train(&format!("{name}.{ending} {label}")) == plain, "{name}.{ending}");
        }
    }
}

#[test]
fn compression_is_told_by_content_whatever_the_name() {
    let text = sparse(500, 1);
    let folder = Folder::with("data.vw", &text);
    let plain = folder.train("data.vw");
    folder.write("data.vw", gzip(&text));
    assert!(folder.train("data.vw") == plain);
    folder.write("data.vw", zstd(&text));
    assert!(folder.train("data.vw") == plain);
    folder.write("data.vw", [gzip(&text[..text.len() / 2]), gzip(&text[text.len() / 2..])].concat());
    assert!(folder.train("data.vw") == plain, "several gzip members in one file");
}

#[test]
fn splitting_a_file_changes_nothing_but_the_order_of_files_counts() {
    let text = sparse(20_000, 1);
    let folder = Folder::with("whole.vw", &text);
    let middle = text[..text.len() / 3].rfind('\n').unwrap() + 1;
    folder.write("a.vw", &text[..middle]);
    folder.write("b.vw", &text[middle..]);
    let whole = folder.train("whole.vw");
    assert!(folder.train("a.vw b.vw") == whole);
    assert!(folder.train("b.vw a.vw") != whole);
}

#[test]
fn a_missing_line_end_and_carriage_returns_change_nothing() {
    let text = sparse(500, 1);
    let folder = Folder::with("data.vw", &text);
    let plain = folder.train("data.vw");
    folder.write("data.vw", text.trim_end());
    assert!(folder.train("data.vw") == plain);
    folder.write("data.vw", text.replace('\n', "\r\n"));
    assert!(folder.train("data.vw") == plain);
}
