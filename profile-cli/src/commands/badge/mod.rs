//! `profile badge`: the badges that profiles can carry.

mod list;

use clap::Subcommand;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

/// List the badges that profiles can have
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Example:
  profile badge list")]
pub(crate) enum BadgeCommand {
    /// List all badges; requires no key
    #[command(visible_alias = "ls", after_help = list::HELP)]
    List,
}

pub(crate) fn run(command: BadgeCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        BadgeCommand::List => list::run(session),
    }
}
