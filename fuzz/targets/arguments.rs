//! The command line: any words are understood or refused, and settings that are understood can be checked.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../crates/russet-cli/src/args/mod.rs"]
mod args;

use args::{Arguments, Command};
use clap::Parser;
use libfuzzer_sys::fuzz_target;
use russet::settings::Settings;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let words = std::iter::once("russet").chain(text.split_whitespace());
    match Arguments::try_parse_from(words) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(Arguments { command: Command::Train(args) }) => {
            let settings = args.learn.applied_to(&Settings::default());
            let _ = (args.learn.without_effect(&settings), args.data.options(true));
            if let Err(error) = settings.check() {
                assert!(!error.to_string().is_empty());
            }
        }
        Ok(_) => {}
    }
});
