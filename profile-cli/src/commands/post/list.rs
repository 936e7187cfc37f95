//! `profile post list`: the posts, read from the profile.

use clap::Args;
use profile_sdk::Post;

use crate::commands::listing::report_listing;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View, cell};
use crate::session::Session;

/// List your posts
#[derive(Debug, Args)]
#[command(after_help = "\
In a pipe, each line is an ID and a text, separated by a tab; line breaks in the text are escaped as
\\n.

Examples:
  profile post list
  profile post list --json")]
pub(crate) struct PostListArguments {}

pub(crate) fn run(_: PostListArguments, session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.me(), |response| {
        let posts = response.data().posts.as_deref();
        report_listing(&response, "posts", posts.map(table))
    })
}

fn table(posts: &[Post]) -> View {
    let row = |post: &Post| vec![cell(post.id.as_ref()), cell(post.body.as_ref())];
    View::Table {
        columns: vec!["id", "body"],
        rows: posts.iter().map(row).collect(),
        empty: "You have no posts.",
    }
}
