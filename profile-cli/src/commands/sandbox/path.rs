//! `profile sandbox path`: the path of the sandbox file.

use clap::Args;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;

#[derive(Debug, Args)]
#[command(after_help = "\
The first command with --sandbox creates the file.

Example:
  profile sandbox path")]
pub(crate) struct PathArguments {}

pub(crate) fn run() -> Result<Report, Failure> {
    let path = crate::session::sandbox::state_path()?;
    Ok(Report::text(path.to_string_lossy(), "path"))
}
