//! Event kinds.

use webhook_verify::{EventKind, EventKindError, EventName, Verifier};

use crate::{BODY, SECRET, SIGNATURE, secret};

#[track_caller]
fn event_kind(events: &[&[u8]]) -> Result<EventKind, EventKindError> {
    let headers = crate::headers([SIGNATURE.as_bytes()], events.iter().copied());
    let verified = Verifier::new(secret(SECRET)).verify(headers, BODY).unwrap();
    verified.event_kind()
}

#[test]
fn known_kinds_have_the_names_of_the_specification() {
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
        assert_eq!(event_kind(&[name.as_bytes()]), Ok(kind));
        assert_eq!(kind.to_string(), name);
    }
}

#[test]
fn keeps_other_kinds() {
    let long = "n".repeat(EventName::MAX_LENGTH);
    for name in ["post.shared", "Post.Liked", "*", &long] {
        let kind = event_kind(&[name.as_bytes()]).unwrap();
        assert!(matches!(kind, EventKind::Other(_)));
        assert_eq!(kind.as_str(), name);
        assert_eq!(name.parse(), Ok(kind));
    }
}

#[test]
fn prints_the_name_of_other_kinds() {
    let kind = event_kind(&[b"post.shared"]).unwrap();
    assert_eq!(format!("{kind:?}"), r#"Other("post.shared")"#);
    let EventKind::Other(name) = &kind else {
        panic!("{kind:?}");
    };
    assert_eq!(format!("{name:>12}"), " post.shared");
    assert_eq!(format!("{kind:>13}"), "  post.shared");
}

#[test]
fn reports_headers_without_a_valid_kind() {
    let checks: [(&[&[u8]], _, _); 5] = [
        (
            &[],
            EventKindError::Missing,
            "the request has no X-Service-Event header",
        ),
        (
            &[b"post.liked", b"post.liked"],
            EventKindError::Duplicate { count: 2 },
            "the request has 2 X-Service-Event headers; expected exactly one",
        ),
        (
            &[b""],
            EventKindError::Empty,
            "the event kind is empty; expected a name such as post.liked",
        ),
        (
            &[&[b'n'; 65]],
            EventKindError::TooLong { length: 65 },
            "the event kind has 65 bytes; the maximum is 64",
        ),
        (
            &[b"post.liked\nforged log line"],
            EventKindError::InvalidByte {
                position: 10,
                byte: b'\n',
            },
            "the event kind has byte 0x0a at position 10 (counted from 0); \
             expected visible ASCII characters, as in post.liked",
        ),
    ];
    for (events, expected, message) in checks {
        let error = event_kind(events).unwrap_err();
        assert_eq!(error, expected);
        assert_eq!(error.to_string(), message);
    }
}
