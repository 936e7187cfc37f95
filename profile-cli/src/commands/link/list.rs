//! `profile link list`: the links, read from the profile.

use profile_sdk::Link;

use super::fields::{COLUMNS, cells};
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::outcome::report_listing;
use crate::session::Session;

pub(crate) const HELP: &str = "\
In a pipe, each line is an ID, a title and a URL, separated by tabs.

Examples:
  profile link list
  profile link list --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
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
