//! russet's laboratory: experiments with the learner, to hold what is said of it against what it does.
//!
//! Experiments use the learner as anyone can and print nothing: they give reports, and the program makes tables of them.
//! [`theory`] checks what the paper proves or argues, within this process. [`study`] does the paper's experiments on data
//! sets, by running programs, and [`report`] makes a page and figures of what came of them.

mod fit;
mod random;
pub mod report;
pub mod study;
pub mod theory;
