//! The control API, through which tests in any language control the mock over HTTP. Its files only
//! translate between JSON and calls of other modules.

mod requests;
mod routes;
mod worlds;

use std::future;
use std::pin::Pin;
use std::sync::Arc;

use http::uri::Authority;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::engine::{OwnHosts, Problem, Reply, Request, bearer_token};
use crate::input::{BAD_BODY, InvalidInput};
use crate::service::Service;
use crate::tasks::Shutdown;
use crate::webhook::{Error, NotSent};
use crate::worlds::Worlds;

pub use routes::openapi_json;
pub(crate) use routes::{answer, check_head, is_for};

/// The base path of the control API.
pub(crate) const BASE: &str = "/_mock/v1";

/// Maximum size of a request body: 16 MiB, since a body may contain a whole state.
pub(crate) const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The control API of one server.
pub(crate) struct Control {
    pub(crate) worlds: Arc<Worlds>,
    /// The base URL of the service, for requests without a `Host` header.
    pub(crate) url: String,
    pub(crate) shutdown: Shutdown,
    pub(crate) guard: Guard,
}

impl Control {
    /// Returns the base URL of the service as the client sees it, since a container's own address is
    /// not reachable from outside.
    fn url(&self, request: &Request) -> String {
        let host = request.header_values("host").next();
        match host.map(str::parse::<Authority>) {
            Some(Ok(host)) => format!("http://{host}"),
            _ => self.url.clone(),
        }
    }
}

/// A request for one world.
struct WorldCall<'a> {
    control: &'a Control,
    name: &'a str,
    /// The last segment of the path if the route ends with `{id}`, or else empty.
    parameter: &'a str,
    service: Arc<Service>,
    request: &'a Request,
}

/// The reply to a request to the control API, which may wait for the network or for a request to the service.
pub(crate) type ControlReply = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// Returns a reply that does not wait.
fn now(reply: Reply) -> ControlReply {
    Box::pin(future::ready(reply))
}

/// Returns a reply with the status 200 and a value as JSON.
fn ok(value: &impl Serialize) -> Result<Reply, ControlError> {
    Ok(Reply::json(200, value))
}

/// An error of the control API. It does not depend on the dialects of worlds.
#[derive(Debug)]
struct ControlError(Reply);

impl ControlError {
    fn new(status: u16, code: &'static str, message: impl AsRef<str>) -> Self {
        let reply = Reply::error(status, code, message.as_ref());
        Self(match status {
            401 => reply.with_header("www-authenticate", "Bearer"),
            _ => reply,
        })
    }

    fn method_not_allowed(method: &str, allowed: &[&str]) -> Self {
        let allowed = allowed.join(", ");
        let message = format!("method {method} is not allowed; expected {allowed}");
        let Self(reply) = Self::new(405, "method_not_allowed", message);
        Self(reply.with_header("allow", allowed))
    }

    fn unknown_world(name: &str) -> Self {
        let message = format!("unknown world `{name}`; POST /_mock/v1/worlds creates one");
        Self::new(404, "unknown_world", message)
    }
}

impl<E: Into<Error>> From<E> for ControlError {
    fn from(error: E) -> Self {
        let error = error.into();
        let status = match &error {
            Error::Invalid(invalid) if invalid.code() == BAD_BODY => 400,
            Error::Invalid(_) => 422,
            Error::NotSent(NotSent::UnknownDelivery { .. }) => 404,
            Error::NotSent(NotSent::NoReceiver | NotSent::Off { .. }) => 409,
            Error::State(_) | Error::NotRecorded(_) => 500,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

/// Protects the control API from web pages. Not `Debug`, because the digest must not be printed.
///
/// A browser lets any page send requests to this machine, and a page can make its own host name
/// resolve to 127.0.0.1 (DNS rebinding). Therefore a request must name a host that no page can have,
/// and must not come from a page of another origin. Its body must have a content type that pages of
/// other origins cannot send.
#[derive(Default)]
pub(crate) struct Guard {
    /// The SHA-256 digest of the token that requests must have.
    token: Option<[u8; 32]>,
}

impl Guard {
    /// Accepts only requests with this token.
    pub(crate) fn require_token(&mut self, token: &str) -> Result<(), InvalidInput> {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "the control token is empty or contains characters other than printable \
                           ASCII; expected one line such as the output of `openssl rand -hex 16`";
            return Err(InvalidInput::new("invalid_token", message));
        }
        self.token = Some(Sha256::digest(token).into());
        Ok(())
    }

    /// Rejects requests that may come from a web page of another origin.
    fn check_origin(request: &Request, own: &OwnHosts) -> Result<(), ControlError> {
        let hosts: Vec<_> = request.header_values("host").collect();
        match hosts[..] {
            // Only HTTP/1.0 allows this, which browsers do not speak.
            [] => {}
            [host] if own.contains(host) => {}
            _ => return Err(forbidden_host(&hosts.join(", "))),
        }
        if let Some(origin) = request.foreign_origin() {
            let message = format!(
                "the origin `{origin}` is not this server; the control API does not accept \
                 requests from other web pages"
            );
            return Err(ControlError::new(403, "forbidden_origin", message));
        }
        if request.is_cross_site() {
            let message = "the request comes from a web page of another site (Sec-Fetch-Site); open \
                           the URL directly";
            return Err(ControlError::new(403, "forbidden_origin", message));
        }
        Ok(())
    }

    /// Rejects a body that pages of other origins can send.
    fn check_content(request: &Request) -> Result<(), ControlError> {
        if request.body_length() == 0 {
            return Ok(());
        }
        let unsupported =
            |problem: Problem| ControlError::new(415, problem.kind().as_str(), problem.to_string());
        request.check_content_type().map_err(unsupported)?;
        request.check_encoding().map_err(unsupported)
    }

    /// Rejects requests without the token, if one is required.
    fn check_token(&self, request: &Request) -> Result<(), ControlError> {
        let Some(expected) = &self.token else {
            return Ok(());
        };
        let given = request.header_values("authorization");
        let mut given = given.filter_map(bearer_token);
        // Comparing digests takes the same time for every wrong token.
        if given.any(|token| Sha256::digest(token)[..] == expected[..]) {
            return Ok(());
        }
        let message =
            "the control token is missing or wrong; send it as `Authorization: Bearer TOKEN`";
        Err(ControlError::new(401, "token_invalid", message))
    }
}

fn forbidden_host(found: &str) -> ControlError {
    let message = format!(
        "the control API does not serve the host `{found}`; use an IP address or localhost, or start \
         the server with --allow-host"
    );
    ControlError::new(403, "forbidden_host", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(own: &OwnHosts, headers: &[(&str, &str)]) -> Result<(), ControlError> {
        let request = Request::new("GET", "/_mock/v1/health");
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        Guard::check_origin(&request, own)
    }

    #[test]
    fn accepts_only_hosts_that_no_web_page_can_have() {
        let mut own = OwnHosts::default();
        own.add("Mock.").unwrap();
        for invalid in ["", ".", "mock:80", "user@mock"] {
            own.add(invalid).unwrap_err();
        }
        for host in [
            "127.0.0.1:8080",
            "[::1]:8080",
            "192.168.0.7",
            "localhost",
            "LOCALHOST:80",
            "localhost.:8080",
            "a.b.localhost:1",
            "mock:8080",
            "MOCK",
        ] {
            assert!(check(&own, &[("Host", host)]).is_ok(), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example:8080",
            "notlocalhost",
            "localhost.evil.example",
            "mock.evil.example",
            "localhost@evil.example",
            "evil.example@localhost",
            "[::1].evil.example",
            "[::1]evil.example:80",
            "",
            "a b",
            "2130706433",
            "127.1",
        ] {
            assert!(check(&own, &[("Host", host)]).is_err(), "{host}");
        }
        assert!(check(&own, &[]).is_ok());
        let twice = [("Host", "localhost"), ("Host", "localhost")];
        assert!(check(&own, &twice).is_err());
    }

    #[test]
    fn accepts_only_its_own_origin() {
        let own = OwnHosts::default();
        for (host, origin, expected) in [
            ("localhost:8080", "http://localhost:8080", true),
            ("LocalHost:8080", "http://localhost:8080", true),
            ("localhost", "http://localhost:80", true),
            ("[::1]:8080", "http://[::1]:8080", true),
            ("localhost:8080", "https://localhost:8080", false),
            ("localhost:8080", "http://localhost:3000", false),
            ("localhost:8080", "http://localhost", false),
            ("localhost:8080", "http://127.0.0.1:8080", false),
            ("localhost:8080", "https://evil.example", false),
            ("localhost:8080", "null", false),
            ("localhost:8080", "", false),
        ] {
            let found = check(&own, &[("Host", host), ("Origin", origin)]);
            assert_eq!(found.is_ok(), expected, "{host} {origin}");
        }
        assert!(check(&own, &[("Origin", "http://localhost")]).is_err());
    }

    #[test]
    fn rejects_names_and_tokens_that_no_request_can_have() {
        let mut guard = Guard::default();
        for name in ["", "a:80", "a/b", "a b", "a@b", "http://a"] {
            assert!(OwnHosts::default().add(name).is_err(), "{name}");
        }
        for token in ["", "a b", "é", "a\n"] {
            assert!(guard.require_token(token).is_err(), "{token}");
        }
    }
}
