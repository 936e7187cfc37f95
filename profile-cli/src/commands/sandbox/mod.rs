//! `profile sandbox`: manages the sample profile of `--sandbox`.

mod reset;

use clap::Subcommand;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

/// Manage the sample profile of --sandbox
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile --sandbox show
  profile sandbox reset")]
pub(crate) enum SandboxCommand {
    /// Discard all changes in the sandbox; asks first unless --yes is given
    #[command(after_help = reset::HELP)]
    Reset,
}

pub(crate) fn run(command: &SandboxCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        SandboxCommand::Reset => reset::run(session),
    }
}
