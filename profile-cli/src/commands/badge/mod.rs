//! `profile badge`: the badges that profiles can carry.

mod list;

use clap::Subcommand;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// List the badges that profiles can carry
#[derive(Debug, Subcommand)]
pub(crate) enum BadgeCommand {
    List(list::BadgeListArguments),
}

pub(crate) async fn run(command: BadgeCommand, connection: &Connection) -> Result<Report, Failure> {
    match command {
        BadgeCommand::List(arguments) => list::run(arguments, connection).await,
    }
}
