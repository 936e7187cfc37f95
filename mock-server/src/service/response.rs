//! Changes of responses: cross-origin resource sharing (CORS), which lets web pages of another origin use
//! the service, and compression, for the dialect setting `compression`.

use std::io::Write;

use flate2::write::GzEncoder;
use url::{Origin, Url};

use crate::engine::{Reply, Request};
use crate::faults::{PlannedReply, large_gzip};
use crate::input::{InvalidInput, Result};
use crate::redaction::SafeUrl;

/// The origins whose pages may use the service, or `*` for all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cors(Vec<String>);

impl Cors {
    /// Adds an origin. Returns an error unless it is `*` or an origin as browsers send it.
    pub(crate) fn add(&mut self, origin: &str) -> Result<()> {
        if origin != "*" {
            let right = as_sent(origin);
            if right.as_deref() != Some(origin) {
                let message = format!(
                    "`{}` is not an origin; expected * or a scheme, a host in lower case and a port, such \
                     as {}",
                    SafeUrl(origin),
                    right.as_deref().unwrap_or("http://localhost:3000")
                );
                return Err(InvalidInput::new("invalid_origin", message));
            }
        }
        self.0.push(origin.to_owned());
        Ok(())
    }

    /// Accepts a preflight. The method and the headers that it asks for are always allowed, so that
    /// the request itself is sent and the page sees how the service rejects it. Returns `None` for any
    /// other request.
    pub(crate) fn accept_preflight(&self, request: &Request) -> Option<Reply> {
        if !request.is_preflight() {
            return None;
        }
        let allowed = [
            (
                "access-control-request-method",
                "access-control-allow-methods",
            ),
            (
                "access-control-request-headers",
                "access-control-allow-headers",
            ),
        ];
        let headers = allowed.into_iter().filter_map(|(asked, allowed)| {
            let value = request.header_values(asked).next()?.to_owned();
            Some((allowed.into(), value.into()))
        });
        Some(Reply {
            headers: headers.collect(),
            ..Reply::empty(204)
        })
    }

    /// Lets the page read the response to its request.
    pub(crate) fn allow(&self, request: &Request, planned: &mut PlannedReply) {
        let is_sender =
            |origin: &&String| request.header_values("origin").any(|sent| sent == *origin);
        let all = || self.0.iter().find(|origin| *origin == "*");
        let origin = self.0.iter().find(is_sender).or_else(all);
        let origin = origin.unwrap_or(&self.0[0]);
        let exposed = match &**origin {
            "*" => "*".to_owned(),
            // With credentials, `*` would be the name of a header (Fetch Standard, section 3.3.4).
            _ => {
                let names = planned.headers.iter().map(|(name, _)| &**name);
                names.chain(["date"]).collect::<Vec<_>>().join(", ")
            }
        };
        planned.set_default_header("access-control-allow-origin", origin.clone());
        planned.set_default_header("access-control-expose-headers", exposed);
        if origin != "*" {
            planned.set_default_header("access-control-allow-credentials", "true".to_owned());
        }
        if self.0 != ["*"] {
            planned.headers.push(("vary".into(), "origin".into()));
        }
    }
}

/// Returns an origin as browsers send it: without a default port, and with one host.
fn as_sent(origin: &str) -> Option<String> {
    let first = origin.split(',').next().unwrap_or_default();
    let url = Url::parse(&first.replace('*', "www")).ok()?;
    let sent = match url.origin() {
        sent @ Origin::Tuple(..) => sent.ascii_serialization(),
        // Such as that of an extension of a browser.
        Origin::Opaque(_) => format!("{}://{}", url.scheme(), url.host_str()?),
    };
    Some(sent)
}

/// Compresses the body of a response if the client accepts gzip. A body that a fault has replaced with
/// an encoded one does not change.
pub(crate) fn compress(request: &Request, planned: &mut PlannedReply) {
    let headers = &mut planned.headers;
    let is_encoded = headers.iter().any(|(name, _)| name == "content-encoding");
    if (planned.body.is_empty() && planned.large.is_none()) || is_encoded {
        return;
    }
    headers.push(("vary".into(), "accept-encoding".into()));
    if accepts_gzip(request) {
        headers.push(("content-encoding".into(), "gzip".into()));
        let compressed = match planned.large.take() {
            Some(length) => large_gzip(length),
            None => gzip(&planned.body),
        };
        planned.body = compressed.into();
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.expect("writing to a vector does not fail")
}

/// Returns `true` if `Accept-Encoding` lists gzip with a weight above 0 (RFC 9110, section 12.5.3).
fn accepts_gzip(request: &Request) -> bool {
    let accepted = request.header_values("accept-encoding");
    let mut codings = accepted.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(Ok(0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_origins_that_browsers_send() {
        let add = |origin| Cors::default().add(origin);
        for origin in [
            "*",
            "http://localhost:3000",
            "https://a.example",
            "http://[::1]:81",
            "https://a.example:80",
            "chrome-extension://abcdef",
        ] {
            assert_eq!(add(origin), Ok(()), "{origin}");
        }
        for (text, right) in [
            ("http://localhost:3000/", "http://localhost:3000"),
            ("http://LOCALHOST", "http://localhost"),
            ("http://localhost:80", "http://localhost"),
            ("http://[::1]:80", "http://[::1]"),
            ("http://[0::1]:8080", "http://[::1]:8080"),
            ("https://a.example:443", "https://a.example"),
            ("https://*.example.com", "https://www.example.com"),
            ("http://*", "http://www"),
            ("http://localhost:*", "http://localhost:3000"),
            ("http://user:pass@a.example", "http://a.example"),
            ("http://a.example:0080", "http://a.example"),
            ("", "http://localhost:3000"),
            ("null", "http://localhost:3000"),
            ("localhost:3000", "http://localhost:3000"),
            ("http://", "http://localhost:3000"),
            ("http://a,http://b", "http://a"),
            ("http://a\r\nx: y", "http://localhost:3000"),
        ] {
            let message = add(text).unwrap_err().to_string();
            assert!(
                message.ends_with(&format!(" such as {right}")),
                "{text}: {message}"
            );
            assert!(!message.contains("pass"), "{message}");
        }
    }

    #[test]
    fn gzip_must_be_listed_with_a_weight_above_zero() {
        for (value, expected) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5, br", true),
            ("br;q=1.0, gzip; q=1", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("x-gzipped", false),
            ("identity", false),
            ("", false),
        ] {
            let request = Request::new("GET", "/api/v1/me").header("Accept-Encoding", value);
            assert_eq!(accepts_gzip(&request), expected, "{value}");
        }
        assert!(!accepts_gzip(&Request::new("GET", "/api/v1/me")));
    }
}
