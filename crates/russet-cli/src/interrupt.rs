//! Ctrl-C: the first one asks the work to stop in good order, the second ends the program at once.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

/// The work was given up because the user asked.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// From now on, an interrupt sets the flag instead of ending the program.
pub(crate) fn watch() -> Result<()> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    })
    .context("cannot watch for interrupts")
}

/// The flag that an interrupt sets.
pub(crate) fn flag() -> &'static AtomicBool {
    &ASKED
}

/// True once the user has asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Gives up if the user has asked to stop.
pub(crate) fn check() -> Result<()> {
    if asked() { Err(Interrupted.into()) } else { Ok(()) }
}
