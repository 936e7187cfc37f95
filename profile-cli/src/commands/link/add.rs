//! `profile link add`: creates a link.

use clap::Args;
use profile_sdk::{LinkUrl, NewLink};
use serde_json::Value;

use super::fields::{fields, url_warning};
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::{self, Change, DryRun};

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. If the response is lost, the request is not retried; `profile link
list` shows whether the link was created.

Example:
  profile link add --title 'My site' --url https://example.org")]
pub(crate) struct AddArguments {
    /// Title of the link
    #[arg(long)]
    title: String,

    /// Target of the link, an absolute URL
    #[arg(long)]
    url: LinkUrl,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: AddArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let changes = [
        Change::new("title", Value::Null, arguments.title.clone()),
        Change::new("url", Value::Null, arguments.url.as_str()),
    ];
    let warning = url_warning(&arguments.url);
    let link = NewLink::new(arguments.title, arguments.url);
    let call = session.client()?.create_link(&link);
    if arguments.dry_run.dry_run {
        let request = call.request().map_err(Failure::unsent)?;
        return Ok(dry_run::preview(&[request], &changes).warning(warning));
    }
    session.write_or_curl(call, "list of links", "profile link list", |response| {
        let sentence = "The service accepted the link; `profile link list` shows it.";
        Ok(Report::written(&response, fields, "created", sentence).warning(warning))
    })
}
