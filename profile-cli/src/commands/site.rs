//! `profile site`: the counters of the whole site.

use clap::Args;

use crate::report::{Report, Shown, push_field};
use crate::session::Session;
use crate::stop::Stop;

/// Show how many users, views and links the whole site has; needs no key
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile site
  profile site --json")]
pub(crate) struct SiteArguments {}

pub(crate) fn run(_: SiteArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let response = session.read(session.client()?.site_stats())?;
    let site = response.data();
    let mut fields = Vec::new();
    push_field(&mut fields, "users", Some(site.users));
    push_field(&mut fields, "views", Some(site.views));
    push_field(&mut fields, "links", Some(site.links));
    Ok(Report::read(&response, Shown::Fields(fields)))
}
