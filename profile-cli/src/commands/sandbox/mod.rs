//! `profile sandbox`: looks after the made-up profile that `--sandbox` works on.

mod reset;

use clap::Subcommand;

use crate::failure::Failure;
use crate::report::Report;

/// Look after the made-up profile that --sandbox works on
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    Reset(reset::SandboxResetArguments),
}

pub(crate) fn run(command: &SandboxCommand) -> Result<Report, Failure> {
    match command {
        SandboxCommand::Reset(_) => reset::run(),
    }
}
