//! `profile sandbox`: manages the sample profile of `--sandbox`.

mod path;
mod reset;
mod serve;

use clap::Subcommand;

use crate::outcome::Outcome;
use crate::outcome::failure::Failure;
use crate::session::Session;

/// Manage the sample profile of --sandbox
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile --sandbox show
  profile sandbox serve
  profile sandbox reset")]
pub(crate) enum SandboxCommand {
    /// Discard all changes in the sandbox; asks first unless --yes is given
    Reset(reset::ResetArguments),
    /// Print the path of the sandbox file
    Path(path::PathArguments),
    /// Serve the sandbox over HTTP until Ctrl-C
    Serve(serve::ServeArguments),
}

pub(crate) fn run(command: SandboxCommand, session: &Session<'_>) -> Result<Outcome, Failure> {
    match command {
        SandboxCommand::Reset(_) => reset::run(session).map(Outcome::Report),
        SandboxCommand::Path(_) => path::run().map(Outcome::Report),
        SandboxCommand::Serve(arguments) => serve::run(&arguments, session).map(Outcome::Printed),
    }
}
