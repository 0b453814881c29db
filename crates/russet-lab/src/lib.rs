//! russet's laboratory: experiments with the learner, to hold what is said of it against what it does.
//!
//! Experiments use the learner as anyone can, through its public interface. They read no file and print nothing: they
//! give reports, and the program makes tables of them. [`theory`] checks what the paper proves or argues. [`study`] is the
//! paper's experiments, and [`report`] writes what came of them: a page and figures, the only files this crate makes.

mod fit;
mod random;
pub mod report;
pub mod study;
pub mod theory;
