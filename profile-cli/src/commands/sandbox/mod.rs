//! `profile sandbox`: looks after the made-up profile that `--sandbox` works on.

mod reset;

use clap::Subcommand;

use crate::report::Report;
use crate::session::Session;
use crate::stop::Stop;

/// Look after the made-up profile that --sandbox works on
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    Reset(reset::SandboxResetArguments),
}

pub(crate) fn run(command: &SandboxCommand, session: &Session<'_>) -> Result<Report, Stop> {
    match command {
        SandboxCommand::Reset(_) => reset::run(session),
    }
}
