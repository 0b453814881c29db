//! Parts of the data: together they are all of it, and each line is in one.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use russet_data::{Inputs, ReadOptions, Shard, Stream, count_examples};

#[test]
fn the_parts_of_the_blocks_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    (1..=3000).for_each(|line| writeln!(text, "{} | a{line} b", line % 2).unwrap());
    let path = folder.path().join("data.vw");
    std::fs::write(&path, text).unwrap();
    let inputs = Inputs::file(&path);
    for count in [1, 2, 3, 7] {
        let mut lines = Vec::new();
        for index in 0..count {
            let shard = Some(Shard { index, count });
            // Shards are read by one thread, whatever is asked for.
            let options = ReadOptions { shard, block_bytes: 1 << 12, threads: 2, ..Default::default() };
            let before = lines.len();
            let mut stream = Stream::open(&inputs, options.clone()).unwrap();
            while let Some(parsed) = stream.next().unwrap() {
                assert_eq!(parsed.block.sequence % count, index);
                lines.extend(parsed.batch.iter().map(|example| example.line));
                stream.recycle(parsed);
            }
            assert_eq!(count_examples(&inputs, &options).unwrap(), (lines.len() - before) as u64);
        }
        lines.sort_unstable();
        assert!(lines.into_iter().eq(1..=3000), "{count} parts");
    }
}

#[test]
fn files_are_dealt_out_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let made = [("a", 10), ("b", 50), ("c", 20), ("d", 30), ("e", 10)].map(|(name, size)| {
        let path = folder.path().join(name);
        std::fs::write(&path, "x".repeat(size)).unwrap();
        path.to_string_lossy().into_owned()
    });
    let parts = Inputs::find(&made).unwrap().deal(2);
    let letters = |part: &Inputs| part.iter().filter_map(|input| input.name().chars().last()).collect::<String>();
    assert_eq!(parts.iter().map(letters).collect::<Vec<_>>(), ["ab", "cde"]);
    assert_eq!(parts.iter().map(Inputs::len).sum::<usize>(), 5);
    assert!(Inputs::find(&made[..1]).unwrap().deal(3)[2].is_empty());
}
