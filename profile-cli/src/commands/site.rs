//! `profile site`: the counters of the site.

use profile_sdk::SiteStats;

use crate::drawing::Figure;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

pub(crate) const HELP: &str = "\
In a pipe, each line is the name and the value of a counter, separated by a tab.

Examples:
  profile site
  profile site --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.site_stats(), |response| {
        let figures = figures(response.data());
        Ok(Report::read(&response, View::figures(figures)))
    })
}

fn figures(site: &SiteStats) -> Vec<(String, Figure)> {
    let figures = [
        ("users", site.users),
        ("views", site.views),
        ("links", site.links),
    ];
    figures
        .map(|(name, count)| (name.to_owned(), Figure::Count(count)))
        .to_vec()
}
