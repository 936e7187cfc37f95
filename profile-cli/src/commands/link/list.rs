//! `profile link list`: the links, read from the profile.

use clap::Args;
use profile_sdk::Link;

use super::fields::{COLUMNS, cells};
use crate::outcome::failure::Failure;
use crate::outcome::listing::report_listing;
use crate::outcome::report::{Report, View};
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = "\
In a pipe, each line is an ID, a title and a URL, separated by tabs.

Examples:
  profile link list
  profile link list --json")]
pub(crate) struct ListArguments {}

pub(crate) fn run(_: ListArguments, session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.me(), |response| {
        let links = response.data().links.as_deref();
        report_listing(&response, "links", links.map(table))
    })
}

fn table(links: &[Link]) -> View {
    View::Table {
        columns: COLUMNS.to_vec(),
        rows: links.iter().map(|link| cells(link).to_vec()).collect(),
        empty: "You have no links.",
    }
}
