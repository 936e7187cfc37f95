//! Deliveries that `profile webhook listen` rejects, and its warnings about consecutive failures.

use std::io::{Read as _, Write as _};

use super::listener::{Listener, status};
use super::{BODY, SIGNATURE, home};

#[test]
fn warns_of_ten_consecutive_rejections() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "2", "--json"]);
    for count in 1..=10 {
        assert_eq!(listener.deliver("post.liked", "sha256=00", b"{}"), 401);
        let event = listener.event();
        assert_eq!(event["consecutive_failures"], count);
        assert_eq!(event["verified"], false);
        assert_eq!(event["body"], serde_json::Value::Null);
    }
    assert_eq!(
        listener.stderr_line(),
        "warning: 5 consecutive deliveries have failed; after 10, the service turns the \
         webhook off; none has succeeded so far, so check the secret"
    );
    assert_eq!(
        listener.stderr_line(),
        "warning: 10 consecutive deliveries have failed; if the service sent them, it has \
         turned the webhook off; none has succeeded so far, so check the secret"
    );
    assert_eq!(
        listener.deliver("post.liked", SIGNATURE, BODY.as_bytes()),
        204
    );
    assert_eq!(listener.event()["consecutive_failures"], 0);
    listener.deliver("post.liked", "sha256=00", b"{}");
    assert_eq!(listener.event()["consecutive_failures"], 1);
    listener.deliver("post.liked", SIGNATURE, BODY.as_bytes());
    assert_eq!(listener.end().code(), 0);
}

#[test]
fn responds_with_an_empty_401() {
    let home = home();
    let records = home.path().join("records");
    let record = ["--record", records.to_str().unwrap()];
    let listener = Listener::start(home.path(), &record);
    let event = ("X-Service-Event", "post.liked");
    let signature = ("X-Service-Signature", SIGNATURE);
    let forged = format!("sha256={}", "0".repeat(64));
    let cases = [
        (vec![event], BODY.as_bytes()),
        (vec![event, signature], b"Hello, World?".as_slice()),
        (vec![event, signature, signature], BODY.as_bytes()),
        (
            vec![event, ("X-Service-Signature", &forged)],
            BODY.as_bytes(),
        ),
        (
            vec![event, ("X-Service-Signature", "sha1=00")],
            BODY.as_bytes(),
        ),
    ];
    for (headers, body) in cases {
        let answer = listener.request("POST", &headers, body);
        assert_eq!(status(&answer), 401);
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    }
    assert_eq!(listener.stop().stdout().lines().count(), 5);
    assert_eq!(std::fs::read_dir(records).unwrap().count(), 0);
}

#[test]
fn rejects_a_body_over_the_limit() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "1", "--json"]);
    let body = vec![b'a'; (1 << 20) + 1];
    assert_eq!(listener.deliver("post.liked", SIGNATURE, &body), 413);
    let event = listener.event();
    assert_eq!(event["status"], 413);
    assert_eq!(event["bytes"], body.len());
    // With `Expect: 100-continue`, the response precedes the body.
    let mut stream = listener.connect();
    let head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 9999999\r\n";
    let head = format!("{head}X-Service-Signature: {SIGNATURE}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(status(&std::io::read_to_string(stream).unwrap()), 413);
    listener.event();
    assert_eq!(
        listener.deliver("post.liked", SIGNATURE, BODY.as_bytes()),
        204
    );
    assert_eq!(listener.end().code(), 0);

    let listener = Listener::start(home.path(), &["--max-body", "12"]);
    assert_eq!(
        listener.deliver("post.liked", SIGNATURE, BODY.as_bytes()),
        413
    );
}

/// `100 Continue` is the answer to each sender whose body is awaited.
#[test]
fn holds_at_most_64_bodies() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--json"]);
    let _idle: Vec<_> = (0..100).map(|_| listener.connect()).collect();
    let send_head = || {
        let mut stream = listener.connect();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\
             X-Service-Signature: {SIGNATURE}\r\nContent-Length: {}\r\n\r\n",
            BODY.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let mut slow: Vec<_> = (0..64).map(|_| send_head()).collect();
    for stream in &mut slow {
        let mut answer = [0; 25];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    send_head().write_all(BODY.as_bytes()).unwrap();
    // Other requests are answered.
    assert_eq!(status(&listener.request("GET", &[], b"")), 405);
    slow[0].write_all(b"Hello, Mallet").unwrap();
    assert_eq!(listener.event()["verified"], false);
    assert_eq!(listener.event()["verified"], true);
}

#[test]
fn other_requests_are_not_counted() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1"]);
    for method in ["GET", "PUT", "DELETE"] {
        let answer = listener.request(method, &[], b"");
        assert_eq!(status(&answer), 405);
        assert!(
            answer.to_ascii_lowercase().contains("\r\nallow: post\r\n"),
            "{answer}"
        );
    }
    listener.deliver("post.liked", SIGNATURE, BODY.as_bytes());
    assert_eq!(listener.end().stdout().lines().count(), 1);
}

#[test]
fn warns_of_another_kind_in_the_body() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1"]);
    let body = r#"{"type":"post.liked"}"#;
    let signed = super::webhook(home.path(), &["sign", "--body", "-"])
        .stdin(body)
        .run();
    listener.deliver(
        "follow.created",
        signed.stdout().trim_end(),
        body.as_bytes(),
    );
    let run = listener.end();
    assert!(
        run.stdout()
            .ends_with("follow.created\t204\t21\tverified\t\t/hooks\n"),
        "{run}"
    );
    assert!(
        run.stderr()
            .starts_with("warning: X-Service-Event, which is not signed, is follow.created"),
        "{run}"
    );
}
