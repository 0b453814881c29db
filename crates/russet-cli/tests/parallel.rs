//! `--threads N`: several ranks, one model.

mod common;

use common::{Folder, made_up};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A folder with one file of made-up text, and the same in four files.
fn folder() -> Folder {
    let text = made_up::sparse(4000, 1);
    let folder = Folder::with("data.vw", &text);
    let lines: Vec<&str> = text.lines().collect();
    for (part, lines) in lines.chunks(1000).enumerate() {
        folder.write(&format!("part-{part}.vw"), lines.join("\n") + "\n");
    }
    folder.write("test.vw", made_up::sparse(1000, 2));
    folder
}

#[test]
fn one_rank_is_no_parallel_training_at_all() {
    let folder = folder();
    for flags in ["", "--expansion linear", "--passes 3"] {
        let plain = folder.train(&format!("data.vw {flags}"));
        assert!(folder.train(&format!("data.vw {flags} --threads 1")) == plain, "{flags}");
    }
}

#[test]
fn the_same_model_comes_out_every_time() {
    let folder = folder();
    for flags in [
        "data.vw --expansion linear --passes 2",
        "data.vw --passes 3",
        "data.vw --passes 2 --sync-every 100",
        "data.vw --passes 2 --average plain --ngram 2",
        "part-*.vw --passes 2 --sync-every 333 --expansion linear",
        "part-*.vw --passes 2",
        "data.vw --passes 2 --expansion quadratic --sync-every 300 --bits 22",
        "part-*.vw --expansion cubic --bits 24",
        "data.vw --expansion quadratic --indexing hashed",
    ] {
        for ranks in [2, 3, 4] {
            let command = format!("{flags} --threads {ranks}");
            assert!(folder.train(&command) == folder.train(&command), "{command}");
        }
    }
}

#[test]
fn every_example_is_learned_once_a_pass_and_counted() {
    let folder = folder();
    folder.run("convert data.vw -o data.cache -q").succeeds();
    folder.copy("titanic.csv");
    for (data, examples) in
        [("data.vw", 4000), ("part-*.vw", 4000), ("data.cache", 4000), ("titanic.csv --label survived", 2201)]
    {
        for ranks in [1, 2, 5] {
            let json = folder.train_json(&format!("{data} --threads {ranks} --passes 2"));
            assert_eq!(json["examples"], 2 * examples, "{data}");
            assert_eq!(json["ranks"], ranks);
            let communicates = ranks > 1;
            assert_eq!(number(&json["bytes_sent"]) > 0.0, communicates);
            assert_eq!(number(&json["seconds_communicating"]) > 0.0, communicates);
        }
    }
}

#[test]
fn a_table_of_one_file_or_a_cache_of_it_learns_the_same() {
    let folder = folder();
    folder.run("convert part-0.vw part-1.vw part-2.vw part-3.vw -o data.cache -q").succeeds();
    let error =
        |data: &str| number(&folder.train_json(&format!("{data} --threads 2 --passes 3 --test test.vw"))["test_error"]);
    let (text, cache) = (error("data.vw"), error("data.cache"));
    assert!((text - cache).abs() < 0.03, "{text} {cache}");
}

#[test]
fn ranks_together_learn_as_well_as_one() {
    let folder = folder();
    folder.copy("a9a-sample.vw.zst");
    for (data, test) in [("data.vw", "test.vw"), ("a9a-sample.vw.zst", "a9a-sample.vw.zst")] {
        for flags in ["--expansion linear", "", "--sync-every 200", "--expansion quadratic"] {
            let error = |ranks: u32| {
                let every = if ranks > 1 { flags } else { flags.trim_start_matches("--sync-every 200") };
                let json = folder.train_json(&format!("{data} {every} --passes 5 --threads {ranks} --test {test}"));
                number(&json["test_error"])
            };
            let one = error(1);
            for ranks in [2, 4] {
                let found = error(ranks);
                assert!(found <= one + 0.025, "{data} {flags}: {found} on {ranks} ranks, {one} on one");
            }
        }
    }
}

#[test]
fn readers_change_nothing() {
    let folder = folder();
    folder.run("convert data.vw -o data.cache -q").succeeds();
    for data in ["data.vw", "part-*.vw", "data.cache"] {
        let one = folder.train(&format!("{data} --threads 2 --passes 2"));
        assert!(folder.train(&format!("{data} --threads 2 --passes 2 --readers 3")) == one, "{data}");
    }
}

#[test]
fn a_cache_is_made_once_and_read_by_all() {
    let folder = folder();
    let made = folder.train("data.vw --cache kept.cache --threads 3 --passes 2");
    let cache = folder.read("kept.cache");
    assert!(folder.train("data.vw --cache kept.cache --threads 3 --passes 2") == made);
    assert!(folder.read("kept.cache") == cache);
    assert!(folder.train("kept.cache --threads 3 --passes 2") == made, "the cache itself is the data");
    // One rank makes the same one.
    folder.run("train data.vw --cache other.cache -q").succeeds();
    assert!(folder.read("other.cache") == cache);
    let json = folder.train_json("data.vw --cache kept.cache --threads 3 --passes 2");
    assert_eq!(json["examples"], 8000);
    folder.write("data.vw", made_up::sparse(500, 3));
    let run = folder.run("train data.vw --cache kept.cache --threads 2").succeeds();
    assert!(
        run.stderr.starts_with("the cache kept.cache is made anew: the data has changed since\n"),
        "{}",
        run.stderr
    );
    folder
        .run("train data.vw --cache test.vw --threads 2")
        .refuses("test.vw is not a russet cache; it would be overwritten");
}

#[test]
fn bad_lines_in_a_cache_are_reported_once() {
    let folder = Folder::with("data.vw", "1 | a\n1 | a:b\n-1 | b\n".repeat(50));
    let run = folder.run("train data.vw --cache kept.cache --threads 2 --on-error skip --passes 2").succeeds();
    assert!(run.stderr.contains("skipped 50 lines with errors; the first: data.vw:2:7:"), "{}", run.stderr);
}

#[test]
fn products_that_share_weights_cannot_be_matched() {
    let folder = folder();
    folder.run("train data.vw --threads 2 --expansion quadratic --bits 9 -q").fails(
        "more than one rank needs a weight for each product, which takes more bits here; or features indexed by hash",
    );
}

#[test]
fn more_ranks_than_there_is_data() {
    let folder = Folder::with("data.vw", "1 | a\n-1 | b\n1 | a c\n");
    let json = folder.train_json("data.vw --threads 7 --passes 2 -o model");
    assert_eq!(json["examples"], 6);
    folder.run("inspect model").succeeds();
}

#[test]
fn a_model_of_several_ranks_is_like_any_other() {
    let folder = folder();
    folder.run("train data.vw --threads 3 --passes 2 -o model -q").succeeds();
    folder.run("inspect model --tree").succeeds();
    folder.run("evaluate -m model test.vw").succeeds();
    let more = folder.run("train test.vw --resume model -o model -q --json").succeeds().json();
    assert_eq!(more["examples"], 9000);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = folder();
    folder.train("data.vw");
    for (flags, message) in [
        (
            "-o model --checkpoint-every 9",
            "--checkpoint-every cannot be used with more than one rank; --checkpoint saves at the end of each pass",
        ),
        ("--holdout 0.2", "--holdout cannot be used with more than one rank"),
        ("--examples 9", "--examples cannot be used with more than one rank"),
        ("--select picky-ssm", "a picky rule of selection cannot be used with more than one rank yet"),
    ] {
        folder.run(&format!("train data.vw --threads 2 {flags}")).refuses(message);
    }
    folder
        .feed("train - --threads 2", "1 | a\n")
        .refuses("more than one rank needs files: standard input cannot be dealt out");
    folder.run("train data.vw --sync-every 5").refuses("--sync-every is for --threads above 1");
    folder.run("train data.vw --average plain").refuses("--average is for --threads above 1");
    assert_eq!(folder.run("train data.vw --threads 0").code, Some(2));
}

#[test]
fn one_bad_part_ends_everything_with_one_message() {
    let folder = folder();
    folder.write("part-2.vw", "1 | a\n".repeat(3000) + "1 | a:b\n");
    let run = folder.run("train part-*.vw --threads 4 --passes 3 -q -o model");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("error: part-2.vw:3001:") && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert!(!folder.names().contains(&"model".to_owned()));
    folder.run("train part-*.vw --threads 4 --passes 3 -q --on-error skip -o model").succeeds();
    folder.run("train part-0.vw nowhere.vw --threads 2 -q").fails("nowhere.vw: no such file");
    let whole = made_up::gzip(made_up::sparse(3000, 3));
    folder.write("cut.vw.gz", &whole[..whole.len() / 2]);
    let run = folder.run("train part-0.vw cut.vw.gz --threads 2 -q");
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{}", run.stderr);
    assert!(run.stderr.contains("cut.vw.gz"), "{}", run.stderr);
}

/// Each rank reads only its own stretches of a plain file, and has not seen the lines before a fault.
#[test]
fn a_fault_in_one_file_is_named_by_its_line_in_the_file() {
    let folder = folder();
    for bad in [1, 700, 2345, 4001] {
        let mut lines: Vec<String> = made_up::sparse(4000, 1).lines().map(str::to_owned).collect();
        lines.insert(bad - 1, "1 | a:b".to_owned());
        folder.write("bad.vw", lines.join("\n"));
        for ranks in [2, 3] {
            let run = folder.run(&format!("train bad.vw --threads {ranks} -q -o model"));
            assert_eq!(run.code, Some(1));
            assert!(run.stderr.starts_with(&format!("error: bad.vw:{bad}:7: ")), "{}", run.stderr);
            let json = folder.train_json(&format!("bad.vw --threads {ranks} --on-error skip"));
            assert_eq!(json["examples"], 4000);
        }
    }
    // What is wrong only to the learner.
    folder.write("bad.vw", "1 | a\n".repeat(3000) + "7 | a\n" + &"1 | a\n".repeat(500));
    let run = folder.run("train bad.vw --threads 2 --loss logistic -q");
    run.fails("bad.vw:3001:1: the label is 7; logistic loss needs -1 and 1, or 0 and 1");
}

#[test]
fn an_empty_course_is_an_error() {
    let folder = Folder::with("data.vw", "\n\n");
    assert_eq!(folder.run("train data.vw --threads 2 -q").code, Some(1));
}

#[test]
fn a_table_with_flags_for_its_columns_may_have_a_cache() {
    // Found as an error: the flags were held against the cache.
    let folder = folder();
    folder.write("data.csv", made_up::tabular(3000, 1));
    let made = folder.train("data.csv --label bought --threads 2 --cache kept.cache");
    assert!(folder.train("data.csv --label bought --threads 2 --cache kept.cache") == made);
}

#[test]
fn several_classes_are_refused_with_a_cache_too() {
    // Found as a regression on the numbers of the classes.
    let folder = folder();
    let rows: String = (0..600).map(|row| format!("{},{}\n", ["x", "y", "z"][row % 3], row % 7)).collect();
    folder.write("classes.csv", format!("kind,a\n{rows}"));
    for cache in ["", "--cache kept.cache"] {
        folder
            .run(&format!("train classes.csv --label kind --threads 2 {cache}"))
            .refuses("more than one rank does not know more than two classes yet");
    }
    folder.run("convert classes.csv --label kind -o classes.cache -q").succeeds();
    folder.run("train classes.cache --threads 2").refuses("more than one rank does not know more than two classes yet");
}
