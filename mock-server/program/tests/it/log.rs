//! The log of the program `mock-server`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use serde_json::json;
use tempfile::TempDir;

use crate::request::request_exactly;
use crate::serving::{file, serve};

#[test]
fn logs_requests_without_keys() {
    let directory = TempDir::new().unwrap();
    let rule = r#"{"match": {"path": "/api/v1/stats"}, "fault": {"wire": "close"}}"#;
    let serving = serve(&["--log", "--fault", &file(&directory, "faults.json", rule)]);
    let me = serving.request("GET /me?a=b");
    me.key(serving.key("links")).send();
    serving.request("GET /badges").without_key().send();
    serving.request("GET /me").key("canary").send();
    let other = serving.order(201, "POST /worlds", json!({}));
    let key = other["keys"]["social"].as_str().unwrap();
    serving.request("GET /me").key(key).send();
    let misplaced = format!("GET /users/{0}/stats?key={0}", serving.key("all"));
    serving.request(&misplaced).without_key().send();
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    write!(stream, "GET /api/v1/stats HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0);
    // Bytes that control a terminal.
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    let head = "GET /\u{9b}2J HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    let unavailable = json!({"fault": {"status": {"status": 503}}});
    serving.order(201, "POST /worlds/default/faults", unavailable);
    serving.request("GET /badges").without_key().send();
    let mut state = serving.read("/state");
    state["keys"]["real-key"] = state["keys"][serving.key("all")].clone();
    serving.order(204, "PUT /worlds/default/state", state);
    let gone = request_exactly(serving.address(), "GET /worlds/w9/api/v1/me?x=real-key");
    gone.key(serving.key("all")).send();
    let stderr = serving.stderr();
    let log: Vec<_> = stderr.lines().skip(3).collect();
    assert_eq!(
        log,
        [
            "GET /api/v1/me?a=b (links) 200",
            "GET /api/v1/badges (without key) 200",
            "GET /api/v1/me (with a key) 401",
            "GET /api/v1/me (social) 200",
            "GET /api/v1/users/mock_all_…/stats?key=mock_all_… (without key) 401",
            "GET /api/v1/stats (without key) no response (close)",
            "GET /\\u009b2J (without key) 404",
            "GET /api/v1/badges (without key) 503 (status)",
            "GET /worlds/w9/api/v1/me?x=… (all) 404",
        ]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn serves_with_a_full_stderr() {
    use crate::serving;

    let mut program = crate::child::command("sh");
    let path = serving::program(&[]).get_program().to_owned();
    program.args(["-c", "exec \"$0\" 2>/dev/full"]).arg(path);
    assert_eq!(serving::start(program).read("/requests"), json!([]));
}

#[test]
fn a_blocked_log_does_not_delay_responses() {
    let serving = serve(&["--log"]);
    // A pipe holds 64 KiB, and each request logs 40 bytes.
    let stream = TcpStream::connect(serving.address()).unwrap();
    let requests = "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_999)
        + "GET /api/v1/badges HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    thread::scope(|scope| {
        scope.spawn(|| (&stream).write_all(requests.as_bytes()).unwrap());
        (&stream).read_to_end(&mut Vec::new()).unwrap();
    });
    serving.stderr();
}
