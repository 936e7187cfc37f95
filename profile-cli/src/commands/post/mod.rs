//! `profile post`: the posts of the profile's owner.

mod create;
mod delete;
mod list;

use clap::Subcommand;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// List, create and delete your posts
#[derive(Debug, Subcommand)]
pub(crate) enum PostCommand {
    List(list::PostListArguments),
    Create(create::PostCreateArguments),
    Delete(delete::PostDeleteArguments),
}

pub(crate) async fn run(command: PostCommand, connection: &Connection) -> Result<Report, Failure> {
    match command {
        PostCommand::List(arguments) => list::run(arguments, connection).await,
        PostCommand::Create(arguments) => create::run(arguments, connection).await,
        PostCommand::Delete(arguments) => delete::run(arguments, connection).await,
    }
}
