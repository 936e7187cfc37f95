//! Start and shutdown of servers.

use std::io::{Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::process::Command;

use mock_server::MockServer;
#[cfg(unix)]
use mock_server::StartError;
use mock_server::journal::RequestPattern;

use tokio::sync::Mutex;

use crate::request::{request, request_exactly};

#[test]
fn starts_without_a_runtime() {
    let server = MockServer::start_blocking();
    request(&server, "GET /me").data(200);
    server.expect("GET", "/me").once();
}

#[tokio::test]
async fn a_request_may_have_an_absolute_target_and_head_is_get_without_a_body() {
    let server = MockServer::start().await;
    let line = format!("GET {}/api/v1/badges", server.uri());
    assert_eq!(request_exactly(server.address(), &line).send().status, 200);
    let head = request(&server, "HEAD /me").send();
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-type"), Some("application/json"));
    server.assert_no_violations();
}

/// Locked while a process is started, which has the sockets of this one until it runs its program.
static STARTING: Mutex<()> = Mutex::const_new(());

#[tokio::test]
async fn a_stopped_server_has_closed_its_port_and_its_connections() {
    let _no_process = STARTING.lock().await;
    for round in 0..20 {
        let server = MockServer::start().await;
        let mut kept = TcpStream::connect(server.address()).unwrap();
        let address = server.address();
        match round % 2 {
            0 => drop(server),
            _ => server.stop().await,
        }
        assert!(TcpStream::connect(address).is_err(), "round {round}");
        assert!(!matches!(kept.read(&mut [0]), Ok(1..)), "round {round}");
    }
}

/// Runs itself in a process in which the stack of a thread is too large.
#[cfg(unix)]
#[test]
fn a_thread_that_cannot_be_started_is_an_error() {
    const STACK: (&str, &str) = ("RUST_MIN_STACK", "1000000000000000");
    if std::env::var(STACK.0).as_deref() == Ok(STACK.1) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let started = runtime.unwrap().block_on(MockServer::builder().start());
        assert!(matches!(started, Err(StartError::Thread(_))), "{started:?}");
        return;
    }
    let _starting = STARTING.blocking_lock();
    let name = "server::a_thread_that_cannot_be_started_is_an_error";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads=1"])
        .env(STACK.0, STACK.1)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("1 passed"), "{stdout}");
}

#[tokio::test]
async fn a_panic_in_a_change_does_not_stop_the_server() {
    let server = MockServer::start().await;
    let change = || server.update(|_| panic!("a mistake in a test"));
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(change));
    assert!(unwound.is_err());
    request(&server, "GET /me").data(200);
}

/// Sends bytes, and returns the response until the connection is closed.
fn exchange(server: &MockServer, bytes: &[u8]) -> String {
    let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn http_1_1_requires_one_host() {
    let server = MockServer::start().await;
    for (version, hosts, status) in [
        ("1.1", "", "400"),
        ("1.1", "Host: a\r\nHost: a\r\n", "400"),
        ("1.0", "Host: a\r\nHost: b\r\n", "400"),
        ("1.0", "", "200"),
        ("1.1", "Host:\r\n", "200"),
        ("1.1", "Host: a\r\n", "200"),
    ] {
        let head = format!("GET /api/v1/badges HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        let answer = exchange(&server, head.as_bytes());
        assert_eq!(answer.split(' ').nth(1), Some(status), "{head}");
    }
    server.assert_no_violations();
}

#[tokio::test]
async fn odd_requests_are_recorded_as_they_were_sent() {
    let server = MockServer::start().await;
    let connect = b"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = exchange(&server, connect);
    let message = "no endpoint has the path a.example:443";
    assert!(answer.contains(message), "{answer}");
    let latin_1 =
        b"GET /api/v1/badges HTTP/1.1\r\nHost: a\r\nX-Name: Ren\xe9\r\nConnection: close\r\n\r\n";
    exchange(&server, latin_1);
    let pattern = RequestPattern::new("GET", "/badges").header("X-Name", "Ren\u{e9}");
    server.expect_matching(pattern).once();
}
