//! `profile link edit`: changes a link.

use clap::Args;
use profile_sdk::{Link, LinkId, LinkUpdate, LinkUrl};

use super::fields::{CURL_NOTE, fields, url_warning};
use crate::commands::deletion::id_of;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::session::dry_run::{self, Change, DryRun};
use crate::terminal::printable::quoted;

const LIST_HINT: &str = "`profile link list` shows the IDs";

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write.

Examples:
  profile link edit link_1 --title 'My new site'
  profile link edit 'My site' --url https://example.org")]
pub(crate) struct EditArguments {
    /// ID of the link, or a title that no other link has
    #[arg(value_name = "ID|TITLE")]
    id: String,

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
    let client = session.client()?;
    if session.settings.curl && !dry_run.dry_run {
        let call = client.update_link(&LinkId::new(id)?, &update);
        session.output.note(CURL_NOTE);
        return session.as_curl(&[call.request().map_err(Failure::unsent)?]);
    }
    let (id, listed) = find(&id, dry_run.dry_run, session)?;
    let what = format!("link {}", quoted(&id));
    let call = client.update_link(&id, &update);
    if dry_run.dry_run {
        let request = call.request().map_err(Failure::unsent)?;
        let changes = differences(update, &listed.ok_or_else(|| unknown(&id))?);
        return Ok(dry_run::preview(&[request], &changes).warning(warning));
    }
    let response = session.write(call, &what, "profile link list");
    let response = response.map_err(|failure| match failure.kind {
        FailureKind::NotFound => failure.hint(LIST_HINT),
        _ => failure,
    })?;
    let sentence = "The service accepted the change; `profile link list` shows the link.";
    Ok(Report::written(&response, fields, "updated", sentence).warning(warning))
}

/// Returns the ID for an ID or a title, and the link if the profile lists it. An edit does not need the
/// profile, so that its own error is reported.
fn find(
    typed: &str,
    is_required: bool,
    session: &Session<'_>,
) -> Result<(LinkId, Option<Link>), Failure> {
    let profile = match session.read(session.client()?.me()) {
        Err(failure) if is_required || failure.kind == FailureKind::Interrupted => {
            return Err(failure);
        }
        read => read.ok(),
    };
    let links = profile.and_then(|profile| profile.into_data().links);
    let links = links.unwrap_or_default();
    let items = links.iter().filter_map(|link| {
        let id = link.id.as_ref()?.as_str();
        Some((id, link.title.as_deref()))
    });
    let id = LinkId::new(id_of(typed, items)?)?;
    let found = links.into_iter().find(|link| link.id.as_ref() == Some(&id));
    Ok((id, found))
}

fn unknown(id: &LinkId) -> Failure {
    let message = format!("the profile has no link {}", quoted(id));
    Failure::new(FailureKind::NotFound, message).hint(LIST_HINT)
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
