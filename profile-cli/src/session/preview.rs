//! Previews of requests: `--dry-run` shows changes and requests, `--curl` the equivalent commands.

use clap::Args;
use profile_sdk::{Call, ProfileField, ProfileUpdate, Request};
use serde_json::{Value, json};
use url::Url;

use super::{Connection, Session, requests};
use crate::drawing::{Change, Drawing};
use crate::outcome::{Failure, Report, Result, View};
use crate::settings::{Key, Source};
use crate::terminal::{SafeUrl, json_text, redact_key};

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

/// Maximum size of a body in a command: Linux limits an argument to 128 KiB.
const MAX_CURL_BODY: usize = 100 * 1024;

impl Session<'_> {
    /// Returns a preview of the calls instead of sending them: with `--curl`, the curl commands; otherwise
    /// the requests and the changes, which are given with `--dry-run`.
    pub(crate) fn preview<T>(
        &self,
        calls: &[Call<T>],
        changes: Option<&[Change]>,
    ) -> Result<Option<Report>> {
        match changes {
            _ if self.settings.curl => self.as_curl(&requests(calls)?).map(Some),
            Some(changes) => Ok(Some(dry_run(&requests(calls)?, changes))),
            None => Ok(None),
        }
    }

    /// Returns the curl commands for these requests.
    pub(crate) fn as_curl(&self, requests: &[&Request]) -> Result<Report> {
        if self.settings.sandbox {
            let message =
                "--curl cannot be used with --sandbox: the sandbox stops when the command ends";
            return Err(Failure::usage(message).hint("replace --sandbox with `--base-url URL`"));
        }
        let mut bodies = requests.iter().filter_map(|request| request.body());
        if bodies.any(|body| body.len() > MAX_CURL_BODY) {
            let max = MAX_CURL_BODY / 1024;
            let message =
                format!("--curl: the body is longer than {max} KiB, too long for a command");
            return Err(Failure::usage(message).hint("omit --curl to send it"));
        }
        let Connection {
            base_url, has_key, ..
        } = self.connection()?;
        let proxy = curl_proxy(base_url, self)?;
        let requires_key = |request: &Request| request.operation().requires_key() || *has_key;
        let commands = requests
            .iter()
            .map(|request| curl_command(base_url, &proxy, request, requires_key(request)));
        let commands: Vec<_> = commands.collect();
        if requests.iter().any(|request| requires_key(request))
            && let Some(arguments) = token_arguments(self)?
        {
            self.output.note(&format!(
                "run `export PROFILE_API_KEY=$(profile auth token{arguments})` before the command"
            ));
        }
        Ok(Report::text(commands.join("\n"), "curl"))
    }
}

/// Returns the arguments with which `profile auth token` prints the key of the requests, or `None`
/// if it is in PROFILE_API_KEY. Fails if the key is for another service.
fn token_arguments(session: &Session<'_>) -> Result<Option<String>> {
    let key = Key::find(&session.settings)?;
    Ok(match key.map(|key| key.key.source) {
        Some(Source::Environment("PROFILE_API_KEY")) => None,
        Some(Source::Account(name)) => Some(format!(" --account {name}")),
        _ => Some(String::new()),
    })
}

/// Returns the options that make curl use the proxy of the program, or none. They do not contain the
/// credentials of the proxy.
pub(crate) fn curl_proxy(base_url: &SafeUrl, session: &Session<'_>) -> Result<String> {
    let Some(proxy) = session.settings.sources.proxy(base_url)? else {
        return Ok("--noproxy '*'".to_owned());
    };
    let url = proxy.value.to_string().replacen("***@", "", 1);
    if url != proxy.value.expose() {
        let note = "add `--proxy-user USER`; curl asks for the password of the proxy";
        session.output.note(note);
    }
    Ok(format!("--proxy {} --noproxy ''", quoted(&url)))
}

/// Returns the command. The key is a shell variable, so the command contains no secret. It reaches
/// curl through a builtin and a pipe, since other users can read arguments.
pub(crate) fn curl_command(
    base_url: &SafeUrl,
    proxy: &str,
    request: &Request,
    with_key: bool,
) -> String {
    // As the client parses it, so that curl cannot read another host from it.
    let base_url = base_url.parsed().map_or(base_url.expose(), Url::as_str);
    let url = base_url.trim_end_matches('/').to_owned() + &path_and_query(request);
    let mut command = String::new();
    if with_key {
        command += "printf 'Authorization: Bearer %s\\n' \"$PROFILE_API_KEY\" |\n  ";
    }
    // Keep curl from resolving dots and expanding brackets in the path, which is already encoded.
    command += &format!("curl --path-as-is --globoff {proxy}");
    if request.method().as_str() != "GET" {
        command += &format!(" -X {}", request.method().as_str());
    }
    command += &format!(" {}", quoted(&url));
    if with_key {
        command.push_str(" -H @-");
    }
    if let Some(body) = request.body() {
        let body = quoted(&String::from_utf8_lossy(body));
        command.push_str(" \\\n  -H 'Content-Type: application/json'");
        command += &format!(" \\\n  --data-raw {body}");
    }
    command
}

/// Quotes text without the key for POSIX shells.
fn quoted(text: &str) -> String {
    format!("'{}'", redact_key(text).replace('\'', r"'\''"))
}
