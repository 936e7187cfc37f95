//! `profile link add`: creates a link.

use clap::Args;
use profile_sdk::{LinkUrl, NewLink};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// Add a link to your profile
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope links:write. If no answer comes, the link is not sent again: `profile link list`
tells whether it is there.

Example:
  profile link add --title 'My site' --url https://example.org")]
pub(crate) struct LinkAddArguments {
    /// The text shown
    #[arg(long)]
    title: String,

    /// Where it points to, an absolute URL
    #[arg(long)]
    url: LinkUrl,
}

pub(crate) async fn run(
    arguments: LinkAddArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let link = NewLink::new(arguments.title, arguments.url);
    let response = connection
        .client
        .create_link(&link)
        .send()
        .await
        .map_err(|error| Failure::of_write("list of links", "profile link list", error))?;
    let sentence = "The service accepted the link without showing it; `profile link list` does.";
    Ok(Report::written(
        &response,
        super::fields,
        "created",
        sentence,
    ))
}
