//! Example payloads, in the shape that the mock server uses by default.

use jiff::Timestamp;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use webhook_verify::EventKind;

/// Returns an example of a payload. The specification does not define payloads.
pub(super) fn payload(kind: &HeaderValue) -> String {
    let data = EventKind::try_from(kind.as_bytes()).map_or_else(|_| json!({}), data);
    let kind = json!(String::from_utf8_lossy(kind.as_bytes()));
    let now = format!("{:.0}", Timestamp::now());
    format!(r#"{{"type":{kind},"created_at":"{now}","data":{data}}}"#)
}

fn data(kind: EventKind) -> Value {
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
