//! Counts the steps of finding an example's parents and products, in unit tests; elsewhere it is nothing.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts steps of this thread.
#[inline(always)]
pub(crate) fn count(_steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + _steps);
}

/// How many steps some work takes.
#[cfg(test)]
pub(crate) fn taken(work: impl FnOnce()) -> usize {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}
