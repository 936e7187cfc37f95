//! Protects the control API from web pages.
//!
//! A browser lets any page send requests to this machine, and a page can make its own host name
//! resolve to 127.0.0.1 (DNS rebinding). Therefore a request must name a host that no page can have,
//! and must not come from a page of another origin. Its body must have a content type that pages of
//! other origins cannot send.

use sha2::{Digest, Sha256};

use super::error::ControlError;
use crate::engine::{OwnHosts, Problem, Request, bearer_token};
use crate::input::{InvalidInput, Result};

/// The requests that the control API accepts. Not `Debug`, because the digest must not be printed.
#[derive(Default)]
pub(crate) struct Guard {
    /// The SHA-256 digest of the token that requests must have.
    token: Option<[u8; 32]>,
}

impl Guard {
    /// Accepts only requests with this token.
    pub(crate) fn require_token(&mut self, token: &str) -> Result<()> {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "the control token is empty or contains characters other than printable \
                           ASCII; expected one line such as the output of `openssl rand -hex 16`";
            return Err(InvalidInput::new("invalid_token", message));
        }
        self.token = Some(Sha256::digest(token).into());
        Ok(())
    }

    /// Rejects requests that may come from a web page of another origin.
    pub(super) fn check_origin(request: &Request, own: &OwnHosts) -> Result<(), ControlError> {
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
    pub(super) fn check_content(request: &Request) -> Result<(), ControlError> {
        if request.body_length() == 0 {
            return Ok(());
        }
        let unsupported =
            |problem: Problem| ControlError::new(415, problem.kind().as_str(), problem.to_string());
        request.check_content_type().map_err(unsupported)?;
        request.check_encoding().map_err(unsupported)
    }

    /// Rejects requests without the token, if one is required.
    pub(super) fn check_token(&self, request: &Request) -> Result<(), ControlError> {
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
