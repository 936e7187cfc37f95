//! The commands `profile link`: the links on the profile.

use clap::{Args, Subcommand};
use profile_sdk::plan::{Plan, Step};
use profile_sdk::{
    Link, LinkId, LinkUpdate, LinkUrl, NewLink, Operation, Profile,
    internal::{quoted, with_visibility},
};
use serde_json::Value;

use super::deletion::{Deletion, Item, id_of, read_items, unlisted, with_list_hint};
use crate::completion;
use crate::drawing::Change;
use crate::outcome::{Failure, Report, Result, View};
use crate::session::{DryRun, Session, preview};

/// List, add, edit and delete your links
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "\
Examples:
  profile link list
  profile link add 'My site' https://example.org
  profile link delete link_1 link_2")]
pub(crate) enum LinkCommand {
    /// List your links
    #[command(visible_alias = "ls", after_help = LIST_HELP)]
    List,
    /// Add a link to your profile
    #[command(visible_alias = "create")]
    Add(AddArguments),
    /// Change the title or the URL of a link
    Edit(EditArguments),
    /// Delete links; asks first unless --yes is given
    #[command(visible_alias = "rm")]
    Delete(DeleteArguments),
}

pub(crate) fn run(command: LinkCommand, session: &Session<'_>) -> Result<Report> {
    match command {
        LinkCommand::List => list(session),
        LinkCommand::Add(arguments) => add(arguments, session),
        LinkCommand::Edit(arguments) => edit(arguments, session),
        LinkCommand::Delete(arguments) => delete(arguments, session),
    }
}

const LIST_HELP: &str = "\
In a pipe, each line is an ID, a title and a URL, separated by tabs.

Examples:
  profile link list
  profile link list --json";

fn list(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.me())?;
    let has_links = response.data().links.is_some();
    Report::listing(&response, "links", has_links.then_some(COLUMNS))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. If the response is lost, the request is not retried; `profile link \
list` shows whether the link was created.

Example:
  profile link add 'My site' https://example.org")]
pub(crate) struct AddArguments {
    /// Title of the link
    title: String,

    /// Target of the link, an absolute URL
    url: LinkUrl,

    #[command(flatten)]
    dry_run: DryRun,
}

fn add(arguments: AddArguments, session: &Session<'_>) -> Result<Report> {
    check_title(&arguments.title)?;
    let warning = check_url(&arguments.url)?;
    let link = NewLink::new(arguments.title, arguments.url);
    let call = session.client()?.create_link(&link);
    if arguments.dry_run.dry_run {
        let changes = [("title", &*link.title), ("url", link.url.as_str())];
        let changes = changes.map(|(name, new)| Change::new(name, Value::Null, new));
        return Ok(preview::dry_run(&[call.request()?], &changes).warnings(warning));
    }
    let response = session.write(call, "list of links", "profile link list")?;
    let sentence = "The service accepted the link.";
    Ok(Report::written(&response, COLUMNS, "created", sentence).warnings(warning))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. On a terminal, the old values are printed beside the new ones.

Examples:
  profile link edit link_1 --title 'My new site'
  profile link edit 'My site' --url https://example.org")]
pub(crate) struct EditArguments {
    /// ID of the link, or a title that no other link has
    #[arg(value_name = "ID|TITLE", add = completion::links())]
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

fn edit(arguments: EditArguments, session: &Session<'_>) -> Result<Report> {
    let dry_run = arguments.dry_run.dry_run;
    let (id, change) = (arguments.id, arguments.change);
    change.title.as_deref().map_or(Ok(()), check_title)?;
    let warning = change.url.as_ref().map(check_url).transpose()?.flatten();
    let mut update = LinkUpdate::new();
    update.title = change.title;
    update.url = change.url;
    let client = session.client()?;
    let profile = read_items(session, "profile api -X PATCH me/links/ID -f title=…")?;
    let listed = listed(&profile);
    let id = LinkId::new(id_of(&id, listed.as_deref().unwrap_or_default())?)?;
    let what = format!("link {}", quoted(id.as_str()));
    let call = client.update_link(&id, &update);
    let before = match &listed {
        Some(links) => links.iter().find(|link| link.id == id.as_str()).cloned(),
        None => Some(Item::new(&id, [])),
    };
    if dry_run {
        let before = before.ok_or_else(|| unlisted("link", &id))?;
        let changes = differences(&update, &Link::default(), &before);
        return Ok(preview::dry_run(&[call.request()?], &changes).warnings(warning));
    }
    let response = session.write(call, &what, "profile link list");
    let response =
        response.map_err(|failure| with_list_hint("link", listed.as_deref(), failure))?;
    let sentence = "The service accepted the change.";
    let report = Report::written(&response, COLUMNS, "updated", sentence).warnings(warning);
    Ok(match before.filter(|_| session.output.is_watched()) {
        Some(before) => {
            let after = response.data().clone().unwrap_or_default();
            report.showing(differences(&update, &after, &before))
        }
        None => report,
    })
}

/// Returns the changes of a link that is stored as `after`, as far as the service says so, or else as sent.
fn differences(update: &LinkUpdate, after: &Link, before: &Item) -> Vec<Change> {
    let url = update.url.as_ref().map(LinkUrl::as_str);
    let sent = [
        ("title", update.title.as_deref(), &after.title),
        ("url", url, &after.url),
    ];
    let changes = sent.into_iter().filter_map(|(name, sent, after)| {
        let new = after.as_deref().filter(|_| sent.is_some()).or(sent)?;
        Some(Change::new(name, before.get(name), new))
    });
    changes.collect()
}

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scope links:write. All IDs are tried, and the highest exit code counts. The title and the \
URL of a deleted link are printed, so that you can add it again. After the confirmation, the profile is \
read again; if one of the links has changed meanwhile, nothing is deleted.

Examples:
  profile link delete link_1
  profile link delete link_1 link_2 --yes
  profile link delete 'My site'")]
pub(crate) struct DeleteArguments {
    /// IDs of the links, or titles that no other link has
    #[arg(required = true, value_name = "ID|TITLE", add = completion::links())]
    ids: Vec<String>,

    #[command(flatten)]
    dry_run: DryRun,
}

fn delete(arguments: DeleteArguments, session: &Session<'_>) -> Result<Report> {
    let deletion = Deletion {
        noun: "link",
        operation: Operation::DELETE_LINK,
        dry_run: arguments.dry_run.dry_run,
        listed,
        call: |client, id| Ok(client.delete_link(&LinkId::new(id)?)),
    };
    deletion.run(&arguments.ids, session)
}

fn listed(profile: &Profile) -> Option<Vec<Item>> {
    let links = profile.links.as_ref()?.iter();
    let item = |link: &Link| {
        let fields = [("title", &link.title), ("url", &link.url)];
        Some(Item::new(link.id.as_ref()?, fields))
    };
    Some(links.filter_map(item).collect())
}

const COLUMNS: View = View::Columns {
    names: &["id", "title", "url"],
    empty: "You have no links.",
};

/// Fails if the title is empty. The service accepts it, but it is probably an unset variable.
fn check_title(title: &str) -> Result<()> {
    match title.is_empty() {
        true => Err(Failure::usage("the title of the link is empty")),
        false => Ok(()),
    }
}

/// Checks a URL, which is sent as it is. Fails if it has spaces around it, and warns if it probably has
/// another mistake.
pub(crate) fn check_url(url: &LinkUrl) -> Result<Option<String>> {
    let text = url.as_str();
    if text.trim() != text {
        return Err(Failure::usage("the URL has spaces around it; remove them"));
    }
    let (scheme, rest) = text.split_once(':').unwrap_or_default();
    let scheme = scheme.to_ascii_lowercase();
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_hidden = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    let is_close = |known: &&str| strsim::osa_distance(&scheme, known) == 1;
    let mut hidden = with_visibility(text).filter(|(c, is_seen)| !is_seen || is_hidden(*c));
    let problem = match &*scheme {
        "javascript" | "data" | "vbscript" => format!(
            "the URL starts with {scheme}:, which browsers may run instead of opening a page"
        ),
        // A number may follow these schemes.
        name if port.parse::<u16>().is_ok() && !["tel", "sms", "fax", "callto"].contains(&name) => {
            format!("the URL {text} has the scheme {scheme}; for the host, use https://{text}")
        }
        "http" | "https" if !rest.starts_with("//") => {
            format!("the URL {text} does not have two slashes after {scheme}:")
        }
        name if !["http", "https"].contains(&name) && ["http", "https"].iter().any(is_close) => {
            format!("the URL {text} has the scheme {scheme}; probably https is meant")
        }
        _ => match hidden.next().map(|(c, _)| u32::from(c)) {
            Some(code) => format!("the URL contains the invisible character U+{code:04X}"),
            None => return Ok(None),
        },
    };
    Ok(Some(problem))
}

/// Checks the URLs that a plan sends. Returns the warnings.
pub(super) fn check_urls(plan: &Plan) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    for step in plan.steps() {
        if let Step::CreateLink { to, .. } | Step::EditLink { to, .. } = step {
            let link = format!("link {}", quoted(&to.title));
            let warning = check_url(&to.url).map_err(|failure| failure.subject(&link))?;
            warnings.extend(warning.map(|warning| format!("{link}: {warning}")));
        }
    }
    Ok(warnings)
}
