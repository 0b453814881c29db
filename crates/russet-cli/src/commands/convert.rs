//! `russet convert`: data in another format, or as a cache.

use crate::args::ConvertArgs;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) fn run(_args: &ConvertArgs) -> Result<ExitCode> {
    unimplemented!()
}
