//! The commands `profile webhook send`, which sends a signed event, and `profile webhook replay`, which sends recorded
//! deliveries again. A recorded delivery is an HTTP/1.1 request in a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bytes::Bytes;
use clap::Args;
use jiff::Timestamp;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use webhook_verify::EventKind;

use super::delivery::{Attempt, Delivery, Sender, destination};
use super::{Encoding, SECRET_HELP, WebhookSecret};
use crate::completion;
use crate::input::{Input, TextArgument};
use crate::outcome::{Failure, Report, Result, View, cell};
use crate::session::Session;
use crate::system::interruption;
use crate::terminal::{SafeUrl, escaped};

#[derive(Debug, Args)]
#[command(after_help = format!("\
Prints a line for each response: in a pipe, the kind, the status code, the milliseconds, an empty \
column and the error, separated by tabs; with --json, an object. Exits with 0 if all status codes \
were 2xx, with 8 if there was no response at all, and otherwise with 1. Requests are not retried, and \
redirects are not followed. The default body is an object with `type`, `created_at` and `data`; the \
service may send another shape. \
{SECRET_HELP}

Kinds of the specification; the service may send others too:
{kinds}

Examples:
  profile webhook send post.liked --to http://127.0.0.1:8080/hooks
  profile webhook send follow.created --to URL --data '{{\"from\": \"grace\"}}'
  profile webhook send follow.created --to URL --data @body.json --count 5",
    kinds = known_kinds()))]
pub(crate) struct SendArguments {
    /// Kind of the event, such as post.liked
    #[arg(value_parser = kind, add = completion::event_kinds())]
    kind: HeaderValue,

    /// URL of the receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    to: SafeUrl,

    /// Body, sent byte for byte [default: an example for this kind]
    #[arg(long, value_name = "JSON|@PATH|-", value_parser = data)]
    data: Option<TextArgument>,

    /// Number of times to send it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,

    #[command(flatten)]
    encoding: Encoding,
}

/// Returns the known kinds, each on an indented line.
fn known_kinds() -> String {
    let kinds = EventKind::KNOWN.iter().map(|kind| format!("  {kind}"));
    kinds.collect::<Vec<_>>().join("\n")
}

pub(super) fn send(arguments: &SendArguments, session: &Session<'_>) -> Result<ExitCode> {
    let secret = WebhookSecret::load(session)?.secret;
    let body = match &arguments.data {
        Some(TextArgument::Text(json)) => json.clone().into_bytes(),
        Some(TextArgument::Input(input)) => input.read()?,
        None => example_payload(&arguments.kind).into_bytes(),
    };
    if let Ok(EventKind::Other(name)) = EventKind::try_from(arguments.kind.as_bytes()) {
        session.output.warn(&format!(
            "{name} is not a known kind of event; sending it anyway"
        ));
    }
    let delivery =
        Delivery::new(arguments.kind.clone(), body).signed(&secret, arguments.encoding.digest);
    let deliveries = (0..arguments.count).map(|_| (String::new(), delivery.clone()));
    send_all(deliveries, &arguments.to, session)
}

fn data(text: &str) -> Result<TextArgument, String> {
    let json = serde_json::from_str::<&RawValue>(text);
    match (text.strip_prefix('@'), json) {
        (Some(path), _) => Ok(TextArgument::Input(Input::File(path.into()))),
        (None, _) if text == "-" => Ok(TextArgument::Input(Input::Stdin)),
        (None, Ok(_)) => Ok(TextArgument::Text(text.to_owned())),
        (None, Err(error)) => Err(format!("{error}; expected JSON, @PATH, or - for stdin")),
    }
}

fn kind(text: &str) -> Result<HeaderValue, String> {
    let is_name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    match HeaderValue::from_str(text) {
        Ok(value) if is_name => Ok(value),
        _ => Err("expected a name of visible ASCII characters, such as post.liked".to_owned()),
    }
}

/// Returns an example of a payload, in the shape that the mock server uses by default. The specification
/// does not define payloads.
fn example_payload(kind: &HeaderValue) -> String {
    let data = EventKind::try_from(kind.as_bytes()).map_or_else(|_| json!({}), example_data);
    let kind = json!(String::from_utf8_lossy(kind.as_bytes()));
    // Two commands in one second send different bodies.
    let now = format!("{:.9}", Timestamp::now());
    format!(r#"{{"type":{kind},"created_at":"{now}","data":{data}}}"#)
}

fn example_data(kind: EventKind) -> Value {
    let post = json!({"id": "post_1", "body": "Hello, world"});
    match kind {
        EventKind::FollowCreated | EventKind::ProfileLiked => json!({"from": "grace"}),
        EventKind::CommentCreated => json!({"from": "grace", "body": "A nice profile!"}),
        EventKind::PostLiked => json!({"from": "grace", "post": post}),
        EventKind::PostReplied => {
            let reply = json!({"id": "post_2", "body": "Welcome!"});
            json!({"from": "grace", "post": post, "reply": reply})
        }
        EventKind::PostMentioned => {
            json!({"from": "grace", "post": {"id": "post_2", "body": "Thanks, @demo!"}})
        }
        EventKind::MessageReceived => json!({"from": "grace", "body": "Hello!"}),
        _ => json!({}),
    }
}

/// Hint for files that are not recorded deliveries.
const RECORD: &str = "record deliveries with `profile webhook listen --record DIRECTORY`";

#[derive(Debug, Args)]
#[command(after_help = "\
`profile webhook listen --record` writes the files. In a directory, all files whose names end in .http \
are read, and sorted by name, which is the order of arrival. Nothing is sent unless all files are \
valid. The recorded signatures are sent, so no secret is needed.

Prints a line for each response: in a pipe, the kind, the status code, the milliseconds, the file and \
the error, separated by tabs; with --json, an object. Exits with 0 if all status codes were 2xx, with \
8 if there was no response at all, and otherwise with 1.

Examples:
  profile webhook replay deliveries --to http://127.0.0.1:8080/hooks
  profile webhook replay deliveries/*.http --to URL")]
pub(crate) struct ReplayArguments {
    /// Files of the recorded deliveries, or directories with such files
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,

    /// URL of the receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    to: SafeUrl,
}

pub(super) fn replay(arguments: &ReplayArguments, session: &Session<'_>) -> Result<ExitCode> {
    let mut deliveries = Vec::new();
    let files = arguments.files.iter().map(|path| in_directory(path));
    for file in files.collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        deliveries.push((file.display().to_string(), read_file(&file)?));
    }
    send_all(deliveries.into_iter(), &arguments.to, session)
}

/// Returns the recorded deliveries in a directory, sorted by name, or the path of a file.
fn in_directory(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error| Failure::usage(format!("{} cannot be read: {error}", escaped(path)));
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let files = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    files.retain(|file| is_http(file));
    files.sort();
    if files.is_empty() {
        let message = format!("{} contains no .http files", escaped(path));
        return Err(Failure::usage(message).hint(RECORD));
    }
    Ok(files)
}

fn is_http(file: &Path) -> bool {
    file.extension() == Some("http".as_ref())
}

fn read_file(file: &Path) -> Result<Delivery> {
    // Opening a FIFO waits for a writer. Under other names, such as /dev/fd/63, it has one.
    if is_http(file) && file.metadata().is_ok_and(|found| !found.is_file()) {
        let message = format!("{} is not a regular file", escaped(file));
        return Err(Failure::usage(message).hint(RECORD));
    }
    let bytes = Input::File(file.to_owned()).read()?;
    read_recording(&bytes).map_err(|reason| {
        let message = format!("{} is not a recorded delivery: {reason}", escaped(file));
        Failure::usage(message).hint(RECORD)
    })
}

/// Sends the deliveries in order and prints each outcome. Fails unless all status codes are 2xx.
fn send_all(
    deliveries: impl ExactSizeIterator<Item = (String, Delivery)>,
    url: &SafeUrl,
    session: &Session<'_>,
) -> Result<ExitCode> {
    let sender = Sender::new(url, session)?;
    let output = session.output;
    let mut progress = session.progress("sending", deliveries.len());
    let mut attempts = Vec::new();
    for (name, delivery) in deliveries {
        let attempt = {
            let _deferred = interruption::defer();
            sender.send(&delivery, session)?
        };
        let printed =
            progress.above(|| output.stream(&attempt_report(&name, &delivery, &attempt)))?;
        if printed.is_break() {
            return Ok(ExitCode::SUCCESS);
        }
        attempts.push(attempt);
        progress.advance();
    }
    failure(&attempts).map_or(Ok(ExitCode::SUCCESS), Err)
}

fn attempt_report(name: &str, delivery: &Delivery, attempt: &Attempt) -> Report {
    let milliseconds = attempt.duration.as_millis() as u64;
    let kind = delivery.kind();
    let response = attempt.response.as_ref();
    let (status, error) = (response.ok(), response.err());
    let mut json = json!({
        "event": kind,
        "status": status,
        "error": error,
        "milliseconds": milliseconds,
        "bytes": delivery.body.len(),
    });
    if !name.is_empty() {
        json["file"] = json!(name);
    }
    let fields = |duration: String| {
        View::fields([
            ("event", kind.clone()),
            ("status", cell(status)),
            ("milliseconds", duration),
            ("file", name.to_owned()),
            ("error", cell(error)),
        ])
    };
    let people = fields(format!("{milliseconds} ms"));
    Report::new(json, fields(milliseconds.to_string())).for_people(people)
}

/// Returns the failure that summarizes the failed deliveries, if any.
fn failure(attempts: &[Attempt]) -> Option<Failure> {
    let failed = attempts.iter().filter(|attempt| !attempt.is_success());
    let failed: Vec<_> = failed.collect();
    let first = match &failed.first()?.response {
        Ok(status) => format!("the receiver returned status {status}, expected 2xx"),
        Err(reason) => reason.clone(),
    };
    let count = failed.len();
    let message = match attempts.len() {
        1 => format!("the delivery failed: {first}"),
        total => format!("{count} of {total} deliveries failed; the first: {first}"),
    };
    if attempts.iter().all(|attempt| attempt.response.is_err()) {
        return Some(failed[0].no_response(message));
    }
    let answered = failed.iter().find(|attempt| attempt.response.is_ok());
    let status = answered.and_then(|attempt| attempt.response.as_ref().ok().copied());
    let advice = answered.and_then(|attempt| attempt.failure_advice());
    let failure = Failure::other(message).optional_hint(advice);
    Some(Failure { status, ..failure })
}

/// The maximum number of headers that hyper accepts.
const MAX_HEADERS: usize = 100;

/// Returns the request as bytes.
pub(super) fn write_recording(path: &str, headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("POST {path} HTTP/1.1\r\n").into_bytes();
    for (name, value) in headers {
        let line = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
        bytes.extend(line.concat());
    }
    [&bytes, b"\r\n".as_slice(), body].concat()
}

/// Parses a recorded delivery, or returns the reason why it is invalid.
fn read_recording(bytes: &[u8]) -> Result<Delivery, String> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut fields);
    let status = request.parse(bytes).map_err(|error| error.to_string())?;
    let httparse::Status::Complete(length) = status else {
        return Err("the empty line after the headers is missing".to_owned());
    };
    let mut headers = HeaderMap::new();
    for field in request.headers {
        let name = HeaderName::try_from(field.name).map_err(|error| error.to_string())?;
        let value = HeaderValue::try_from(field.value).map_err(|error| error.to_string())?;
        headers.append(name, value);
    }
    let body = Bytes::copy_from_slice(&bytes[length..]);
    let stated = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    let stated = stated.map(String::from_utf8_lossy);
    let found = body.len();
    if let Some(stated) = stated.filter(|stated| stated.parse() != Ok(found)) {
        return Err(format!(
            "the body has {found} bytes, but content-length is {stated}"
        ));
    }
    Ok(Delivery::forwarded(&headers, body))
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, HeaderName, HeaderValue, read_recording, write_recording};

    #[test]
    fn reads_written_recordings() {
        let mut headers = HeaderMap::new();
        for value in [&b"one"[..], b"two, \xff", b""] {
            let value = HeaderValue::from_bytes(value).expect("a value");
            headers.append(HeaderName::from_static("x-service-event"), value);
        }
        for body in [&b""[..], b"\r\n\r\n{}\n", b"\x00\xff\n"] {
            let read = read_recording(&write_recording("/", &headers, body)).expect("a recording");
            assert_eq!(read.headers, headers);
            assert_eq!(read.body, body);
        }
    }

    #[test]
    fn rejects_invalid_recordings() {
        for (bytes, reason) in [
            ("", "the empty line after the headers is missing"),
            ("{}\n", "invalid token"),
            (
                "POST / HTTP/1.1\r\na: b\r\n",
                "the empty line after the headers is missing",
            ),
            ("POST / HTTP/1.1\nno colon\n\n", "invalid header name"),
            (
                "POST / HTTP/1.1\ncontent-length: 3\n\n{}",
                "the body has 2 bytes, but content-length is 3",
            ),
        ] {
            assert_eq!(
                read_recording(bytes.as_bytes()).err().as_deref(),
                Some(reason)
            );
        }
        assert!(read_recording(b"POST / HTTP/1.1\ncontent-length: 02\n\n{}").is_ok());
    }
}
