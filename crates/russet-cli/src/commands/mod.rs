//! The commands besides `train`, one in each file.

pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod evaluate;
mod explain;
pub(crate) mod inspect;
pub(crate) mod lab;
pub(crate) mod predict;
pub(crate) mod tune;
