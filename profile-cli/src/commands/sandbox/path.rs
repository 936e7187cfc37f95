//! `profile sandbox path`: where the sandbox is kept.

use clap::Args;

use crate::failure::Failure;
use crate::report::Report;

/// Print where the sandbox is kept
#[derive(Debug, Args)]
#[command(after_help = "\
The file is made by the first command in the sandbox.

Example:
  profile sandbox path")]
pub(crate) struct SandboxPathArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let path = crate::sandbox::state_path()?;
    Ok(Report::text(path.to_string_lossy(), "path"))
}
