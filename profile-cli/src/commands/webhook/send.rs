//! The command `profile webhook send`: sends a signed event.

use clap::Args;
use jiff::Timestamp;
use reqwest::header::HeaderValue;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use webhook_verify::EventKind;

use super::{Delivery, Encoding, SECRET_HELP, WebhookSecret, destination, send_all};
use crate::completion;
use crate::input::{Input, TextArgument};
use crate::outcome::Result;
use crate::session::Session;
use crate::terminal::SafeUrl;

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

pub(crate) fn run(arguments: &SendArguments, session: &Session<'_>) -> Result<()> {
    let secret = WebhookSecret::load(session)?.secret()?;
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
    let deliveries = (0..arguments.count).map(|_| ("", &delivery));
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
