//! The event kind: the seven, the unknown, the malformed, and that it decides nothing.

use webhook_verify::{EventKind, EventKindError, EventName, Headers, Verifier, VerifyError};

use crate::{BODY, SECRET, SIGNATURE, secret};

#[track_caller]
fn claim(events: &[&[u8]]) -> Result<EventKind, EventKindError> {
    let headers = Headers::from_values([SIGNATURE.as_bytes()], events.iter().copied());
    let verified = Verifier::new(secret(SECRET)).verify(headers, BODY).unwrap();
    verified.event_kind()
}

#[track_caller]
fn check_message(events: &[&[u8]], expected: EventKindError, message: &str) {
    let error = claim(events).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[test]
fn the_seven_are_known_by_the_names_of_the_specification() {
    let names = [
        ("follow.created", EventKind::FollowCreated),
        ("comment.created", EventKind::CommentCreated),
        ("profile.liked", EventKind::ProfileLiked),
        ("post.liked", EventKind::PostLiked),
        ("post.replied", EventKind::PostReplied),
        ("post.mentioned", EventKind::PostMentioned),
        ("message.received", EventKind::MessageReceived),
    ];
    assert_eq!(names.map(|(_, kind)| kind), EventKind::KNOWN);
    for (name, kind) in names {
        assert_eq!(claim(&[name.as_bytes()]), Ok(kind));
        assert_eq!(kind.to_string(), name);
    }
}

#[test]
fn another_is_kept_by_name() {
    for name in [
        "post.shared",
        "Post.Liked",
        "*",
        &"n".repeat(EventName::MAX_LENGTH),
    ] {
        let kind = claim(&[name.as_bytes()]).unwrap();
        assert!(matches!(kind, EventKind::Other(_)));
        assert_eq!(kind.as_str(), name);
        assert_eq!(name.parse(), Ok(kind));
    }
}

#[test]
fn an_unknown_kind_is_shown_by_name() {
    let kind = claim(&[b"post.shared"]).unwrap();
    assert_eq!(format!("{kind:?}"), r#"Other("post.shared")"#);
    assert_eq!(format!("{kind:>13}"), "  post.shared");
}

#[test]
fn a_missing_one() {
    check_message(
        &[],
        EventKindError::Missing,
        "the request has no X-Service-Event header; expected exactly one",
    );
}

#[test]
fn two_of_them() {
    check_message(
        &[b"post.liked", b"post.liked"],
        EventKindError::Duplicate { count: 2 },
        "the request has 2 X-Service-Event headers; expected exactly one",
    );
}

#[test]
fn an_empty_one() {
    check_message(
        &[b""],
        EventKindError::Empty,
        "the event kind is empty; expected a name like post.liked",
    );
}

#[test]
fn one_that_is_too_long() {
    check_message(
        &[&[b'n'; 65]],
        EventKindError::TooLong { length: 65 },
        "the event kind has 65 bytes; at most 64 are kept",
    );
}

#[test]
fn one_with_a_line_break() {
    check_message(
        &[b"post.liked\nforged log line"],
        EventKindError::InvalidByte {
            position: 10,
            byte: b'\n',
        },
        "the event kind has byte 0x0a at position 10 (counted from 0); \
         expected only visible ASCII, as in post.liked",
    );
}

#[test]
fn one_with_a_space_or_beyond_ascii() {
    for event in [
        &b" post.liked"[..],
        b"post.liked ",
        b"\xff",
        "post.lik\u{e9}".as_bytes(),
    ] {
        assert!(matches!(
            claim(&[event]),
            Err(EventKindError::InvalidByte { .. })
        ));
    }
}

#[test]
fn it_is_judged_after_the_signature() {
    let headers = Headers::from_values(None, [&b"\n"[..], b""]);
    assert_eq!(
        Verifier::new(secret(SECRET))
            .verify(headers, BODY)
            .unwrap_err(),
        VerifyError::SignatureMissing
    );
}
