//! JSON payloads, and the event kind in the payload.

use std::error::Error;

use serde::{Deserialize, Serialize};
use webhook_verify::{EventKind, EventKindError, KindError, Verified, Verifier, sign};

use crate::{SECRET, secret};

#[derive(Debug, PartialEq, Deserialize)]
struct Payload {
    by: String,
}

#[track_caller]
fn delivery<'b>(kind: Option<&str>, body: &'b str) -> Verified<&'b str> {
    let signature = sign(&secret(SECRET), body);
    let headers = crate::headers([signature.as_bytes()], kind.map(str::as_bytes));
    Verifier::new(secret(SECRET)).verify(headers, body).unwrap()
}

#[track_caller]
fn check_payload_error(body: &str, message: &str) {
    let error = delivery(None, body).json::<Payload>().unwrap_err();
    assert_eq!(error.to_string(), message);
    assert!(error.source().is_some());
}

#[track_caller]
fn check_invalid_field(body: &str) {
    let confirmed = delivery(Some("post.liked"), body).confirm_kind_in("type");
    assert_eq!(confirmed, Err(KindError::InvalidField), "{body}");
}

#[test]
fn parses_a_payload() {
    let delivery = delivery(None, r#"{"by": "grace", "more": 1}"#);
    assert_eq!(delivery.json::<Payload>().unwrap().by, "grace");
    // Can also borrow from the body.
    let borrowed: std::collections::BTreeMap<&str, serde_json::Value> = delivery.json().unwrap();
    assert_eq!(borrowed["by"], "grace");
}

/// Services write half of an emoji that cut texts by UTF-16 units.
#[test]
fn a_payload_with_half_of_an_emoji_is_read() {
    for (text, read) in [
        (r"\ud83d", "\u{fffd}"),
        (r"\uDE00 \uD83D", "\u{fffd} \u{fffd}"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\ud83d\u0041\n", "\u{fffd}A\n"),
        (r"\\ud83d \\\ud83d", "\\ud83d \\\u{fffd}"),
        (r"\ud83d\é", ""),
        (r"\ud83d\", ""),
    ] {
        let body = format!(r#"{{"by":"{text}","type":"post.liked"}}"#);
        let delivery = delivery(Some("message.received"), &body);
        let payload = delivery.json::<Payload>().ok();
        let by = (!read.is_empty()).then(|| read.to_owned());
        assert_eq!(payload.map(|payload| payload.by), by, "{text}");
    }
}

/// A value that cannot be read does not hide a forged kind.
#[test]
fn the_kind_is_compared_beside_values_that_cannot_be_read() {
    let deep = "[".repeat(1_000) + &"]".repeat(1_000);
    for value in [r#""\ud83d""#, "1e999", &deep, r#"{"\ude00":1}"#] {
        let body = format!(r#"{{"a":{value},"type":"post.liked"}}"#);
        let delivery = delivery(Some("message.received"), &body);
        let payload = EventKind::PostLiked;
        let confirmed = delivery.confirm_kind_in("type");
        assert_eq!(confirmed, Err(KindError::Mismatch { payload }), "{value}");
    }
    for kind in [r"post\ud83d", r"\udc00", "post\u{fffd}"] {
        let body = format!(r#"{{"type":"{kind}"}}"#);
        let confirmed = delivery(Some("post.liked"), &body).confirm_kind_in("type");
        assert!(
            matches!(confirmed, Err(KindError::Payload(_))),
            "{kind}: {confirmed:?}"
        );
    }
}

#[test]
fn parses_event_kinds() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Event {
        r#type: EventKind,
    }
    for name in ["post.liked", "post.shared"] {
        let event = Event {
            r#type: name.parse().unwrap(),
        };
        let body = serde_json::to_string(&event).unwrap();
        assert_eq!(body, format!(r#"{{"type":"{name}"}}"#));
        assert_eq!(serde_json::from_str::<Event>(&body).unwrap(), event);
    }
    let escaped = r#"{"type":"post.\u006ciked"}"#;
    let event: Event = delivery(None, escaped).json().unwrap();
    assert_eq!(event.r#type, EventKind::PostLiked);
    for (invalid, message) in [
        (
            r#""""#,
            "the event kind is empty; expected a name such as post.liked",
        ),
        ("7", "invalid type: integer `7`, expected a string"),
    ] {
        let body = format!(r#"{{"type":{invalid}}}"#);
        let error = delivery(None, &body).json::<Event>().unwrap_err();
        let source = error.source().unwrap().to_string();
        assert!(source.starts_with(message), "{source}");
    }
}

#[test]
fn reports_invalid_json_and_another_type_without_quoting_the_payload() {
    let message = "the delivery is authentic, but its payload is not valid JSON, at line 1 column 1; \
                   respond with 2xx";
    check_payload_error("by grace", message);
    let message = "the delivery is authentic, but its payload does not match the receiver's type, \
                   at line 1 column 7; respond with 2xx";
    check_payload_error(r#"{"by": ["a private message"]}"#, message);
}

#[test]
fn confirms_a_kind() {
    let body = r#"{"data": {"type": "post.replied"}, "type": "post.liked"}"#;
    let delivery = delivery(Some("post.liked"), body);
    assert_eq!(delivery.confirm_kind_in("type"), Ok(EventKind::PostLiked));
    let confirmed = delivery.confirm_kind("post.liked");
    assert_eq!(confirmed, Ok(EventKind::PostLiked));
}

#[test]
fn confirms_an_unknown_kind() {
    let delivery = delivery(Some("post.shared"), r#"{"t\u0079pe": "post.\u0073hared"}"#);
    let confirmed = delivery.confirm_kind_in("type").unwrap();
    assert_eq!(confirmed.as_str(), "post.shared");
}

/// As `serde_json::Value` and most other parsers do.
#[test]
fn the_last_of_repeated_fields_counts() {
    let body = r#"{"type": "post.replied", "type": "post.liked"}"#;
    let confirm = |kind| delivery(Some(kind), body).confirm_kind_in("type");
    assert_eq!(confirm("post.liked"), Ok(EventKind::PostLiked));
    let payload = EventKind::PostLiked;
    let mismatch = KindError::Mismatch { payload };
    assert_eq!(confirm("post.replied"), Err(mismatch));
}

#[test]
fn rejects_an_old_body_with_another_kind() {
    let delivery = delivery(Some("message.received"), r#"{"type": "post.liked"}"#);
    let error = delivery.confirm_kind_in("type").unwrap_err();
    let payload = EventKind::PostLiked;
    assert_eq!(error, KindError::Mismatch { payload });
    assert_eq!(
        error.to_string(),
        "X-Service-Event does not match the event kind in the signed payload, post.liked; \
         trust the payload: an old delivery may have been resent as another kind"
    );
}

#[test]
fn rejects_missing_and_non_string_fields() {
    check_invalid_field(r#"{"kind": "post.liked"}"#);
    check_invalid_field(r#"{"type": null}"#);
    check_invalid_field(r#"{"type": ["post.liked"]}"#);
    check_invalid_field(r#"["type", "post.liked"]"#);
    check_invalid_field(r#"{"type": "post.liked"} {}"#);
    check_invalid_field(r#"{"type": "post.liked""#);
    check_invalid_field("");
    assert_eq!(
        KindError::InvalidField.to_string(),
        "the payload has no event kind, or is not valid JSON; \
         expected a JSON object that has the field with a string value"
    );
}

#[test]
fn rejects_missing_and_empty_kinds() {
    let missing = delivery(None, r#"{"type": "post.liked"}"#).confirm_kind_in("type");
    assert_eq!(missing, Err(KindError::Header(EventKindError::Missing)));
    let empty = delivery(Some("post.liked"), r#"{"type": ""}"#).confirm_kind_in("type");
    assert_eq!(empty, Err(KindError::Payload(EventKindError::Empty)));
    assert_eq!(
        empty.unwrap_err().to_string(),
        "the payload has an invalid event kind: \
         the event kind is empty; expected a name such as post.liked"
    );
}
