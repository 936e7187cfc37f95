//! A minimal HTTP client over a plain socket, with assertions on responses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use mock_server::{Clock, Endpoint, MockServer, RateLimit, Reply, Request, Scope};
use serde_json::{Value, json};

/// Creates a request with a key that has all scopes. `line` is a method and a path below `/api/v1`.
pub(crate) fn request(server: &MockServer, line: &str) -> TestRequest {
    request_at(server.address(), server.key(), line)
}

/// Creates a request to an address.
pub(crate) fn request_at(address: SocketAddr, key: &str, line: &str) -> TestRequest {
    let line = line.replacen(' ', " /api/v1", 1);
    request_exactly(address, &line).key(key)
}

/// Starts a server with a fixed clock.
pub(crate) async fn start_at_noon() -> MockServer {
    let clock = Clock::fixed("2026-03-01T12:00:00Z").unwrap();
    MockServer::builder().clock(clock).start().await.unwrap()
}

/// Sends a request with a body, checks the status, and returns `data` of the response.
#[track_caller]
pub(crate) fn write(server: &MockServer, line: &str, body: Value, status: u16) -> Value {
    request(server, line).json(body).data(status)
}

/// Limits the requests with the key of the owner.
pub(crate) fn limit_requests(server: &MockServer, limit: u32) {
    let limit = RateLimit {
        limit,
        ..RateLimit::default()
    };
    let set = server.update(|world| world.set_rate_limit(server.key(), limit));
    set.unwrap().unwrap();
}
/// Creates a request without a key. `line` is a method and an absolute path.
pub(crate) fn request_exactly(address: SocketAddr, line: &str) -> TestRequest {
    TestRequest {
        address,
        line: line.to_owned(),
        key: None,
        headers: String::new(),
        body: Vec::new(),
    }
}

pub(crate) struct TestRequest {
    address: SocketAddr,
    line: String,
    key: Option<String>,
    headers: String,
    body: Vec<u8>,
}

impl TestRequest {
    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(crate) fn without_key(mut self) -> Self {
        self.key = None;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    /// Sets a body without a content type.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn json(self, body: Value) -> Self {
        self.text(&body.to_string())
    }

    /// Sets a body with the content type of JSON.
    pub(crate) fn text(self, body: &str) -> Self {
        self.header("Content-Type", "application/json").body(body)
    }

    #[track_caller]
    pub(crate) fn send(self) -> Answer {
        self.begin().finish()
    }

    /// Sends the request without waiting for the response.
    #[track_caller]
    pub(crate) fn begin(self) -> SentRequest {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let authorization = match &self.key {
            Some(key) => format!("Authorization: Bearer {key}\r\n"),
            None => String::new(),
        };
        let host = match self.headers.contains("Host: ") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        let head = format!(
            "{} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n{authorization}{}\r\n",
            self.line,
            self.body.len(),
            self.headers,
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&self.body).unwrap();
        SentRequest(stream)
    }

    /// Sends the request, checks the status code, and returns `data` of the response.
    #[track_caller]
    pub(crate) fn data(self, status: u16) -> Value {
        let answer = self.send();
        assert_eq!(answer.status, status, "{}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let mut body: Value = serde_json::from_str(&answer.body).unwrap();
        let object = body.as_object_mut().unwrap();
        assert_eq!(object.len(), 1, "`data` stands alone: {object:?}");
        object.remove("data").unwrap()
    }

    /// Sends the request and checks the error in the response, which must not name a field.
    #[track_caller]
    pub(crate) fn assert_rejected(self, status: u16, code: &str, message: &str) -> Answer {
        self.assert_rejected_with(status, json!({"code": code, "message": message}))
    }

    /// Sends the request and checks the error in the response, which must name the field.
    #[track_caller]
    pub(crate) fn assert_rejected_for(
        self,
        status: u16,
        field: &str,
        code: &str,
        message: &str,
    ) -> Answer {
        let error = json!({"code": code, "message": message, "field": field});
        self.assert_rejected_with(status, error)
    }

    #[track_caller]
    fn assert_rejected_with(self, status: u16, error: Value) -> Answer {
        let answer = self.send();
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body, json!({"error": error}));
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        answer
    }
}

/// A request that has been sent.
pub(crate) struct SentRequest(TcpStream);

impl SentRequest {
    #[track_caller]
    pub(crate) fn finish(mut self) -> Answer {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).unwrap();
        Answer::parse(&bytes)
    }

    /// Reads until the connection is closed or fails.
    pub(crate) fn read_until_closed(mut self) -> String {
        let mut bytes = Vec::new();
        // After an error, the bytes read so far are in the buffer.
        let _ = self.0.read_to_end(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        Self {
            status: status.parse().unwrap(),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self {
            status: reply.status,
            headers: reply
                .headers
                .into_iter()
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            body: String::from_utf8(reply.body).unwrap(),
        }
    }
}

/// Sends the requests of a table, one a line as `METHOD TARGET BODY`, and returns the table with the
/// error of each response: status, code, field in parentheses, and message.
#[track_caller]
pub(crate) fn with_errors(table: &str, send: impl Fn(&str, &str) -> Answer) -> String {
    let mut lines = Vec::new();
    let is_response = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    for line in table.lines().filter(|line| !is_response(line)) {
        lines.push(line.to_owned());
        if line.starts_with(|first: char| first.is_ascii_uppercase()) {
            let (request, body) = line_and_body(line);
            let answer = send(request, body);
            let content_type = answer.header("content-type");
            assert_eq!(content_type, Some("application/json"), "{line}");
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            let text = |name| body["error"][name].as_str();
            let (code, message) = (text("code").unwrap(), text("message").unwrap());
            let mut error = json!({"code": code, "message": message});
            let mut field = String::new();
            if let Some(name) = text("field") {
                error["field"] = json!(name);
                field = format!(" ({name})");
            }
            assert_eq!(body, json!({ "error": error }));
            let message = message.replace('\n', "\\n");
            let message = message.replace(&expected_paths(), "{paths}");
            let message = message.replace(&scopes("`, `"), "{scopes}");
            lines.push(format!("{} {code}{field}: {message}", answer.status));
        }
    }
    lines.join("\n") + "\n"
}

/// Splits a request of a table into its method with the path, and its body.
pub(crate) fn line_and_body(line: &str) -> (&str, &str) {
    let end = line.match_indices(' ').nth(1).map(|(place, _)| place);
    let (request, body) = line.split_at(end.unwrap_or(line.len()));
    (request, body.trim_start())
}

/// Returns the names of all scopes, with a separator between them.
pub(crate) fn scopes(separator: &str) -> String {
    let names: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    names.join(separator)
}

/// Returns the end of the message about an unknown path.
pub(crate) fn expected_paths() -> String {
    let paths = Endpoint::ALL.iter().map(|endpoint| endpoint.path());
    let mut paths: Vec<_> = paths.map(|path| &path["/api/v1".len()..]).collect();
    paths.dedup();
    let paths = paths.join(", ");
    format!("expected one of {paths}, or a prefix that ends with *")
}

/// Creates a request for the engine. `line` is a method and a path below `/api/v1`.
pub(crate) fn engine_request(line: &str, key: Option<&str>, body: Option<&str>) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::new(method, &format!("/api/v1{path}"));
    if let Some(key) = key {
        request = request.header("Authorization", format!("Bearer {key}"));
    }
    match body {
        Some(body) => request
            .header("Content-Type", "application/json")
            .body(body),
        None => request,
    }
}
