//! Where code is `unsafe`, how often, and that each place says why it may be.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// All there is: a file, its blocks, its functions. Whoever adds to this has to say so here.
const KNOWN: [(&str, usize, usize); 23] = [
    ("russet-bench/src/limits.rs", 2, 0),
    ("russet-data/src/helper.rs", 2, 0),
    ("russet-data/src/parse/vw/marks.rs", 4, 0),
    ("russet-data/src/parse/vw/mod.rs", 2, 0),
    ("russet-data/src/parse/vw/wide/mod.rs", 1, 0),
    ("russet-data/src/parse/vw/wide/registers.rs", 7, 0),
    ("russet-lab/src/study/child.rs", 2, 0),
    ("russet/src/expansion/families/lanes.rs", 3, 3),
    ("russet/src/expansion/families/listing.rs", 4, 0),
    ("russet/src/expansion/families/wide.rs", 7, 6),
    ("russet/src/weights/cpu.rs", 2, 1),
    ("russet/src/weights/eight/avx.rs", 1, 0),
    ("russet/src/weights/loops.rs", 5, 1),
    ("russet/src/weights/memory.rs", 8, 1),
    ("russet/src/weights/mod.rs", 2, 0),
    ("russet/src/weights/scatter.rs", 3, 3),
    ("russet/src/weights/shared.rs", 5, 4),
    ("russet/src/weights/single.rs", 9, 4),
    ("russet/src/weights/table/rows.rs", 5, 0),
    ("russet/src/weights/tile.rs", 1, 0),
    ("russet/src/weights/wide/close.rs", 2, 1),
    ("russet/src/weights/wide/open.rs", 3, 2),
    ("russet/src/weights/wide/score.rs", 3, 2),
];

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// True if the lines above a place, without a gap, hold `word` in a comment.
fn said_above(lines: &[&str], place: usize, word: &str) -> bool {
    let above = lines[..place].iter().rev().take_while(|line| !line.trim().is_empty());
    above.take(12).any(|line| line.trim_start().starts_with("//") && line.contains(word))
}

/// The blocks and functions of a file, and the lines of those that give no reason.
fn look_at(text: &str) -> (usize, usize, Vec<usize>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut blocks, mut functions, mut silent) = (0, 0, Vec::new());
    for (place, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        let (block, function) = (line.contains("unsafe {"), line.contains("unsafe fn"));
        assert!(!line.contains("unsafe impl") && !line.contains("unsafe extern"), "line {}", place + 1);
        blocks += usize::from(block);
        functions += usize::from(function);
        if block && !said_above(&lines, place, "SAFETY: ") || function && !said_above(&lines, place, "# Safety") {
            silent.push(place + 1);
        }
    }
    (blocks, functions, silent)
}

#[test]
fn every_unsafe_place_is_known_and_says_why_it_may_be() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        source_files(&entry.unwrap().path().join("src"), &mut files);
    }
    let mut found = Vec::new();
    for file in files {
        let (blocks, functions, silent) = look_at(&fs::read_to_string(&file).unwrap());
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().into_owned();
        assert!(silent.is_empty(), "{name}: no reason is given at lines {silent:?}");
        if blocks + functions > 0 {
            found.push((name, blocks, functions));
        }
    }
    found.sort();
    let known = KNOWN.map(|(name, blocks, functions)| (name.to_owned(), blocks, functions));
    assert_eq!(found, known);
}

#[test]
fn a_silent_block_is_found() {
    assert_eq!(look_at("fn f() {\n    // SAFETY: it is.\n    unsafe { g() }\n}\n"), (1, 0, vec![]));
    assert_eq!(look_at("fn f() {\n    unsafe { g() }\n}\n\nunsafe fn h() {}\n"), (1, 1, vec![2, 5]));
}
