//! `--dry-run`: shows the changes and requests instead of sending them.

use clap::Args;
use profile_sdk::{Profile, ProfileField, ProfileUpdate, Request};
use serde_json::{Value, json};

use crate::outcome::report::{Report, View};

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that write to the service.
#[derive(Debug, Args)]
pub(crate) struct DryRun {
    /// Show the changes and requests, but send no change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A change to preview: a text or the fields of a resource, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    what: &'static str,
    id: Option<String>,
    from: Value,
    to: Value,
}

/// Returns the report of a dry run.
pub(crate) fn preview(requests: &[&Request], changes: &[Change]) -> Report {
    let document = json!({
        "dry_run": true,
        "changes": changes.iter().map(Change::as_json).collect::<Value>(),
        "requests": requests.iter().map(|request| as_json(request)).collect::<Value>(),
    });
    let mut text: String = changes.iter().map(Change::as_text).collect();
    for request in requests {
        text += &as_text(request);
    }
    text += "No change was sent.";
    Report::new(document, View::Text(text))
}

/// Returns the changes that an update makes to a profile.
pub(crate) fn field_changes(update: &ProfileUpdate, profile: &Profile) -> Vec<Change> {
    let change = |field: &ProfileField| {
        let to = update.get(*field)?;
        Some(Change::new(field.name(), profile.get(*field), to))
    };
    ProfileField::ALL.iter().filter_map(change).collect()
}

impl Change {
    pub(crate) fn new(what: &'static str, from: impl Into<Value>, to: impl Into<Value>) -> Self {
        Self {
            what,
            id: None,
            from: from.into(),
            to: to.into(),
        }
    }

    /// Sets the ID of the resource.
    pub(crate) fn id(self, id: impl ToString) -> Self {
        let id = Some(id.to_string());
        Self { id, ..self }
    }

    pub(crate) fn as_json(&self) -> Value {
        let mut json = json!({"what": self.what, "from": self.from, "to": self.to});
        if let Some(id) = &self.id {
            json["id"] = json!(id);
        }
        json
    }

    pub(crate) fn as_text(&self) -> String {
        let heading = match &self.id {
            Some(id) => format!("{} {id}", self.what),
            None => self.what.to_owned(),
        };
        if self.from == self.to {
            return format!("{heading}: unchanged\n");
        }
        let lines = |sign: &str, value: &Value| {
            let lines = texts(value).into_iter().flat_map(|text| text.split('\n'));
            lines
                .map(|line| format!("  {sign} {line}\n"))
                .collect::<String>()
        };
        let removed = lines("-", &self.from);
        let added = lines("+", &self.to);
        format!("{heading}\n{removed}{added}")
    }
}

/// Returns the text, or those of the fields.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    }
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
        text += &format!("{}\n", String::from_utf8_lossy(body));
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
