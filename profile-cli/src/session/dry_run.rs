//! `--dry-run`: shows the changes and requests instead of sending them.

use clap::Args;
use profile_sdk::{Profile, ProfileField, ProfileUpdate, Request};
use serde_json::{Value, json};

pub(crate) use crate::drawing::changes::Change;

use crate::drawing::Drawing;
use crate::outcome::report::{Report, View};
use crate::terminal::printable::json_text;

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that write to the service.
#[derive(Debug, Args)]
pub(crate) struct DryRun {
    /// Show the changes and requests, but send no change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Returns the report of a dry run.
pub(crate) fn preview(requests: &[&Request], changes: &[Change]) -> Report {
    let document = json!({
        "dry_run": true,
        "changes": changes.iter().map(Change::as_json).collect::<Value>(),
        "requests": requests.iter().map(|request| as_json(request)).collect::<Value>(),
    });
    let mut below: String = requests.iter().map(|request| as_text(request)).collect();
    below += "No change was sent.";
    let changes = changes.to_vec();
    Report::new(document, View::Drawing(Drawing::Changes { changes, below }))
}

/// Returns the changes that an update makes to a profile.
pub(crate) fn field_changes(update: &ProfileUpdate, profile: &Profile) -> Vec<Change> {
    let change = |field: &ProfileField| {
        let to = update.get(*field)?;
        Some(Change::new(field.name(), profile.get(*field), to))
    };
    ProfileField::ALL.iter().filter_map(change).collect()
}

fn as_json(request: &Request) -> Value {
    let body = request
        .body()
        .and_then(|body| serde_json::from_slice::<Value>(body).ok());
    json!({
        "method": request.method().as_str(),
        "path": path_and_query(request),
        "body": body,
    })
}

fn as_text(request: &Request) -> String {
    let mut text = format!(
        "{} {}\n",
        request.method().as_str(),
        path_and_query(request)
    );
    if let Some(body) = request.body() {
        text += &format!("{}\n", json_text(&String::from_utf8_lossy(body), true));
    }
    text
}

/// Returns the path with the query, if there is one.
pub(super) fn path_and_query(request: &Request) -> String {
    match request.query() {
        Some(query) => format!("{}?{query}", request.path()),
        None => request.path().to_owned(),
    }
}
