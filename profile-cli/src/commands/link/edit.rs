//! `profile link edit`: changes a link.

use clap::Args;
use profile_sdk::{LinkId, LinkUpdate, LinkUrl};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::printable::quoted;
use crate::report::Report;

/// Change the title or the URL of a link, or both
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope links:write. `profile link list` shows the ids.

Example:
  profile link edit link_1 --title 'My new site'")]
pub(crate) struct LinkEditArguments {
    /// Which link
    id: LinkId,

    #[command(flatten)]
    change: Change,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Change {
    /// The new text shown
    #[arg(long)]
    title: Option<String>,

    /// Where it is to point to, an absolute URL
    #[arg(long)]
    url: Option<LinkUrl>,
}

pub(crate) async fn run(
    arguments: LinkEditArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let LinkEditArguments { id, change } = arguments;
    let mut update = LinkUpdate::new();
    if let Some(title) = change.title {
        update = update.title(title);
    }
    if let Some(url) = change.url {
        update = update.url(url);
    }
    let response = connection
        .client
        .update_link(&id, &update)
        .send()
        .await
        .map_err(|error| {
            Failure::of_write(&format!("link {}", quoted(&id)), "profile link list", error)
        })?;
    let sentence = "The service accepted the change without showing it; `profile link list` does.";
    Ok(Report::written(
        &response,
        super::fields,
        "updated",
        sentence,
    ))
}
