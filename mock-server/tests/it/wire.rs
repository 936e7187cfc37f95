//! Wire faults, observed from a raw socket. docs/faults.md describes them.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use mock_server::{Fault, FaultRule, MockServer, WireFault};

use crate::request::request;

/// Longer than any test here takes, so that a bug fails the test instead of blocking it.
const PATIENCE: Duration = Duration::from_secs(10);

async fn server(fault: Fault) -> MockServer {
    let server = MockServer::start().await;
    server.add_fault(FaultRule::new(fault)).unwrap();
    server
}

/// Sends `GET /badges` and keeps the connection open.
#[track_caller]
fn send(address: SocketAddr) -> TcpStream {
    send_head(address, "GET /api/v1/badges HTTP/1.1\r\nHost: x")
}

#[track_caller]
fn send_head(address: SocketAddr, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("{head}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// Reads the head, and as many bytes of the body as the function returns for the head.
#[track_caller]
fn read_part(stream: &mut TcpStream, length: impl Fn(&str) -> usize) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 65_536];
        let count = stream.read(&mut piece).unwrap();
        assert_ne!(count, 0);
        bytes.extend_from_slice(&piece[..count]);
        if bytes.windows(4).any(|four| four == b"\r\n\r\n") {
            let (head, body) = split(&bytes);
            if body.len() >= length(&head) {
                return (head, body);
            }
        }
    }
}

/// Reads head and body until the connection is closed, which must be without an error.
#[track_caller]
fn read_to_end(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    split(&bytes)
}

#[track_caller]
fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap() + 4;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    (head, bytes[end..].to_vec())
}

#[track_caller]
fn content_length(head: &str) -> usize {
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    length.unwrap().parse().unwrap()
}

async fn badges() -> Vec<u8> {
    let server = MockServer::start().await;
    let request = request(&server, "GET /badges").without_key();
    request.send().body.into_bytes()
}

#[tokio::test]
async fn a_reset_sends_rst_and_a_close_fin() {
    let reset = WireFault::Reset { after: None };
    for (fault, read) in [
        (reset, Err(ErrorKind::ConnectionReset)),
        (WireFault::Close, Ok(0)),
    ] {
        let server = server(Fault::Wire(fault)).await;
        let found = send(server.address()).read(&mut [0; 1]);
        assert_eq!(found.map_err(|error| error.kind()), read);
    }
}

#[tokio::test]
async fn a_reset_in_the_body_sends_a_part_and_rst() {
    let whole = badges().await;
    for after in [0, 10] {
        let fault = format!(r#"{{"wire": {{"reset": {{"after": {after}}}}}}}"#);
        let server = server(serde_json::from_str(&fault).unwrap()).await;
        let mut bytes = Vec::new();
        let read = send(server.address()).read_to_end(&mut bytes);
        assert_eq!(read.unwrap_err().kind(), ErrorKind::ConnectionReset);
        let (head, body) = split(&bytes);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert_eq!(body, whole[..after]);
        assert!(content_length(&head) > body.len(), "{head}");
    }
}

#[test]
fn a_reset_is_short_for_one_without_bytes() {
    for (json, after) in [
        (r#""reset""#, None),
        (r#"{"reset":{"after":10}}"#, Some(10)),
    ] {
        let fault: WireFault = serde_json::from_str(json).unwrap();
        assert_eq!(fault, WireFault::Reset { after });
        assert_eq!(serde_json::to_string(&fault).unwrap(), json);
    }
    let unknown = serde_json::from_str::<WireFault>(r#"{"reset": {"before": 1}}"#);
    let error = unknown.unwrap_err().to_string();
    assert!(error.starts_with("unknown field `before`"), "{error}");
}

#[tokio::test]
async fn a_response_to_head_has_no_body() {
    let (bytes, pause) = (10, Duration::ZERO);
    for fault in [
        WireFault::Cut { after: 10 },
        WireFault::Reset { after: Some(10) },
        WireFault::Stall { after: 10 },
        WireFault::Dribble { bytes, pause },
        WireFault::BadChunk,
    ] {
        let server = server(Fault::Wire(fault)).await;
        let head = "HEAD /api/v1/badges HTTP/1.1\r\nHost: x";
        let mut stream = send_head(server.address(), head);
        let (head, mut body) = read_part(&mut stream, |_| 0);
        assert!(head.contains("\r\ndate: "), "{head}");
        // A stall ends with the connection.
        if matches!(fault, WireFault::Stall { .. }) {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        // A reset is an error.
        let _ = stream.read_to_end(&mut body);
        assert_eq!(body, b"", "{fault:?}");
    }
}

#[tokio::test]
async fn a_truncated_body_is_shorter_than_its_content_length() {
    let whole = badges().await;
    for after in [0, 1, 10, whole.len(), 100_000] {
        let server = server(Fault::Wire(WireFault::Cut {
            after: after as u64,
        }))
        .await;
        let (head, body) = read_to_end(send(server.address()));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert_eq!(body, whole[..after.min(whole.len())]);
        assert!(content_length(&head) > body.len(), "{head}");
    }
}

#[tokio::test]
async fn a_stall_sends_a_part_and_keeps_the_connection_open() {
    let whole = badges().await;
    for after in [0, 10] {
        let server = server(Fault::Wire(WireFault::Stall {
            after: after as u64,
        }))
        .await;
        let mut stream = send(server.address());
        let (head, body) = read_part(&mut stream, |_| after);
        assert_eq!(content_length(&head), whole.len());
        assert_eq!(body, whole[..after]);
        let pause = Duration::from_millis(50);
        stream.set_read_timeout(Some(pause)).unwrap();
        let kind = stream.read(&mut [0; 1]).unwrap_err().kind();
        assert!(
            [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&kind),
            "{kind}"
        );
        // The response lasts until the client closes the connection.
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0);
    }
}

#[tokio::test]
async fn a_dribble_sends_the_whole_response_slowly() {
    let whole = badges().await;
    let (pieces, pause) = (4, Duration::from_millis(20));
    let bytes = whole.len().div_ceil(pieces) as u64;
    let server = server(Fault::Wire(WireFault::Dribble { bytes, pause })).await;
    let begun = Instant::now();
    let (head, body) = read_to_end(send(server.address()));
    assert!(begun.elapsed() >= pause * pieces as u32);
    assert_eq!(content_length(&head), whole.len());
    assert_eq!(body, whole);
}

#[tokio::test]
async fn a_dribble_does_not_change_responses_without_a_body() {
    let (bytes, pause) = (1, Duration::from_millis(1));
    let server = server(Fault::Wire(WireFault::Dribble { bytes, pause })).await;
    let answer = request(&server, "DELETE /me/links/link_1").send();
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.header("content-length"), None);
}

#[tokio::test]
async fn a_bad_chunk_follows_a_valid_one() {
    let whole = badges().await;
    let server = server(Fault::Wire(WireFault::BadChunk)).await;
    let (head, body) = read_to_end(send(server.address()));
    let chunked = "\r\ntransfer-encoding: chunked\r\n";
    assert!(head.contains(chunked), "{head}");
    assert!(!head.contains("content-length"), "{head}");
    let expected = [b"8\r\n", &whole[..8], b"\r\nno size\r\n"].concat();
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_huge_body_has_the_requested_length() {
    const BYTES: usize = 8 * 1024 * 1024;
    let server = server(Fault::HugeBody { bytes: BYTES }).await;
    let (head, body) = read_part(&mut send(server.address()), content_length);
    assert_eq!((content_length(&head), body.len()), (BYTES, BYTES));
    assert!(body.starts_with(br#"{"data":"xxx"#));
}

#[tokio::test]
async fn http_faults_keep_the_connection_open() {
    let server = server(Fault::status(503)).await;
    let mut stream = send(server.address());
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 503");
    server.clear_faults();
    let again = b"GET /api/v1/badges HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(again).unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("HTTP/1.1 200 OK\r\n"), "{rest}");
}

#[tokio::test]
async fn sends_a_whole_gzip_bomb() {
    const BYTES: usize = 256 * 1024 * 1024;
    let server = server(Fault::GzipBomb { bytes: BYTES }).await;
    let (head, body) = read_part(&mut send(server.address()), content_length);
    assert!(head.contains("\r\ncontent-encoding: gzip\r\n"), "{head}");
    assert!(body.len() < BYTES / 900);
    // The last four bytes contain the length (RFC 1952, section 2.3.1).
    assert_eq!(body[body.len() - 4..], (BYTES as u32).to_le_bytes());
}

#[tokio::test]
async fn a_delay_does_not_block_other_requests() {
    let server = MockServer::start().await;
    let delay = Fault::delay(Duration::from_millis(60_000));
    server.add_fault(FaultRule::new(delay).times(1)).unwrap();
    let slow = send(server.address());
    request(&server, "GET /badges").send();
    // If the second request waited for the first, `send` would not return.
    drop(slow);
}

#[tokio::test]
async fn a_connection_with_an_unread_upload_ends_with_fin() {
    for fault in [
        WireFault::Close,
        WireFault::Cut { after: 1 },
        WireFault::BadChunk,
    ] {
        let server = server(Fault::Wire(fault)).await;
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut writer = stream.try_clone().unwrap();
        let writing = std::thread::spawn(move || {
            let head = "POST /api/v1/me/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000";
            write!(writer, "{head}\r\n\r\n")?;
            writer.write_all(&vec![b' '; 9_000_000])
        });
        (&stream).read_to_end(&mut Vec::new()).unwrap();
        writing.join().unwrap().unwrap();
    }
}
