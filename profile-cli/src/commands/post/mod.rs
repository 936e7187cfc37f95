//! `profile post`: the posts of the profile's owner.

mod create;
mod delete;
mod fields;
mod list;

use clap::Subcommand;

use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;

/// List, create and delete your posts
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile post create 'Hello, world'
  profile post list --json")]
pub(crate) enum PostCommand {
    /// List your posts
    #[command(visible_alias = "ls", after_help = list::HELP)]
    List,
    /// Create a post
    #[command(visible_alias = "add")]
    Create(create::CreateArguments),
    /// Delete posts; asks first unless --yes is given
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArguments),
}

pub(crate) fn run(command: PostCommand, session: &Session<'_>) -> Result<Report, Failure> {
    match command {
        PostCommand::List => list::run(session),
        PostCommand::Create(arguments) => create::run(arguments, session),
        PostCommand::Delete(arguments) => delete::run(arguments, session),
    }
}
