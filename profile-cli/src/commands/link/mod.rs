//! `profile link`: the links on the profile.

mod add;
mod delete;
mod edit;
mod fields;
mod list;

use clap::Subcommand;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

/// List, add, edit and delete your links
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile link list
  profile link add --title 'My site' --url https://example.org
  profile link delete link_1 link_2")]
pub(crate) enum LinkCommand {
    /// List your links
    #[command(visible_alias = "ls", after_help = list::HELP)]
    List,
    /// Add a link to your profile
    #[command(visible_alias = "create")]
    Add(add::AddArguments),
    /// Change the title or the URL of a link
    Edit(edit::EditArguments),
    /// Delete links; asks first unless --yes is given
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArguments),
}

pub(crate) fn run(command: LinkCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        LinkCommand::List => list::run(session),
        LinkCommand::Add(arguments) => add::run(arguments, session),
        LinkCommand::Edit(arguments) => edit::run(arguments, session),
        LinkCommand::Delete(arguments) => delete::run(arguments, session),
    }
}
