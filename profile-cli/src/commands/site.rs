//! `profile site`: the counters of the whole site.

use clap::Args;

use crate::drawing::Figure;
use crate::report::{Report, Shown};
use crate::session::Session;
use crate::stop::Stop;

/// Show how many users, views and links the whole site has; needs no key
#[derive(Debug, Args)]
#[command(after_help = "\
In a pipe, each line is a counter's name and its value, separated by a tab.

Examples:
  profile site
  profile site --json")]
pub(crate) struct SiteArguments {}

pub(crate) fn run(_: SiteArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let response = session.read(session.client()?.site_stats())?;
    let site = response.data();
    let figures = [
        ("users", site.users),
        ("views", site.views),
        ("links", site.links),
    ];
    let figures = figures.map(|(name, count)| (name.to_owned(), Figure::Count(count)));
    Ok(Report::read(&response, Shown::figures(figures.to_vec())))
}
