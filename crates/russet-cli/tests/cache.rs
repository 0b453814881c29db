//! The cache stands in for the data it was made from, and for no other.

mod common;

use common::Folder;
use common::made_up::{sparse, tabular};

/// A folder with data, and the bytes of the model that it trains.
fn folder_and_model() -> (Folder, Vec<u8>) {
    let folder = Folder::with("data.vw", sparse(12_000, 1));
    let model = folder.train("data.vw");
    (folder, model)
}

fn flip(folder: &Folder, name: &str, place: usize) {
    let mut bytes = folder.read(name);
    bytes[place] ^= 1;
    folder.write(name, bytes);
}

#[track_caller]
fn is_made_anew(folder: &Folder, flags: &str, wanted: &[u8]) {
    let run = folder.run(&format!("train data.vw {flags} --cache kept.cache -o model")).succeeds();
    assert!(run.stderr.starts_with("the cache kept.cache is made anew: "), "{}", run.stderr);
    assert!(folder.read("model") == wanted);
    let run = folder.run(&format!("train data.vw {flags} --cache kept.cache -o model")).succeeds();
    assert!(!run.stderr.contains("kept.cache"), "the cache that was made anew fits: {}", run.stderr);
    assert!(folder.read("model") == wanted);
}

#[test]
fn the_first_run_writes_a_cache_and_the_second_reads_it() {
    let (folder, wanted) = folder_and_model();
    for _ in 0..2 {
        assert!(folder.train("data.vw --cache kept.cache") == wanted);
    }
    let before = folder.read("kept.cache");
    assert_eq!(folder.run("train data.vw --cache kept.cache -q").succeeds().stderr, "");
    assert!(folder.read("kept.cache") == before);
    assert!(folder.train("kept.cache") == wanted);
}

#[test]
fn changed_data_makes_the_cache_anew() {
    let (folder, _) = folder_and_model();
    folder.train("data.vw --cache kept.cache");
    folder.write("data.vw", sparse(12_000, 2));
    let wanted = folder.train("data.vw");
    let run = folder.run("train data.vw --cache kept.cache -o model").succeeds();
    assert!(
        run.stderr.starts_with("the cache kept.cache is made anew: the data has changed since\n"),
        "{}",
        run.stderr
    );
    assert!(folder.read("model") == wanted);
    assert!(folder.train("data.vw --cache kept.cache") == wanted);
}

#[test]
fn other_flags_make_the_cache_anew() {
    let folder = Folder::with("data.csv", tabular(2000, 1));
    folder.train("data.csv --label bought --cache kept.cache");
    let wanted = folder.train("data.csv --label bought --ignore age");
    let run = folder.run("train data.csv --label bought --ignore age --cache kept.cache -o model").succeeds();
    let message = "the cache kept.cache is made anew: the data was read with other flags\n";
    assert!(run.stderr.starts_with(message), "{}", run.stderr);
    assert!(folder.read("model") == wanted);
}

#[test]
fn a_cache_of_another_version_is_made_anew() {
    let (folder, wanted) = folder_and_model();
    folder.train("data.vw --cache kept.cache");
    flip(&folder, "kept.cache", 9);
    is_made_anew(&folder, "", &wanted);
}

#[test]
fn a_truncated_cache_is_made_anew() {
    let (folder, wanted) = folder_and_model();
    folder.train("data.vw --cache kept.cache");
    let whole = folder.read("kept.cache");
    for length in [10, 100, whole.len() / 2, whole.len() - 1] {
        folder.write("kept.cache", &whole[..length]);
        is_made_anew(&folder, "", &wanted);
    }
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let (folder, wanted) = folder_and_model();
    folder.train("data.vw --cache kept.cache");
    let middle = folder.read("kept.cache").len() / 2;
    flip(&folder, "kept.cache", middle);
    is_made_anew(&folder, "", &wanted);
}

#[test]
fn a_cache_that_cannot_be_used_as_data_is_refused() {
    let (folder, _) = folder_and_model();
    folder.run("convert data.vw -q -o whole.cache").succeeds();
    let whole = folder.read("whole.cache");
    let refused = |message: &str| {
        for expansion in ["apple", "linear"] {
            folder
                .run(&format!("train data.cache -q --expansion {expansion}"))
                .fails(&format!("data.cache: {message}"));
        }
    };
    for length in [10, 100, whole.len() / 2, whole.len() - 1] {
        folder.write("data.cache", &whole[..length]);
        refused("this cache is cut short; make it anew");
    }
    folder.write("data.cache", &whole);
    flip(&folder, "data.cache", whole.len() / 2);
    refused("this cache is damaged; make it anew");
    folder.write("data.cache", &whole);
    flip(&folder, "data.cache", 9);
    refused("this cache has version 260; this russet reads version 4; make it anew");
    folder.write("data.cache", "this is no cache");
    assert_eq!(
        folder.run("train data.cache -q --format cache").stderr,
        "error: data.cache: this is not a russet cache\n"
    );
}

#[test]
fn bytes_after_the_end_of_a_cache_are_refused() {
    let (folder, _) = folder_and_model();
    folder.run("convert data.vw -q -o data.cache").succeeds();
    let twice = [folder.read("data.cache"), folder.read("data.cache")].concat();
    folder.write("data.cache", twice);
    assert_eq!(folder.run("train data.cache -q").code, Some(1), "half of the examples were passed over in silence");
}

#[test]
fn several_passes_give_the_same_bytes_from_text_and_from_any_cache() {
    let (folder, _) = folder_and_model();
    folder.run("convert data.vw -q -o data.cache").succeeds();
    for flags in ["--passes 3", "--passes 2 --holdout 0.2", "--passes 3 --expansion quadratic"] {
        let wanted = folder.train(&format!("data.vw {flags}"));
        assert!(folder.train(&format!("data.cache {flags}")) == wanted, "{flags}");
        for _ in 0..2 {
            assert!(folder.train(&format!("data.vw {flags} --cache kept.cache")) == wanted, "{flags}");
        }
    }
}

#[test]
fn no_temporary_cache_is_left_behind() {
    let (folder, _) = folder_and_model();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let left = |arguments: &str| {
        common::Run::of(folder.command(arguments).env("TMPDIR", folder.path("temporary")));
        std::fs::read_dir(folder.path("temporary")).unwrap().count()
    };
    assert_eq!(left("train data.vw --passes 3 -q"), 0);
    folder.write("faulty.vw", sparse(12_000, 1) + "x | fault\n");
    assert_eq!(left("train faulty.vw --passes 3 -q"), 0);
    assert_eq!(left("train faulty.vw --passes 3 -q --cache kept.cache"), 0);
    assert!(!folder.path("kept.cache").exists());
}

#[test]
fn a_cache_of_standard_input_does_not_stand_in_for_other_input() {
    let folder = Folder::new();
    folder.feed("train - -q --cache kept.cache -o first", sparse(500, 1)).succeeds();
    folder.feed("train - -q --cache kept.cache -o second", sparse(500, 2)).succeeds();
    folder.feed("train - -q -o wanted", sparse(500, 2)).succeeds();
    assert!(folder.read("second") == folder.read("wanted"));
}

#[test]
fn a_file_that_is_no_cache_is_not_overwritten() {
    let (folder, _) = folder_and_model();
    folder.write("notes.txt", "years of work\n");
    for (name, message) in [("data.vw", "is among the data"), ("notes.txt", "is not a russet cache")] {
        let before = folder.read(name);
        let run = folder.run(&format!("train data.vw -q --cache {name}"));
        assert!(folder.read(name) == before, "{name} is gone");
        assert!(run.stderr.starts_with(&format!("error: {name} {message}; it would be overwritten")), "{}", run.stderr);
        assert_eq!(run.code, Some(2));
    }
}
