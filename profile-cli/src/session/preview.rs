//! `--dry-run`: shows the changes and the requests.

use clap::Args;
use profile_sdk::{ProfileField, ProfileUpdate, Request};
use serde_json::{Value, json};

use crate::drawing::{Change, Drawing};
use crate::outcome::{Report, View};
use crate::terminal::{json_text, redact_key};

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that write to the service.
#[derive(Debug, Args)]
pub(crate) struct DryRun {
    /// Show what would be changed and sent, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Returns the report of a dry run.
pub(crate) fn dry_run(requests: &[&Request], changes: &[Change]) -> Report {
    let changed = changes.iter().filter(|change| change.is_change());
    let document = json!({
        "dry_run": true,
        "changes": changed.map(Change::as_json).collect::<Value>(),
        "requests": requests.iter().map(|request| as_json(request)).collect::<Value>(),
    });
    let mut below: String = requests.iter().map(|request| as_text(request)).collect();
    below += "No change was sent.";
    let changes = changes.to_vec();
    Report::new(document, View::Drawing(Drawing::Changes { changes, below }))
}

/// Returns the changes that an update makes to fields with these values.
pub(crate) fn field_changes<'a>(
    update: &ProfileUpdate,
    from: impl Fn(ProfileField) -> Option<&'a str>,
) -> Vec<Change> {
    let change = |field: &ProfileField| {
        let to = update.get(*field)?;
        Some(Change::new(field.name(), from(*field), to))
    };
    ProfileField::ALL.iter().filter_map(change).collect()
}

fn as_json(request: &Request) -> Value {
    // With the names of fields, which may be those of the user.
    let body = request.body().map(String::from_utf8_lossy);
    let body = body.and_then(|body| serde_json::from_str::<Value>(&redact_key(&body)).ok());
    json!({
        "method": request.method().as_str(),
        "path": path_and_query(request),
        "body": body,
    })
}

fn as_text(request: &Request) -> String {
    let method = request.method().as_str();
    let mut text = format!("{method} {}\n", path_and_query(request));
    if let Some(body) = request.body() {
        let body = String::from_utf8_lossy(body);
        text += &format!("{}\n", json_text(&redact_key(&body), true));
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
