//! Ctrl-C: the first one asks the work to stop in good order, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

/// From now on, an interrupt sets the flag that this returns.
pub(crate) fn watch() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    })
    .context("cannot watch for interrupts")?;
    Ok(&ASKED)
}
