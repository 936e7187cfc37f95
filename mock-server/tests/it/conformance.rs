//! A conformance suite with a case for each sentence of the specification about requests and
//! responses. It runs against the engine and, over sockets, against the library and the program.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;

use mock_server::{Endpoint, Keys, MockServer, Request, World, handle};
use serde_json::Value;

use crate::conformance_cases::CASES;
use crate::request::Answer;

/// A sentence of the specification, paraphrased, and a check that a service conforms to it.
pub(crate) struct Case {
    pub(crate) section: &'static str,
    pub(crate) sentence: &'static str,
    pub(crate) check: fn(&Service),
}

/// A service that starts with the default world.
pub(crate) struct Service<'a> {
    pub(crate) keys: Keys,
    send: &'a dyn Fn(&Request) -> Answer,
}

impl Service<'_> {
    /// Sends a request with a key. `line` is a method and a path below `/api/v1`.
    #[track_caller]
    pub(crate) fn send_with(&self, key: &str, line: &str, body: Option<&Value>) -> Answer {
        let request = request(line).header("Authorization", format!("Bearer {key}"));
        self.send(match body {
            Some(body) => with_json(request, body),
            None => request,
        })
    }

    /// Sends a request with a key that has all scopes, and returns `data` of the response.
    #[track_caller]
    pub(crate) fn read(&self, line: &str) -> Value {
        let answer = self.send_with(&self.keys.all, line, None);
        assert_eq!(answer.status, 200, "{line}: {}", answer.body);
        data(&answer)
    }

    /// Sends a body with a key that has all scopes, and checks the status code.
    #[track_caller]
    pub(crate) fn write(&self, line: &str, body: &Value, status: u16) -> Answer {
        let answer = self.send_with(&self.keys.all, line, Some(body));
        assert_eq!(answer.status, status, "{line} {body}: {}", answer.body);
        answer
    }

    /// Sends a request with a key that has all scopes, and checks status code and error code.
    #[track_caller]
    pub(crate) fn refuse(&self, line: &str, body: Option<&Value>, status: u16, code: &str) {
        let answer = self.send_with(&self.keys.all, line, body);
        assert_rejected(&answer, status, code);
    }

    #[track_caller]
    pub(crate) fn send(&self, request: Request) -> Answer {
        (self.send)(&request)
    }
}

/// Creates a request without a key. `line` is a method and a path below `/api/v1`.
pub(crate) fn request(line: &str) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    Request::new(method, &format!("/api/v1{path}"))
}

fn with_json(request: Request, body: &Value) -> Request {
    request
        .header("Content-Type", "application/json")
        .body(body.to_string())
}

#[track_caller]
pub(crate) fn data(answer: &Answer) -> Value {
    let mut body: Value = serde_json::from_str(&answer.body).unwrap();
    body["data"].take()
}

#[track_caller]
pub(crate) fn assert_rejected(answer: &Answer, status: u16, code: &str) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        (answer.status, &body["error"]["code"]),
        (status, &code.into())
    );
}

/// Sends a request over a new connection.
fn send_to(address: SocketAddr, request: &Request) -> Answer {
    let mut head = format!("{} {}", request.method, request.path);
    if let Some(query) = &request.query {
        head += &format!("?{query}");
    }
    head += &format!(" HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    head += &format!("Content-Length: {}\r\n", request.body.len());
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    Answer::parse(&bytes)
}

/// Runs a case, and prints its sentence if it fails.
fn run(case: &Case, service: &Service) {
    let check = std::panic::AssertUnwindSafe(|| (case.check)(service));
    let (section, sentence) = (case.section, case.sentence);
    assert!(
        std::panic::catch_unwind(check).is_ok(),
        "not so (section {section}): {sentence}"
    );
}

#[test]
fn engine_conforms_to_the_specification() {
    for case in CASES {
        let world = Mutex::new(World::default());
        let keys = World::default().keys();
        let send = |request: &Request| Answer::from(handle(&mut world.lock().unwrap(), request));
        run(case, &Service { keys, send: &send });
    }
}

#[tokio::test]
async fn library_conforms_to_the_specification() {
    for case in CASES {
        let server = MockServer::start().await;
        let keys = server.keys().clone();
        let send = |request: &Request| send_to(server.address(), request);
        run(case, &Service { keys, send: &send });
    }
}

#[cfg(all(unix, feature = "program"))]
#[test]
fn program_conforms_to_the_specification() {
    for case in CASES {
        let serving = crate::serving::serve(&[]);
        let keys = World::default().keys();
        let send = |request: &Request| send_to(serving.address(), request);
        run(case, &Service { keys, send: &send });
        assert_eq!(serving.stop("TERM").0, Some(0));
    }
}

#[test]
fn sentences_are_unique() {
    let mut sentences: Vec<_> = CASES.iter().map(|case| case.sentence).collect();
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), CASES.len());
}

/// Checks that the cases call every endpoint.
#[tokio::test]
async fn all_endpoints_are_covered() {
    let mut uncovered = Endpoint::ALL.to_vec();
    for case in CASES {
        let server = MockServer::start().await;
        let keys = server.keys().clone();
        let send = |request: &Request| send_to(server.address(), request);
        run(case, &Service { keys, send: &send });
        let not_here = server.verdicts().coverage.uncovered().endpoints;
        uncovered.retain(|endpoint| not_here.contains(endpoint));
    }
    assert_eq!(uncovered, []);
}
