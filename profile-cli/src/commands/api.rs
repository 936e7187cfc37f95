//! `profile api`: sends a request to any path and prints the response.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use profile_sdk::{Call, Client, ClientBuilder, Error, Method, RawCall, Response};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::input::{Input, file_of};
use crate::outcome::{Failure, NextCommand, PAGE, Report, Result, View, WriteOutcome, word};
use crate::session::{DryRun, Session, preview};
use crate::settings::Needs;
use crate::terminal::{argument, redact_body, redact_key};
use Method::{Delete, Get, Patch, Post, Put};

#[derive(Debug, Args)]
#[command(after_help = format!("\
Prints the response body unchanged; on a terminal, control characters are removed. With --json or \
--jq, a body that is not valid JSON is an error, as is any body above {max_body} MiB. The required scope \
depends on the path.

The body of an error response is printed too, up to {max} KiB. With --json or --jq it is the field \
`body` of the error: JSON, else a string, else base64 (see `body_encoding`); stdout stays empty. A \
warning, or `body_truncated` in JSON, reports that the body was truncated.

If the response is lost, GET, PUT and DELETE are retried; POST and PATCH are not.

Examples:
  profile api me
  profile api 'users/ada/stats?days=7' --jq .data.total_views
  profile api me/profile -X PATCH -f display_name=Ada
  echo '{{\"body\": \"Hello\"}}' | profile api /api/v1/me/posts --input -",
    max = Error::MAX_BODY_BYTES / 1024,
    max_body = ClientBuilder::DEFAULT_MAX_RESPONSE_BYTES >> 20))]
pub(crate) struct ApiArguments {
    /// Path of the request; /api/v1/ is prepended unless it starts with /api/
    path: String,

    /// Method of the request [default: POST with a body, otherwise GET]
    #[arg(short = 'X', long, value_parser = method_parser(), ignore_case = true)]
    method: Option<Method>,

    /// String field of the JSON body, or of the query with -X GET; may be repeated
    #[arg(short, long = "field", value_name = "NAME=VALUE", value_parser = field)]
    #[arg(conflicts_with = "input")]
    fields: Vec<(String, String)>,

    /// JSON body, sent as it is; - reads stdin
    #[arg(long, value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    input: Option<Input>,

    #[command(flatten)]
    dry_run: DryRun,
}

const METHODS: [Method; 5] = [Get, Post, Put, Patch, Delete];

fn method_parser() -> impl TypedValueParser<Value = Method> {
    let parser = PossibleValuesParser::new(METHODS.map(Method::as_str));
    parser.try_map(|name| {
        let is_named = |method: &Method| method.as_str().eq_ignore_ascii_case(&name);
        METHODS.into_iter().find(is_named).ok_or("unknown method")
    })
}

pub(crate) fn run(arguments: &ApiArguments, session: &Session<'_>) -> Result<Report> {
    let client = session.client()?;
    let call = arguments.call(client)?;
    let request = call.request()?;
    if arguments.dry_run.dry_run {
        return Ok(preview::dry_run(&[request], &[]));
    }
    let path = request.path().to_owned();
    let check = check_command(&path);
    let is_json = session.output.is_json();
    let response = match arguments.method() {
        Get => session.read_about(&path, call),
        // A page is not valid JSON.
        _ if is_json => session.write(call, &path, &check),
        _ => session.write_any(call, &path, &check),
    };
    let response = response.map_err(|failure| arguments.with_body(failure, is_json))?;
    let is_write = arguments.needs() == Needs::Writes;
    let command = NextCommand(&check);
    let page = format!("{PAGE}; check with {command} before you try again");
    let warning = (is_write && response.is_page()).then_some(page);
    let outcome = match is_write {
        true => WriteOutcome::Unknown(check.clone()),
        false => WriteOutcome::NotDone,
    };
    // Only one form is printed, and a response may not be valid JSON.
    let report = match is_json {
        true => Report::new(&*as_json(&response, outcome)?, View::Body(Vec::new())),
        false => {
            let bytes = redact_body(response.body(), redact_key);
            Report::new(json!(String::from_utf8_lossy(&bytes)), View::Body(bytes))
        }
    };
    Ok(Report {
        is_change: is_write,
        ..report.warnings(warning)
    })
}

impl ApiArguments {
    pub(crate) fn needs(&self) -> Needs {
        match self.method() {
            Get => Needs::Reads,
            _ => Needs::Writes,
        }
    }

    fn method(&self) -> Method {
        let has_body = !self.fields.is_empty() || self.input.is_some();
        let default = if has_body { Post } else { Get };
        self.method.unwrap_or(default)
    }

    fn call(&self, client: &Client) -> Result<Call<Vec<u8>>> {
        let method = self.method();
        let (path, query) = self.path.split_once('?').unzip();
        let path = full_path(path.unwrap_or(&self.path))?;
        let mut call = client.raw_call(method, path);
        if let Some(query) = query {
            call = call.encoded_query(query);
        }
        if method == Get {
            if self.input.is_some() {
                let message = "--input: a GET request has no body; choose another method with -X";
                return Err(Failure::usage(message));
            }
            let add = |call: RawCall, (name, value): &(String, String)| call.query(name, value);
            call = self.fields.iter().fold(call, add);
        } else if let Some(input) = &self.input {
            call = call.json_text(input.read_text()?.text);
        } else if !self.fields.is_empty() {
            call = call.json(&self.body()?);
        }
        Ok(call.read_bytes())
    }

    /// Adds the response body to the failure: as a part of it in JSON, otherwise printed before it.
    fn with_body(&self, mut failure: Failure, json: bool) -> Failure {
        let (Some(status), Some(body)) = (failure.status, &mut failure.body) else {
            return failure;
        };
        if (200..400).contains(&status) {
            // The same request would fail again.
            failure.hints.clear();
        }
        body.is_included = json;
        if !json {
            let cut = body.is_truncated.then(|| {
                let max = Error::MAX_BODY_BYTES / 1024;
                format!("the body was truncated to {max} KiB")
            });
            let done = Report::new("null", View::Body(body.bytes.clone()));
            failure.done = Some(Box::new(done.warnings(cut)));
        }
        failure
    }

    /// Returns the fields as a JSON object of strings.
    fn body(&self) -> Result<Map<String, Value>> {
        let mut body = Map::new();
        for (name, value) in &self.fields {
            if body.insert(name.clone(), json!(value)).is_some() {
                let name = argument(name.as_bytes());
                let message = format!("--field {name} was given twice; expected each name once");
                return Err(Failure::usage(message));
            }
        }
        Ok(body)
    }
}

/// Returns the body as JSON.
fn as_json(response: &Response<Vec<u8>>, outcome: WriteOutcome) -> Result<String> {
    let status = response.status();
    let text = String::from_utf8_lossy(response.body());
    let text = redact_key(&text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let body = match text.trim() {
        "" => "null",
        text => text,
    };
    if let Err(error) = serde_json::from_str::<&RawValue>(body) {
        let message = format!("the response with status {status} is not valid JSON: {error}");
        let hint = matches!(outcome, WriteOutcome::NotDone)
            .then_some("omit --json and --jq to print the response as it is");
        return Err(Failure {
            status: Some(status),
            outcome,
            hints: hint.map(str::to_owned).into_iter().collect(),
            ..Failure::other(message)
        });
    }
    Ok(body.to_owned())
}

/// Returns the path with `/api/v1/` prepended if needed.
fn full_path(entered: &str) -> Result<String> {
    if entered.contains("://") || entered.starts_with("//") {
        let entered = argument(entered.as_bytes());
        let message = format!("\"{entered}\" is a URL; expected a path, such as me/profile");
        return Err(Failure::usage(message).hint("set the URL of the service with --base-url"));
    }
    let path = entered.strip_prefix('/').unwrap_or(entered);
    Ok(match path.starts_with("api/") {
        true => format!("/{path}"),
        false => format!("/api/v1/{path}"),
    })
}

/// Returns the command that shows whether a write was applied.
fn check_command(path: &str) -> String {
    match path.starts_with("/api/v1/me/") {
        true => "profile show".to_owned(),
        false => format!("profile api {}", word(path, "PATH")),
    }
}

fn field(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) | None => Err("expected NAME=VALUE".to_owned()),
        Some((_, text)) if file_of(text).is_some() => Err(format!(
            "{text} is the name of a file; send its contents with -f NAME=\"$(cat PATH)\", or this text in a \
             JSON body with --input -"
        )),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::full_path;

    #[track_caller]
    fn check(entered: &str, expected: &str) {
        assert_eq!(full_path(entered).expect("a path"), expected);
    }

    #[test]
    fn prepends_the_common_prefix() {
        for entered in ["me", "/me", "api/v1/me", "/api/v1/me"] {
            check(entered, "/api/v1/me");
        }
        check("/api/v2/me", "/api/v2/me");
        check("apis", "/api/v1/apis");
        assert!(full_path("//host/me").is_err());
        assert!(full_path("https://host/me").is_err());
    }
}
