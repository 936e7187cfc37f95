//! `profile webhook listen`: output, forwarding, recording and shutdown.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};

use expect_test::expect;
use mock_server::MockServer;
use mock_server::webhook::EventKind;
use mock_server::wiremock::ResponseTemplate;
use serde_json::json;

use super::listener::Listener;
use super::{BODY, SECRET, SIGNATURE, home, receiver, sign, webhook};
#[cfg(unix)]
use crate::program::{Program, Signal};

#[tokio::test]
async fn verifies_deliveries_of_the_service() {
    let home = home();
    let count = EventKind::ALL.len();
    let max = count.to_string();
    let mut listener = Listener::start(home.path(), &["--max", &max, "--json"]);
    let service = MockServer::start().await;
    let hooks = service.webhook();
    hooks.set_receiver(&listener.url, SECRET).unwrap();
    let help = webhook(home.path(), &["send", "--help"]).run();
    let (_, kinds) = help.stdout().split_once("\nKinds of").unwrap();
    let kinds = kinds.lines().filter_map(|line| line.strip_prefix("  "));
    for kind in kinds.take(count) {
        let sent = hooks.emit(kind, json!({"from": "grace"})).await.unwrap();
        assert!(sent.is_success(), "{sent:?}");
        let event = listener.event();
        assert_eq!(event["event"], kind);
        assert_eq!(event["verified"], true, "{event}");
        assert_eq!(event["body"].as_str().unwrap().as_bytes(), sent.sent.body);
    }
    listener.end().check(&expect![[r#"
        exit 0
        --- stdout
        --- stderr
        ended: 7 verified, 0 rejected
    "#]]);
}

#[test]
fn accepts_base64_signatures_on_request() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1", "--encoding", "base64"]);
    let signature = "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=";
    let delivered = listener.deliver("post.liked", signature, BODY.as_bytes());
    assert_eq!(delivered, 204);
    listener.end().stdout();
}

#[test]
fn a_line_has_all_columns_in_a_pipe_and_no_empty_values_on_a_terminal() {
    let home = home();
    let reason = "X-Service-Signature has a digest of length 2; expected 64 hex digits";
    let piped = format!("\t\t401\t0\trejected\t{reason}\t/hooks\n");
    let shown = format!("Z  401  0  rejected  {reason}  /hooks\n");
    for (format, verified, rejected) in [
        ("tsv", "\tpost.liked\t204\t13\tverified\t\t/hooks\n", piped),
        ("table", "Z  post.liked  204  13  verified  /hooks\n", shown),
    ] {
        let listener = Listener::start(home.path(), &["--max", "1", "-o", format]);
        listener.deliver("evil\tkind", "sha256=00", b"");
        listener.delivers(204);
        let run = listener.end();
        assert!(run.stdout().contains(&rejected), "{run}");
        assert!(run.stdout().contains(verified), "{run}");
    }
}

#[test]
fn prints_a_binary_body_in_base64() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "1", "-o", "json"]);
    let body = b"\xff\x00\r\n";
    let signature = sign(home.path(), body);
    assert_eq!(listener.deliver("post.liked", &signature, body), 204);
    let event = listener.event();
    assert_eq!(event["body_encoding"], "base64");
    assert_eq!(event["body"], "/wANCg==");
    assert_eq!(event["bytes"], 4);
}

#[test]
fn csv_and_jq_are_streams_too() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1", "-o", "csv"]);
    listener.delivers(204);
    let run = listener.end();
    let line = ",post.liked,204,13,verified,,/hooks\n";
    assert!(run.stdout().ends_with(line), "{run}");
    if cfg!(feature = "jq") {
        let listener = Listener::start(home.path(), &["--max", "1", "--jq", ".event"]);
        listener.delivers(204);
        assert_eq!(listener.end().stdout(), "post.liked\n");
        // A rejected delivery has no body, and a filter that fails does not end the command.
        let listener = Listener::start(home.path(), &["--max", "1", "--jq", ".body|fromjson.id"]);
        assert_eq!(listener.deliver("post.liked", "sha256=00", b""), 401);
        listener.delivers(204);
        listener.end().says("; printed unfiltered");
    }
}

#[tokio::test]
async fn forwards_bytes_and_headers() {
    let home = home();
    let local = receiver(ResponseTemplate::new(200)).await;
    let arguments = ["--max", "1", "--forward-to", &local.uri()];
    let listener = Listener::start(home.path(), &arguments);
    for (signature, status) in [("sha256=00", 401), (SIGNATURE, 204)] {
        let delivered = listener.deliver("post.shared", signature, BODY.as_bytes());
        assert_eq!(delivered, status);
    }
    listener.end().stdout();
    let requests = local.received_requests().await.unwrap();
    let [request] = requests.as_slice() else {
        panic!("only the verified delivery is forwarded: {requests:?}")
    };
    assert_eq!(request.body, BODY.as_bytes());
    assert_eq!(request.headers["x-service-event"], "post.shared");
    assert_eq!(request.headers["x-service-signature"], SIGNATURE);
}

/// Accepts the next connection, and reads a request that ends with [`BODY`].
fn accept_request(receiver: &TcpListener) -> (TcpStream, String) {
    let mut stream = crate::child::accept(receiver);
    let mut request = Vec::new();
    while !request.ends_with(BODY.as_bytes()) {
        let mut bytes = [0; 1024];
        let count = stream.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&request));
        request.extend_from_slice(&bytes[..count]);
    }
    (stream, String::from_utf8(request).unwrap())
}

fn answer(mut stream: TcpStream) {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(response).unwrap();
}

/// One is being forwarded, and 256 wait.
#[test]
fn forwards_in_order_and_counts_what_does_not_fit() {
    let home = home();
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("http://{}", receiver.local_addr().unwrap());
    let listener = Listener::start(home.path(), &["--max", "300", "--forward-to", &to]);
    for number in 0..300 {
        let kind = format!("number.{number}");
        assert_eq!(listener.deliver(&kind, SIGNATURE, BODY.as_bytes()), 204);
    }
    for number in 0..257 {
        let (stream, request) = accept_request(&receiver);
        let kind = format!("x-service-event: number.{number}\r\n");
        assert!(request.contains(&kind), "{request}");
        receiver.set_nonblocking(true).unwrap();
        assert!(receiver.accept().is_err(), "another one is forwarded");
        receiver.set_nonblocking(false).unwrap();
        answer(stream);
    }
    let lost = "warning: 43 deliveries were not printed or not forwarded: ";
    listener.end().says(lost);
}

#[tokio::test]
async fn forwards_no_headers_of_the_connection() {
    let home = home();
    let local = receiver(ResponseTemplate::new(200)).await;
    let to = local.uri().replace("://", "://user:password@");
    let listener = Listener::start(home.path(), &["--max", "1", "--forward-to", &to]);
    let headers = [
        ("X-Service-Signature", SIGNATURE),
        ("Connection", "X-Hop ,  x-other-hop"),
        ("Connection", "te, x-service-signature"),
        ("X-Hop", "1"),
        ("X-Other-Hop", "1"),
        ("Keep-Alive", "timeout=5"),
        ("Proxy-Connection", "keep-alive"),
        ("Authorization", "Bearer of the sender"),
        ("X-End-To-End", "1"),
    ];
    listener.request("POST", &headers, BODY.as_bytes());
    listener.end().stdout();
    let requests = local.received_requests().await.unwrap();
    let headers = &requests[0].headers;
    let hops = ["x-hop", "x-other-hop", "keep-alive", "proxy-connection"];
    for name in hops.iter().chain(&["connection", "te"]) {
        assert!(!headers.contains_key(*name), "{name}");
    }
    assert_eq!(headers["x-end-to-end"], "1");
    assert_eq!(headers["x-service-signature"], SIGNATURE);
    // The credentials of the URL, not those of the sender.
    assert_eq!(headers["authorization"], "Basic dXNlcjpwYXNzd29yZA==");
}

#[test]
fn answers_a_sender_that_closed_its_side() {
    let home = home();
    let listener = Listener::start(home.path(), &["--max", "1"]);
    for (sent, expected) in [("Hello", "HTTP/1.1 400 "), (BODY, "HTTP/1.1 204 ")] {
        let mut stream = listener.start_body(BODY.len(), sent.as_bytes());
        stream.shutdown(Shutdown::Write).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.starts_with(expected), "{response:?}");
    }
    listener.end().stdout();
}

#[tokio::test]
async fn a_delivery_that_cannot_be_recorded_is_not_acknowledged() {
    let home = home();
    let local = receiver(ResponseTemplate::new(200)).await;
    let (records, to) = (home.path().join("records"), local.uri());
    let record = records.to_str().unwrap();
    let arguments = ["--json", "--max=1", "--forward-to", &to, "--record", record];
    let mut listener = Listener::start(home.path(), &arguments);
    std::fs::remove_dir(&records).unwrap();
    std::fs::write(&records, "not a directory").unwrap();
    for count in 1..=5 {
        listener.delivers(503);
        let event = listener.event();
        assert_eq!(event["verified"], true);
        assert_eq!(event["status"], 503);
        assert_eq!(event["consecutive_failures"], count);
        let reason = event["reason"].as_str().unwrap();
        assert!(reason.starts_with("cannot record to "), "{reason}");
    }
    std::fs::remove_file(&records).unwrap();
    listener.delivers(204);
    let run = listener.end();
    run.stdout();
    // The secret is right.
    run.says("turns the webhook off\n");
    assert_eq!(local.received_requests().await.unwrap().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_is_reported_at_the_start() {
    let home = home();
    let run = webhook(home.path(), &["listen", "--record", "/proc"]).run();
    run.fails(1, "error: cannot record to /proc: ");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_empty_recording() {
    let home = home();
    let records = home.path().join("records");
    let arguments = ["webhook", "listen", "--record", records.to_str().unwrap()];
    let program = Program::new(home.path(), &arguments).env("PROFILE_WEBHOOK_SECRET", SECRET);
    let program = crate::written_files::on_a_full_disk(program);
    let listener = Listener::start_program(program);
    listener.delivers(503);
    let run = listener.stop();
    assert!(run.to_string().contains("cannot record to "), "{run}");
    assert!(run.to_string().contains("File too large"), "{run}");
    assert_eq!(std::fs::read_dir(records).unwrap().count(), 0);
}

#[tokio::test]
async fn errors_of_the_receiver_cannot_turn_the_webhook_off() {
    let home = home();
    let failing = receiver(ResponseTemplate::new(500)).await;
    for (uri, outcome) in [
        (failing.uri(), "500 in "),
        ("http://127.0.0.1:1".to_owned(), "cannot connect: "),
    ] {
        let listener = Listener::start(home.path(), &["--max", "1", "--forward-to", &uri]);
        listener.delivers(204);
        let run = listener.end();
        run.stdout();
        run.says("warning: forwarding post.liked of 20");
        run.says(&format!("Z failed: {outcome}"));
    }
}

#[tokio::test]
async fn advice_about_the_receiver_is_printed_once_per_status() {
    let home = home();
    for (status, advice) in [
        (
            308,
            "; the receiver redirects to another URL, and redirects are not followed; ",
        ),
        (404, "; the receiver does not know the path; "),
        (
            401,
            "; the receiver may use another secret, or verify a parsed body ",
        ),
    ] {
        let receiver = receiver(ResponseTemplate::new(status)).await;
        let arguments = ["--max", "2", "--forward-to", &receiver.uri()];
        let listener = Listener::start(home.path(), &arguments);
        listener.delivers(204);
        listener.delivers(204);
        let run = listener.end();
        assert_eq!(run.stderr().matches(advice).count(), 1, "{run}");
        assert_eq!(
            run.stderr().matches("warning: forwarding ").count(),
            2,
            "{run}"
        );
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--json"]);
    listener.delivers(204);
    listener.event();
    listener.running.stop_reading();
    // A program that another test starts may hold the pipe for a moment, so one delivery may not be
    // enough.
    let request = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Signature: {SIGNATURE}\r\n\
         Content-Length: 13\r\n\r\n{BODY}"
    );
    while let Ok(mut stream) = listener.connect() {
        let sent = stream.write_all(request.as_bytes());
        // The program may exit at any time.
        let _ = sent.and_then(|()| stream.read_to_end(&mut Vec::new()));
    }
    let run = listener.end();
    assert_eq!(run.code(), 0, "{run}");
    assert!(run.stderr().starts_with("ended: "), "{run}");
    assert_eq!(run.stderr().lines().count(), 1, "{run}");
}

/// A full pipe holds 64 KiB on Linux, which is fewer deliveries than are sent.
const BLOCKING: usize = 1_000;

fn block_stdout(listener: &Listener) {
    for _ in 0..BLOCKING {
        listener.delivers(204);
    }
}

#[test]
fn answers_while_stdout_is_blocked() {
    let home = home();
    let max = BLOCKING.to_string();
    let listener = Listener::start(home.path(), &["--json", "--max", &max]);
    block_stdout(&listener);
    let run = listener.end();
    let printed = run.json_lines().len();
    assert!((256..BLOCKING).contains(&printed), "{printed}");
    let expected = format!(
        "warning: {} deliveries were not printed or not forwarded: stdout or the receiver is too slow\n\
         ended: {BLOCKING} verified, 0 rejected\n",
        BLOCKING - printed
    );
    assert!(run.stderr().ends_with(&expected), "{run}");
}

/// As for `profile webhook listen --json | less`.
#[cfg(unix)]
#[test]
fn a_signal_ends_it_while_stdout_is_blocked() {
    let home = home();
    for (signal, exit_code) in [(Signal::TERM, 0), (Signal::INT, -2)] {
        let mut listener = Listener::start(home.path(), &["--json"]);
        block_stdout(&listener);
        listener.running.signal(signal);
        let waiting =
            "note: waiting for stdout and deliveries in progress; press Ctrl-C to exit at once";
        assert_eq!(listener.running.stderr_line(), waiting);
        let blocked = "warning: stdout is blocked, so some deliveries were not printed";
        assert_eq!(listener.running.stderr_line(), blocked);
        let run = listener.end();
        assert_eq!(run.code(), exit_code, "{run}");
        run.says(&format!("\nended: {BLOCKING} verified, 0 rejected\n"));
    }
}

#[test]
fn reports_a_client_that_disconnects() {
    let home = home();
    let mut listener = Listener::start(home.path(), &["--max", "1", "--json"]);
    drop(listener.start_body(13, b"Hello"));
    let event = listener.event();
    assert_eq!(event["verified"], false);
    assert_eq!(event["bytes"], 13);
    let reason = event["reason"].as_str().unwrap();
    assert!(reason.starts_with("failed to read the body"), "{event}");
}

#[test]
fn validates_arguments_before_listening() {
    let home = home();
    for argument in [
        "--addr=nowhere",
        "--max=0",
        "--forward-to=ftp://x",
        "--max-body=-1",
    ] {
        let run = webhook(home.path(), &["listen", argument]).run();
        assert_eq!(run.code(), 2, "{run}");
    }
    if cfg!(target_os = "linux") {
        // No other test uses this address, so the port stays free.
        let free = TcpListener::bind("127.0.0.77:0").unwrap();
        let own = free.local_addr().unwrap().to_string();
        drop(free);
        let to = format!("http://{own}/hooks");
        let arguments = ["listen", "--addr", &own, "--forward-to", &to];
        let run = webhook(home.path(), &arguments).run();
        let message = format!("error: --forward-to: {to} is the address of this command\n");
        assert!(run.usage_error().starts_with(&message), "{run}");
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = webhook(home.path(), &["listen", "--addr", &address]).run();
    assert_eq!(run.code(), 1, "{run}");
}

#[test]
fn prints_payloads_for_people_only() {
    let home = home();
    let json = r#"{"type":"post.liked","text":"\u001b[31m"}"#;
    for (arguments, is_printed) in [
        (&["-o", "table"][..], true),
        (&["-o", "table", "--no-payload"], false),
        (&["--json", "--no-payload"], false),
        (&["--jq", ".", "--no-payload"], false),
        (&[], false),
    ] {
        let arguments = [&["--max", "1"], arguments].concat();
        let listener = Listener::start(home.path(), &arguments);
        listener.deliver("post.liked", SIGNATURE, b"forged");
        listener.deliver(
            "post.liked",
            &sign(home.path(), json.as_bytes()),
            json.as_bytes(),
        );
        let run = listener.end();
        let payload = "\n  {\n    \"type\": \"post.liked\",\n    \"text\": \"\\u001b[31m\"\n  }\n";
        assert_eq!(run.stdout().contains(payload), is_printed, "{run}");
        assert!(is_printed || !run.stdout().contains("text"), "{run}");
        for hidden in ["forged", SECRET, "sha256="] {
            assert!(!run.stdout().contains(hidden), "{run}");
        }
    }
}
