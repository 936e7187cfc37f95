//! `--curl`: renders requests as curl commands.

use profile_sdk::Request;
use url::Url;

use super::Session;
use super::dry_run::path_and_query;
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::settings::{Key, Source, without_credentials};

/// Returns the commands for these requests.
pub(super) fn report(session: &Session<'_>, requests: &[&Request]) -> Result<Report, Failure> {
    if session.settings.sandbox {
        let message =
            "--curl cannot be used with --sandbox: the sandbox stops when the command ends";
        return Err(Failure::usage(message).hint("omit --sandbox"));
    }
    let connection = session.connection()?;
    let has_key = |request: &Request| request.operation().requires_key() || connection.has_key;
    let proxy = proxy(&connection.base_url, session)?;
    let commands = requests
        .iter()
        .map(|request| command(&connection.base_url, &proxy, request, has_key(request)));
    let commands: Vec<_> = commands.collect();
    if requests.iter().any(|request| has_key(request))
        && let Some(arguments) = token_arguments(session)?
    {
        session.output.note(&format!(
            "run `export PROFILE_API_KEY=$(profile auth token{arguments})` before the command"
        ));
    }
    Ok(Report::text(commands.join("\n"), "curl"))
}

/// Returns the arguments with which `profile auth token` prints the key of the requests, or `None`
/// if it is in PROFILE_API_KEY. Fails if the key is for another service.
fn token_arguments(session: &Session<'_>) -> Result<Option<String>, Failure> {
    let key = Key::find(&session.settings)?;
    Ok(match key.map(|key| key.key.source) {
        Some(Source::Environment("PROFILE_API_KEY")) => None,
        Some(Source::Account(name)) => Some(format!(" --account {name}")),
        _ => Some(String::new()),
    })
}

/// Returns the options that make curl use the proxy of the program, or none. They do not contain the
/// credentials of the proxy.
pub(crate) fn proxy(base_url: &str, session: &Session<'_>) -> Result<String, Failure> {
    let Some(proxy) = session.settings.proxy(base_url)? else {
        return Ok("--noproxy '*'".to_owned());
    };
    let url = without_credentials(&proxy.value).replacen("***@", "", 1);
    if url != proxy.value {
        let note = "add `--proxy-user USER`; curl asks for the password of the proxy";
        session.output.note(note);
    }
    Ok(format!("--proxy {} --noproxy ''", quoted(&url)))
}

/// Returns the command. The key is a shell variable, so the command contains no secret. It reaches
/// curl through a builtin and a pipe, since other users can read arguments.
pub(crate) fn command(base_url: &str, proxy: &str, request: &Request, with_key: bool) -> String {
    // As the client parses it, so that curl cannot read another host from it.
    let base_url = match Url::parse(base_url) {
        Ok(url) => url.to_string(),
        Err(_) => base_url.to_owned(),
    };
    let url = format!(
        "{}{}",
        base_url.trim_end_matches('/'),
        path_and_query(request)
    );
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

/// Quotes text for POSIX shells.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
