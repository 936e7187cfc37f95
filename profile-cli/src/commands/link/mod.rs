//! `profile link`: the links on the profile.

mod add;
mod delete;
mod edit;
mod list;

use clap::Subcommand;
use profile_sdk::Link;

use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::{Report, Shown, push_field};

/// List, add, edit and delete your links
#[derive(Debug, Subcommand)]
pub(crate) enum LinkCommand {
    List(list::LinkListArguments),
    Add(add::LinkAddArguments),
    Edit(edit::LinkEditArguments),
    Delete(delete::LinkDeleteArguments),
}

pub(crate) async fn run(command: LinkCommand, connection: &Connection) -> Result<Report, Failure> {
    match command {
        LinkCommand::List(arguments) => list::run(arguments, connection).await,
        LinkCommand::Add(arguments) => add::run(arguments, connection).await,
        LinkCommand::Edit(arguments) => edit::run(arguments, connection).await,
        LinkCommand::Delete(arguments) => delete::run(arguments, connection).await,
    }
}

/// A link as names and values.
fn fields(link: &Link) -> Shown {
    let mut fields = Vec::new();
    push_field(&mut fields, "id", link.id.as_ref());
    push_field(&mut fields, "title", link.title.as_ref());
    push_field(&mut fields, "url", link.url.as_ref());
    Shown::Fields(fields)
}
