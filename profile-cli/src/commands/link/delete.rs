//! `profile link delete`: removes links.

use clap::Args;
use profile_sdk::LinkId;

use crate::commands::deletion::Deletion;
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::DryRun;

/// Delete links; asks first unless --yes is given
#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. All IDs are tried, and the exit code is that of the worst failure.

Examples:
  profile link delete link_1
  profile link delete link_1 link_2 --yes")]
pub(crate) struct LinkDeleteArguments {
    /// IDs of the links; `profile link list` shows them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<LinkId>,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(
    arguments: LinkDeleteArguments,
    session: &Session<'_>,
) -> Result<Report, Failure> {
    let client = session.client()?;
    let deletion = Deletion {
        noun: "link",
        dry_run: arguments.dry_run.dry_run,
    };
    deletion.run(&arguments.ids, session, |id| client.delete_link(id))
}
