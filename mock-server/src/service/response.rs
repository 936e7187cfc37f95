//! Changes of responses: cross-origin resource sharing (CORS), which lets web pages of another origin use
//! the service, and compression, for the dialect setting `compression`.

use std::io::Write;
use std::sync::Arc;

use flate2::write::GzEncoder;
use http::Uri;

use crate::engine::{Reply, Request};
use crate::faults::{PlannedReply, large_body};
use crate::input::InvalidInput;
use crate::redaction::SafeUrl;

/// The origin whose pages may use the service, or `*` for all.
#[derive(Debug, Clone)]
pub(crate) struct Cors(Arc<str>);

impl Cors {
    /// Returns an error unless `origin` is `*` or an origin as browsers send it.
    pub(crate) fn new(origin: &str) -> Result<Self, InvalidInput> {
        let uri = origin.parse::<Uri>().unwrap_or_default();
        let parts = uri.scheme_str().zip(uri.authority());
        let own = parts.map(|(scheme, authority)| format!("{scheme}://{authority}"));
        let is_origin = own.is_some_and(|own| own.to_ascii_lowercase() == origin);
        if origin != "*" && !is_origin {
            let message = format!(
                "`{}` is not an origin; expected * or a scheme, a host in lower case and a port, such \
                 as http://localhost:3000",
                SafeUrl(origin)
            );
            return Err(InvalidInput::new("invalid_origin", message));
        }
        Ok(Self(origin.into()))
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

    /// Lets the page read a response.
    pub(crate) fn allow(&self, planned: &mut PlannedReply) {
        let exposed = match &*self.0 {
            "*" => "*".to_owned(),
            // With credentials, `*` would be the name of a header (Fetch Standard, section 3.3.4).
            _ => {
                let names = planned.headers.iter().map(|(name, _)| &**name);
                names.chain(["date"]).collect::<Vec<_>>().join(", ")
            }
        };
        planned.set_default_header("access-control-allow-origin", self.0.to_string());
        planned.set_default_header("access-control-expose-headers", exposed);
        if &*self.0 != "*" {
            planned.set_default_header("access-control-allow-credentials", "true".to_owned());
            planned.headers.push(("vary".into(), "origin".into()));
        }
    }
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
            Some(length) => large_body::gzip(length),
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
        for origin in [
            "*",
            "http://localhost:3000",
            "https://a.example",
            "http://[::1]:80",
        ] {
            assert!(Cors::new(origin).is_ok(), "{origin}");
        }
        for text in [
            "",
            "null",
            "localhost:3000",
            "http://localhost:3000/",
            "http://LOCALHOST",
            "http://",
            "http://a,http://b",
            "http://a\r\nx: y",
        ] {
            assert!(Cors::new(text).is_err(), "{text}");
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
