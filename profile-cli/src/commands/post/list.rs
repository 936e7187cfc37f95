//! `profile post list`: the posts, read from the profile.

use super::fields::table;
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::outcome::report_listing;
use crate::session::Session;

pub(crate) const HELP: &str = "\
In a pipe, each line is an ID and a text, separated by a tab; line breaks in the text are escaped as
\\n.

Examples:
  profile post list
  profile post list --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.me(), |response| {
        let posts = response.data().posts.as_deref();
        report_listing(&response, "posts", posts.map(table))
    })
}
