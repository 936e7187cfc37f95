//! `profile link edit`: changes a link.

use clap::Args;
use profile_sdk::{Link, LinkId, LinkUpdate, LinkUrl, Profile};

use super::fields::{fields, url_warning};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::{self, Change, DryRun};
use crate::terminal::printable::quoted;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write.

Example:
  profile link edit link_1 --title 'My new site'")]
pub(crate) struct EditArguments {
    /// ID of the link; `profile link list` shows the IDs
    id: LinkId,

    #[command(flatten)]
    change: LinkChange,

    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct LinkChange {
    /// New title
    #[arg(long)]
    title: Option<String>,

    /// New target, an absolute URL
    #[arg(long)]
    url: Option<LinkUrl>,
}

pub(crate) fn run(arguments: EditArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let EditArguments {
        id,
        change,
        dry_run,
    } = arguments;
    let warning = change.url.as_ref().and_then(url_warning);
    let mut update = LinkUpdate::new();
    update.title = change.title;
    update.url = change.url;
    let what = format!("link {}", quoted(&id));
    let call = session.client()?.update_link(&id, &update);
    if dry_run.dry_run {
        let request = call.request().map_err(Failure::unsent)?;
        return session.read_or_curl(session.client()?.me(), |profile| {
            let changes = differences(update, find(&id, profile.data())?);
            Ok(dry_run::preview(&[request], &changes).warning(warning))
        });
    }
    session.write_or_curl(call, &what, "profile link list", |response| {
        let sentence = "The service accepted the change; `profile link list` shows the link.";
        Ok(Report::written(&response, fields, "updated", sentence).warning(warning))
    })
}

/// Returns one of the profile's links.
fn find<'a>(id: &LinkId, profile: &'a Profile) -> Result<&'a Link, Failure> {
    let mut links = profile.links.iter().flatten();
    let found = links.find(|link| link.id.as_ref() == Some(id));
    found.ok_or_else(|| {
        let message = format!("the profile has no link {}", quoted(id));
        Failure::new(FailureKind::NotFound, message)
    })
}

fn differences(update: LinkUpdate, link: &Link) -> Vec<Change> {
    let title = update
        .title
        .map(|title| Change::new("title", link.title.clone(), title));
    let url = update
        .url
        .map(|url| Change::new("url", link.url.clone(), url.as_str()));
    title.into_iter().chain(url).collect()
}
