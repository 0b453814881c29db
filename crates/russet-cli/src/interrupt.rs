//! Ctrl-C: the first one asks the work to stop in good order, the second ends the program at once.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result};
use signal_hook::{consts, flag};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What asks a program to stop.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [consts::SIGINT, consts::SIGTERM];

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

/// From now on, an interrupt sets the flag instead of ending the program. No thread waits for it: to start one would take as long as
/// learning from a thousand examples.
pub(crate) fn watch() -> Result<()> {
    for signal in SIGNALS {
        // In this order: the one that sets the flag must not be taken for the second.
        flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&ASKED))
            .and_then(|_| flag::register(signal, Arc::clone(&ASKED)))
            .context("cannot watch for interrupts")?;
    }
    Ok(())
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
