//! `profile link delete`: removes links.

use clap::Args;
use profile_sdk::{Link, LinkId, Profile};

use crate::commands::deletion::{Deletion, Listed};
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::DryRun;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. All IDs are tried, and the exit code is that of the worst failure. The
title and the URL of a deleted link are printed, so that you can add it again.

Examples:
  profile link delete link_1
  profile link delete link_1 link_2 --yes")]
pub(crate) struct DeleteArguments {
    /// IDs of the links; `profile link list` shows them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<LinkId>,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: DeleteArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let client = session.client()?;
    let deletion = Deletion {
        noun: "link",
        dry_run: arguments.dry_run.dry_run,
        listed,
    };
    deletion.run(&arguments.ids, session, |id| client.delete_link(id))
}

fn listed(profile: &Profile) -> Option<Vec<Listed<LinkId>>> {
    let item = |link: &Link| Listed {
        id: link.id.clone(),
        fields: vec![("title", link.title.clone()), ("url", link.url.clone())],
    };
    Some(profile.links.as_ref()?.iter().map(item).collect())
}
