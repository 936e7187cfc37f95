//! The payload after verification: JSON of the caller's type, and the kind that it names itself.

use std::error::Error;

use serde::Deserialize;
use webhook_verify::{EventKind, EventKindError, Headers, KindError, Verified, Verifier, sign};

use crate::{SECRET, secret};

#[derive(Debug, PartialEq, Deserialize)]
struct Payload {
    by: String,
}

#[track_caller]
fn delivery<'b>(kind: Option<&str>, body: &'b str) -> Verified<&'b str> {
    let signature = sign(&secret(SECRET), body);
    let headers = Headers::from_values([signature.as_bytes()], kind.map(str::as_bytes));
    Verifier::new(secret(SECRET)).verify(headers, body).unwrap()
}

#[track_caller]
fn check_misfit(body: &str, message: &str) {
    let error = delivery(None, body).json::<Payload>().unwrap_err();
    assert_eq!(error.to_string(), message);
    assert!(error.source().is_some());
}

#[track_caller]
fn check_no_field(body: &str) {
    let confirmed = delivery(Some("post.liked"), body).confirm_kind_in("type");
    assert_eq!(confirmed, Err(KindError::InvalidField), "{body}");
}

#[test]
fn a_payload_of_the_callers_type() {
    let delivery = delivery(None, r#"{"by": "grace", "more": 1}"#);
    assert_eq!(delivery.json::<Payload>().unwrap().by, "grace");
    // Borrowed from the body, too.
    let borrowed: std::collections::BTreeMap<&str, serde_json::Value> = delivery.json().unwrap();
    assert_eq!(borrowed["by"], "grace");
}

#[test]
fn a_payload_that_is_not_json() {
    check_misfit(
        "by grace",
        "the payload is authentic and is not JSON, at line 1 column 1; \
         answer 2xx, and read the body as it came",
    );
}

#[test]
fn a_payload_of_another_shape_is_not_quoted() {
    check_misfit(
        r#"{"by": ["a private message"]}"#,
        "the payload is authentic and does not fit the receiver's type, at line 1 column 7; \
         answer 2xx, and read the body as it came",
    );
}

#[test]
fn a_kind_that_the_payload_confirms() {
    let body = r#"{"data": {"type": "post.replied"}, "type": "post.liked"}"#;
    let delivery = delivery(Some("post.liked"), body);
    assert_eq!(delivery.confirm_kind_in("type"), Ok(EventKind::PostLiked));
    assert_eq!(
        delivery.confirm_kind("post.liked"),
        Ok(EventKind::PostLiked)
    );
}

#[test]
fn an_unknown_kind_is_confirmed_too() {
    let delivery = delivery(Some("post.shared"), r#"{"t\u0079pe": "post.\u0073hared"}"#);
    assert_eq!(
        delivery.confirm_kind_in("type").unwrap().as_str(),
        "post.shared"
    );
}

#[test]
fn an_old_body_under_another_kind() {
    let error = delivery(Some("message.received"), r#"{"type": "post.liked"}"#)
        .confirm_kind_in("type")
        .unwrap_err();
    let payload = EventKind::PostLiked;
    assert_eq!(error, KindError::Mismatch { payload });
    assert_eq!(
        error.to_string(),
        "X-Service-Event says another kind than the signed payload, which says post.liked; \
         trust the payload, and expect that an old delivery was sent again under another kind"
    );
}

#[test]
fn a_field_that_is_missing_repeated_or_no_string() {
    check_no_field(r#"{"kind": "post.liked"}"#);
    check_no_field(r#"{"type": "post.liked", "type": "post.liked"}"#);
    check_no_field(r#"{"type": "post.liked", "t\u0079pe": "post.replied"}"#);
    check_no_field(r#"{"type": null}"#);
    check_no_field(r#"{"type": ["post.liked"]}"#);
    check_no_field(r#"["type", "post.liked"]"#);
    check_no_field(r#"{"type": "post.liked"} {}"#);
    check_no_field(r#"{"type": "post.liked""#);
    check_no_field("");
    assert_eq!(
        KindError::InvalidField.to_string(),
        "the payload does not name its kind where it was looked for; \
         expected a JSON object that has the field once, as a string"
    );
}

#[test]
fn names_that_are_none() {
    let missing = delivery(None, r#"{"type": "post.liked"}"#).confirm_kind_in("type");
    assert_eq!(missing, Err(KindError::Header(EventKindError::Missing)));
    let empty = delivery(Some("post.liked"), r#"{"type": ""}"#).confirm_kind_in("type");
    assert_eq!(empty, Err(KindError::Payload(EventKindError::Empty)));
    assert_eq!(
        empty.unwrap_err().to_string(),
        "the payload names no kind: the event kind is empty; expected a name like post.liked"
    );
}
