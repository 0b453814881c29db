//! russet's laboratory: experiments with the learner, to hold what is said of it against what it does.
//!
//! Experiments use the learner as anyone can, through its public interface. They read no file and print nothing: they
//! give reports, and the program makes tables of them. [`theory`] checks what the paper proves or argues.

mod fit;
mod random;
pub mod study;
pub mod theory;
