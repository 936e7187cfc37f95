//! Compressed responses, for the dialect setting `compression`.

use std::io::Write;

use flate2::write::GzEncoder;

use crate::engine::Request;
use crate::faults::PlannedReply;

/// Compresses the body of a response if the client accepts gzip. A body that a fault has replaced with
/// an encoded one does not change.
pub(crate) fn compress(request: &Request, planned: &mut PlannedReply) {
    let is_encoded = planned
        .headers
        .iter()
        .any(|(name, _)| name == "content-encoding");
    if planned.body.is_empty() || is_encoded {
        return;
    }
    planned
        .headers
        .push(("vary".into(), "accept-encoding".into()));
    if accepts_gzip(request) {
        planned
            .headers
            .push(("content-encoding".into(), "gzip".into()));
        planned.body = gzip(&planned.body).into();
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.expect("writing to a vector does not fail")
}

/// Returns `true` if `Accept-Encoding` lists gzip with a weight above 0 (RFC 9110, section 12.5.3).
fn accepts_gzip(request: &Request) -> bool {
    let mut codings = request
        .header_values("accept-encoding")
        .flat_map(|value| value.split(','));
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
