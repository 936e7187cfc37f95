//! The control API accepts no requests of other web pages, and can be disabled or protected.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;
use tempfile::TempDir;

use crate::request::{Answer, request_exactly};
use crate::serving::{Serving, fail, file, serve};

/// Sends a request to the control API with these headers and a body that creates a world.
#[track_caller]
fn create_world(serving: &Serving, headers: &str) -> Answer {
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    let head = "POST /_mock/v1/worlds HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n";
    write!(stream, "{head}{headers}\r\n{{}}").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    Answer::parse(&answer)
}

#[track_caller]
fn assert_error(answer: &Answer, status: u16, code: &str) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let found = (answer.status, body["error"]["code"].as_str());
    assert_eq!(found, (status, Some(code)));
}

/// The host in the target of a request replaces the header.
#[test]
fn the_host_of_an_absolute_target_counts() {
    let serving = serve(&[]);
    for (host, status) in [("evil.example", 403), ("localhost", 200)] {
        let line = format!("GET http://{host}/_mock/v1/health");
        let answer = request_exactly(serving.address(), &line).send();
        assert_eq!(answer.status, status, "{}", answer.body);
    }
}

#[test]
fn rejects_requests_of_other_web_pages() {
    let serving = serve(&[]);
    let own = format!("Host: {0}\r\nOrigin: http://{0}\r\n", serving.address());
    let json = "Content-Type: application/json\r\n";
    let localhost = "Host: localhost\r\n";
    let accepted = create_world(&serving, &format!("{own}{json}"));
    assert_eq!(accepted.status, 201, "{}", accepted.body);
    let rejected = create_world(&serving, &format!("Host: evil.example\r\n{json}"));
    assert_error(&rejected, 403, "forbidden_host");
    for header in [
        "Origin: https://evil.example",
        "Origin: null",
        "Sec-Fetch-Site: cross-site",
    ] {
        let rejected = create_world(&serving, &format!("{localhost}{header}\r\n{json}"));
        assert_error(&rejected, 403, "forbidden_origin");
    }
    let gzip = &format!("{json}Content-Encoding: gzip\r\n");
    for (headers, code) in [
        ("", "wrong_content_type"),
        ("Content-Type: text/plain\r\n", "wrong_content_type"),
        (gzip, "unsupported_encoding"),
        (
            "Content-Type: application/json; charset=utf-16\r\n",
            "unsupported_encoding",
        ),
    ] {
        let rejected = create_world(&serving, &format!("{localhost}{headers}"));
        assert_error(&rejected, 415, code);
    }
    let worlds = serving.order(200, "GET /worlds", Value::Null);
    assert_eq!(worlds.as_array().unwrap().len(), 2, "{worlds}");
}

#[test]
fn pages_neither_read_nor_store_answers_of_the_control_api() {
    let serving = serve(&["--cors", "*"]);
    let health = serving.order(200, "GET /health", Value::Null);
    let routes = health["routes"].as_array().unwrap().iter();
    let lines = routes.map(|route| route.as_str().unwrap().replace("{world}", "w1"));
    // The route that deletes the world is last.
    let (delete, mut lines): (Vec<_>, Vec<_>) = lines.partition(|line| line.ends_with("/w1"));
    lines.extend(delete);
    serving.order(201, "POST /worlds", Value::Null);
    lines.extend(["GET /", "GET /openapi.json", "GET /_mock/x"].map(str::to_owned));
    for line in &lines {
        let (_, path) = line.split_once(' ').unwrap();
        let own = format!("http://{}", serving.address());
        for (line, origin) in [
            (&**line, &*own),
            (line, "https://other.example"),
            (&format!("OPTIONS {path}"), "https://other.example"),
        ] {
            let answer = request_exactly(serving.address(), line)
                .header("Origin", origin)
                .header("Access-Control-Request-Method", "POST")
                .header("Content-Type", "application/json")
                .send();
            for name in [
                "allow-origin",
                "allow-methods",
                "allow-credentials",
                "expose-headers",
            ] {
                let found = answer.header(&format!("access-control-{name}"));
                assert_eq!(found, None, "{line}");
            }
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{line}");
            let sniffing = answer.header("x-content-type-options");
            assert_eq!(sniffing, Some("nosniff"), "{line}");
        }
    }
    // The pages of an unknown world can read that it is unknown.
    let unknown = request_exactly(serving.address(), "GET /worlds/w9/api/v1/me").send();
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.header("access-control-allow-origin"), Some("*"));
    let preflight = request_exactly(serving.address(), "OPTIONS /worlds/w9/api/v1/me")
        .header("Access-Control-Request-Method", "PATCH")
        .send();
    assert_eq!(preflight.status, 204);
    let allowed = preflight.header("access-control-allow-methods");
    assert_eq!(allowed, Some("PATCH"));
}

#[test]
fn the_guard_covers_reads_and_documents_but_not_the_service() {
    let serving = serve(&[]);
    let request = |path: &str, header: &str| {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{header}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::parse(&answer).status
    };
    for header in [
        "Host: evil.example",
        "Host: localhost\r\nOrigin: http://evil.example",
    ] {
        for path in [
            "/_mock/v1/worlds/default/keys",
            "/_mock/v1/worlds/default/state",
            "/_mock/v1/health",
            "/_mock/v1",
            "/_mock/unknown",
            "/openapi.json",
        ] {
            assert_eq!(request(path, header), 403, "{path} {header}");
        }
        // Clients may reach the service through any host, for example through a tunnel.
        assert_eq!(request("/api/v1/badges", header), 200);
        assert_eq!(request("/worlds/default/api/v1/badges", header), 200);
    }
}

#[test]
fn serves_allowed_hosts() {
    let serving = serve(&["--allow-host", "mock", "--allow-host", "mock.test"]);
    let json = "Content-Type: application/json\r\n";
    for (host, status) in [("mock:8080", 201), ("Mock.Test", 201), ("other", 403)] {
        let answer = create_world(&serving, &format!("Host: {host}\r\n{json}"));
        assert_eq!(answer.status, status, "{host}");
    }
    let message = "mock-server: invalid --allow-host: `mock:8080` is not a host name; expected one \
                   without a port, such as mock\n";
    let failed = fail(&["--allow-host", "mock:8080"]);
    assert_eq!(failed, (Some(2), message.to_owned()));
    assert_eq!(fail(&["--cors", "nope"]).0, Some(2));
}

#[test]
fn requires_the_control_token() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "token", "secret-token\n");
    let serving = serve(&["--control-token-file", &path]);
    for token in [None, Some("wrong"), Some(serving.key("all"))] {
        let request = serving.control("GET /health");
        let request = match token {
            None => request,
            Some(token) => request.key(token),
        };
        let message =
            "the control token is missing or wrong; send it as `Authorization: Bearer TOKEN`";
        let rejected = request.assert_rejected(401, "token_invalid", message);
        assert_eq!(rejected.header("www-authenticate"), Some("Bearer"));
    }
    let accepted = serving.control("GET /health").key("secret-token").send();
    assert_eq!(accepted.status, 200);
    // Before the body has arrived.
    for (host, status) in [("localhost", 401), ("evil.example", 403)] {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        let head =
            format!("POST /_mock/v1/worlds HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut line = [0; "HTTP/1.1 401".len()];
        stream.read_exact(&mut line).unwrap();
        assert_eq!(line, *format!("HTTP/1.1 {status}").as_bytes());
    }
    serving.request("GET /me").data(200);

    file(&directory, "token", "two words");
    let (code, stderr) = fail(&["--control-token-file", &path]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("invalid control token file"), "{stderr}");
    assert!(!stderr.contains("two words"), "{stderr}");
}

#[test]
fn no_control_disables_the_control_api() {
    // The container image passes `--allow-host` itself.
    let serving = serve(&["--allow-host", "mock-server", "--no-control"]);
    assert_eq!(serving.ready["control"], Value::Null);
    for path in ["/_mock/v1/health", "/", "/_mock/", "/_mock"] {
        let unknown = request_exactly(serving.address(), &format!("GET {path}")).send();
        assert_error(&unknown, 404, "path_outside_api");
    }
    assert_eq!(serving.request("GET /me").data(200)["handle"], "demo");
    let stderr = serving.stderr();
    assert!(!stderr.contains("browser"), "{stderr}");
    let both = fail(&["--no-control", "--control-token-file", "a"]);
    assert_eq!(both.0, Some(2));
}
