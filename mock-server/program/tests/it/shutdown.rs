//! The end of the program `mock-server` by signals.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::serving::{Serving, request_unread, send_incomplete_requests, serve};

#[test]
fn finishes_requests_before_it_exits() {
    let mut serving = serve(&[]);
    let rule = json!({"fault": {"delay": {"milliseconds": 300}}, "times": 1});
    serving.order(201, "POST /worlds/default/faults", rule);
    let mut idle = TcpStream::connect(serving.address()).unwrap();
    let mut busy = TcpStream::connect(serving.address()).unwrap();
    write!(busy, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    while serving.read("/faults")[0]["applied"] == 0 {
        thread::yield_now();
    }
    serving.signal(Signal::TERM);
    let mut answer = String::new();
    busy.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(idle.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(serving.end().0, Some(0));
}

#[test]
fn shutdown_ends_a_stalled_response() {
    let serving = serve(&[]);
    let rule = json!({"fault": {"wire": {"stall": {"after": 0}}}});
    serving.order(201, "POST /worlds/default/faults", rule);
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(stream, "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap(), 8);
    assert_eq!(serving.stop(Signal::TERM).0, Some(0));
}

#[test]
fn waiting_requests_do_not_delay_the_exit() {
    let serving = serve(&[]);
    let delay = json!({"fault": {"delay": {"milliseconds": 60_000}}});
    serving.order(201, "POST /worlds/default/faults", delay);
    let delayed = serving.request("GET /me").begin();
    let halves = send_incomplete_requests(&serving);
    let line = "GET /worlds/default/faults";
    while serving.order(200, line, Value::Null)[0]["applied"] != 1 {}
    assert_eq!(serving.stop(Signal::TERM).0, Some(0));
    // The complete request gets its response. The incomplete ones do not delay the exit.
    assert_eq!(delayed.finish().status, 200);
    for mut half in halves {
        assert_eq!(half.read(&mut [0; 1]).unwrap_or(0), 0);
    }
}

/// The shell and the system send SIGHUP for a closed terminal.
#[test]
fn a_second_signal_ends_the_program_immediately_but_not_the_second_sighup() {
    let mut hung_up = serve(&[]);
    let unread = request_without_reading(&hung_up);
    let stop = |serving: &Serving, first, second| {
        serving.signal(first);
        // The program has handled the first signal when its port is free.
        while TcpListener::bind(serving.address()).is_err() {}
        serving.signal(second);
    };
    stop(&hung_up, Signal::HUP, Signal::HUP);
    for (first, second) in [
        (Signal::TERM, Signal::INT),
        (Signal::INT, Signal::TERM),
        (Signal::TERM, Signal::HUP),
        (Signal::HUP, Signal::QUIT),
    ] {
        let mut serving = serve(&[]);
        let _unread = request_without_reading(&serving);
        stop(&serving, first, second);
        assert_eq!(serving.end().0, Some(0), "{first:?} {second:?}");
    }
    // It still waits for its client.
    assert!(hung_up.is_running());
    drop(unread);
    assert_eq!(hung_up.end().0, Some(0));
}

#[test]
fn the_lock_of_a_state_file_does_not_delay_a_second_signal() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let arguments = ["--state", path.to_str().unwrap()];
    let mut serving = serve(&arguments);
    let lock = File::open(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    let _blocked = serving.request("GET /me").begin();
    for _ in 0..2 {
        serving.signal(Signal::TERM);
        // The program has handled the first signal when its port is free.
        while TcpListener::bind(serving.address()).is_err() {}
    }
    assert_eq!(serving.end().0, Some(0));
}

/// Requests a response that is larger than all buffers.
#[track_caller]
fn request_without_reading(serving: &Serving) -> TcpStream {
    let large = json!({"fault": {"huge_body": {"bytes": 15_000_000}}});
    serving.order(201, "POST /worlds/default/faults", large);
    request_unread(serving.address())
}
