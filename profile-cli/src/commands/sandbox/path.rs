//! `profile sandbox path`: where the sandbox is kept.

use clap::Args;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;

/// Print where the sandbox is kept
#[derive(Debug, Args)]
#[command(after_help = "\
The file is made by the first command in the sandbox.

Example:
  profile sandbox path")]
pub(crate) struct SandboxPathArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let path = crate::session::sandbox::state_path()?;
    Ok(Report::text(path.to_string_lossy(), "path"))
}
