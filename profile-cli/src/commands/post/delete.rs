//! `profile post delete`: removes posts.

use clap::Args;
use profile_sdk::PostId;

use crate::commands::deletion::delete_each;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// Delete posts; asks first, unless --yes is given
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope social:write. Each id is tried, and the exit code is that of the worst failure.

Examples:
  profile post delete post_1
  profile post delete post_1 post_2 --yes")]
pub(crate) struct PostDeleteArguments {
    /// Which posts
    #[arg(required = true, value_name = "ID")]
    ids: Vec<PostId>,
}

pub(crate) async fn run(
    arguments: PostDeleteArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let delete = |id: &PostId| connection.client.delete_post(id);
    delete_each("post", &arguments.ids, connection, delete).await
}
