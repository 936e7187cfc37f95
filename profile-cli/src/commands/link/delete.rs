//! `profile link delete`: removes links.

use clap::Args;
use profile_sdk::{Link, LinkId, Operation, Profile};

use super::fields::CURL_NOTE;
use crate::commands::deletion::{Deletion, Item};
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::DryRun;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. All IDs are tried, and the exit code is that of the worst failure. The
title and the URL of a deleted link are printed, so that you can add it again. After the confirmation, the
profile is read again; if one of the links has changed meanwhile, nothing is deleted.

Examples:
  profile link delete link_1
  profile link delete link_1 link_2 --yes
  profile link delete 'My site'")]
pub(crate) struct DeleteArguments {
    /// IDs of the links, or titles that no other link has
    #[arg(required = true, value_name = "ID|TITLE")]
    ids: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: DeleteArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let client = session.client()?;
    if session.settings.curl {
        session.output.note(CURL_NOTE);
    }
    let deletion = Deletion {
        noun: "link",
        operation: Operation::DELETE_LINK,
        dry_run: arguments.dry_run.dry_run,
        listed,
    };
    deletion.run(&arguments.ids, session, |id| {
        Ok(client.delete_link(&LinkId::new(id)?))
    })
}

fn listed(profile: &Profile) -> Option<Vec<Item>> {
    let links = profile.links.as_ref()?.iter();
    let item = |link: &Link| {
        Some(Item::new(
            link.id.as_ref()?,
            [("title", &link.title), ("url", &link.url)],
        ))
    };
    Some(links.filter_map(item).collect())
}
