//! `profile link delete`: removes links.

use clap::Args;
use profile_sdk::LinkId;

use crate::commands::deletion::delete_each;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// Delete links; asks first, unless --yes is given
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope links:write. Each id is tried, and the exit code is that of the worst failure.

Examples:
  profile link delete link_1
  profile link delete link_1 link_2 --yes")]
pub(crate) struct LinkDeleteArguments {
    /// Which links
    #[arg(required = true, value_name = "ID")]
    ids: Vec<LinkId>,
}

pub(crate) async fn run(
    arguments: LinkDeleteArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let delete = |id: &LinkId| connection.client.delete_link(id);
    delete_each("link", &arguments.ids, connection, delete).await
}
