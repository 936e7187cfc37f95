//! Deliveries that `profile webhook listen` rejects, and its warnings about consecutive failures.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use super::listener::{Listener, status};
use super::{BODY, SIGNATURE, home, sign};

#[test]
fn warns_of_ten_consecutive_rejections() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "2", "--json"]);
    for _ in 0..10 {
        assert_eq!(listener.deliver("post.liked", "sha256=00", b"{}"), 401);
    }
    let event = listener.event();
    assert_eq!(event["consecutive_failures"], 1);
    assert_eq!(event["verified"], false);
    assert_eq!(event["body"], serde_json::Value::Null);
    for expected in [
        "warning: 5 consecutive deliveries have failed; after 10, the service turns the \
         webhook off; none has succeeded so far, so check the secret",
        "warning: 10 consecutive deliveries have failed; if the service sent them, it has \
         turned the webhook off; none has succeeded so far, so check the secret",
    ] {
        assert_eq!(listener.running.stderr_line(), expected);
    }
    listener.delivers(204);
    while listener.event()["consecutive_failures"] != 0 {}
    listener.delivers(204);
    assert_eq!(listener.end().code(), 0);
}

#[test]
#[cfg_attr(windows, ignore = "ends the program by SIGTERM")]
fn responds_with_an_empty_401() {
    let home = home();
    let records = home.path().join("records");
    let record = ["--record", records.to_str().unwrap()];
    let listener = Listener::start(home.path(), &record);
    let event = ("X-Service-Event", "post.liked");
    let of = |signature| ("X-Service-Signature", signature);
    let signature = of(SIGNATURE);
    let forged = format!("sha256={}", "0".repeat(64));
    let cases = [
        (vec![event], BODY.as_bytes()),
        (vec![event, signature], b"Hello, World?".as_slice()),
        (vec![event, signature, signature], BODY.as_bytes()),
        (vec![event, of(&forged)], BODY.as_bytes()),
        (vec![event, of("sha1=00")], BODY.as_bytes()),
    ];
    for (headers, body) in cases {
        let answer = listener.request("POST", &headers, body);
        assert_eq!(status(&answer), 401);
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    }
    listener.stop().says("ended: 0 verified, 5 rejected");
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
    let mut stream = listener.connect().unwrap();
    let head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 9999999\r\n";
    let head = format!("{head}X-Service-Signature: {SIGNATURE}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(status(&std::io::read_to_string(stream).unwrap()), 413);
    listener.delivers(204);
    assert_eq!(listener.end().code(), 0);

    let listener = Listener::start(home.path(), &["--max-body", "12"]);
    listener.delivers(413);
}

/// Returns `true` if nothing was sent to a client so far.
fn is_pending(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = stream.read(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn slow_senders_do_not_delay_short_deliveries() {
    let home = home();
    let listener = Listener::start(home.path(), &[]);
    let start = |_| listener.start_body(1 << 20, b"a");
    let mut slow: Vec<_> = (0..100).map(start).collect();
    let _silent: Vec<_> = (0..90).map(|_| listener.connect().unwrap()).collect();
    listener.delivers(204);
    // Their time is not over, so the delivery did not wait for them.
    assert!(slow.iter_mut().all(is_pending));
}

#[test]
fn connections_above_200_wait() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "2", "--json"]);
    let (last, first) = BODY.as_bytes().split_last().unwrap();
    let start = |_| listener.start_body(BODY.len(), first);
    let mut slow: Vec<_> = (0..200).map(start).collect();
    let mut waiting = listener.connect().unwrap();
    let head = "POST /waiting HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\n";
    let request = format!("{head}X-Service-Signature: {SIGNATURE}\r\n\r\n{BODY}");
    waiting.write_all(request.as_bytes()).unwrap();
    let mut stream = slow.pop().unwrap();
    stream.write_all(&[*last]).unwrap();
    assert_eq!(listener.event()["path"], "/");
    drop(stream);
    assert_eq!(listener.event()["path"], "/waiting");
}

#[test]
fn receives_at_most_64_long_bodies() {
    // On a slow machine, the time for the other bodies may be over before all is observed.
    assert!((0..3).any(|_| receives_64_of_65_long_bodies()));
}

/// Returns `false` if another number of bodies was received.
fn receives_64_of_65_long_bodies() -> bool {
    const LENGTH: usize = 20_000;
    let home = home();
    let mut listener = Listener::start(home.path(), &["--json"]);
    let start = |_| listener.start_body(LENGTH, &[b'a'; LENGTH - 1]);
    let mut slow: Vec<_> = (0..65).map(start).collect();
    // Short bodies need no permit.
    listener.delivers(204);
    assert_eq!(listener.event()["status"], 204);
    // One of them waits in vain.
    assert_eq!(listener.event()["status"], 503);
    // The line precedes the response.
    while slow.iter_mut().all(is_pending) {
        std::thread::yield_now();
    }
    slow.retain_mut(is_pending);
    let mut response = [0; 12];
    let received = slow[0].write_all(b"a");
    let received = received.and_then(|()| slow[0].read_exact(&mut response));
    if slow.len() != 64 || received.is_err() || &response != b"HTTP/1.1 401" {
        return false;
    }
    let long = vec![b'a'; LENGTH];
    let signature = sign(home.path(), &long);
    assert_eq!(listener.deliver("post.liked", &signature, &long), 204);
    true
}

#[test]
fn strangers_neither_end_it_nor_fill_the_output() {
    const SENT: usize = 50;
    let home = home();
    let started = Instant::now();
    let listener = Listener::start(home.path(), &["--max", "1"]);
    for _ in 0..SENT {
        assert_eq!(status(&listener.request("POST", &[], b"{}")), 401);
    }
    let at_most = 1 + started.elapsed().as_secs() as usize;
    listener.delivers(204);
    let run = listener.end();
    assert!(run.stdout().lines().count() <= at_most + 1, "{run}");
    let ended = format!("ended: 1 verified, {SENT} rejected\n");
    assert!(run.stderr().ends_with(&ended), "{run}");
}

#[test]
fn other_requests_are_not_counted() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1"]);
    for method in ["GET", "PUT", "DELETE"] {
        let answer = listener.request(method, &[], b"");
        assert_eq!(status(&answer), 405);
        let answer = answer.to_ascii_lowercase();
        assert!(answer.contains("\r\nallow: post\r\n"), "{answer}");
    }
    listener.delivers(204);
    assert_eq!(listener.end().stdout().lines().count(), 1);
}

#[test]
fn warns_of_another_kind_in_the_body() {
    let home = home();
    for body in [r#"{"type":"post.liked"}"#, r#"{"type":"post\ud83d!"}"#] {
        let listener = Listener::start(home.path(), &["--max", "1"]);
        let body = body.as_bytes();
        listener.deliver("follow.created", &sign(home.path(), body), body);
        let run = listener.end();
        let line = format!("follow.created\t204\t{}\tverified\t\t/hooks\n", body.len());
        assert!(run.stdout().ends_with(&line), "{run}");
        let warning = "warning: X-Service-Event, which is not signed, is follow.created";
        assert!(run.stderr().starts_with(warning), "{run}");
    }
}
