//! The faults of one response, and the response that results, which may have a large body.

use std::io::IoSlice;
use std::time::Duration;

use bytes::buf::Chain;
use bytes::{Buf, Bytes};
use flate2::{Compress, Compression, Crc, FlushCompress};

use super::fault::{Fault, MIN_BODY_BYTES, Phase, WireFault, is_bodiless};
use crate::engine::{HeaderLines, Reply};
use crate::journal::RequestOutcome;

/// The faults to apply to one response.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FaultPlan {
    /// Delay before the request is carried out.
    pub(crate) delay_before: Duration,
    /// Delay before the response is sent.
    pub(crate) delay_after: Duration,
    pub(crate) fault: Option<(Phase, Fault)>,
}

impl FaultPlan {
    /// Returns the time after which the request is carried out, although the fault occurs at once.
    pub(crate) fn late(&self) -> Option<Duration> {
        match self.fault {
            Some((Phase::Late { time }, _)) => Some(time),
            _ => None,
        }
    }

    /// Returns the fault's name for the journal; `delay` only if there is no other fault.
    pub(crate) fn fault_name(&self) -> Option<&'static str> {
        match &self.fault {
            Some((_, fault)) => Some(fault.name()),
            None if self.delay_before.is_zero() && self.delay_after.is_zero() => None,
            None => Some("delay"),
        }
    }

    /// Applies the fault to a reply.
    pub(crate) fn apply(&self, mut reply: Reply) -> PlannedReply {
        let (mut large, mut wire) = (None, None);
        match self.fault.as_ref().map(|(_, fault)| fault) {
            None | Some(Fault::Delay { .. }) => {}
            Some(Fault::Status {
                status,
                body,
                headers,
            }) => {
                reply = match body {
                    Some(body) => json_reply(*status, body.as_str()),
                    None => fault_reply(*status),
                };
                for (name, value) in headers {
                    set_header(&mut reply, &name.to_ascii_lowercase(), value);
                }
            }
            Some(Fault::RateLimited { retry_after }) => {
                reply = fault_reply(429);
                if let Some(text) = retry_after {
                    set_header(&mut reply, "retry-after", text);
                }
            }
            Some(Fault::Redirect { status, location }) => {
                reply = fault_reply(*status);
                set_header(&mut reply, "location", location);
            }
            Some(Fault::MalformedJson) => {
                // Without its last byte.
                if reply.body.pop().is_none() {
                    reply = json_reply(200, "{");
                }
            }
            Some(Fault::WrongContentType { content_type }) => {
                set_header(&mut reply, "content-type", content_type);
            }
            Some(Fault::EmptyBody) => reply.body.clear(),
            Some(Fault::HugeBody { bytes }) => {
                reply = json_reply(200, "");
                large = Some(*bytes);
            }
            Some(Fault::GzipBomb { bytes }) => {
                let body = large_gzip(*bytes);
                reply = json_reply(200, body).with_header("content-encoding", "gzip");
            }
            Some(Fault::Wire(fault)) => {
                // These responses have no body that could be incomplete.
                if fault.breaks_body() && is_bodiless(reply.status) {
                    reply.status = 200;
                }
                wire = Some(*fault);
            }
        }
        PlannedReply {
            large,
            wire,
            ..PlannedReply::new(reply)
        }
    }
}

/// A reply with its faults applied, for a transport to send.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PlannedReply {
    /// The status code, even if `wire` prevents it from being sent.
    pub(crate) code: u16,
    pub(crate) headers: HeaderLines,
    /// Shared with the journal. Empty if the body is `large`.
    pub(crate) body: Bytes,
    /// The length of a large body.
    pub(crate) large: Option<usize>,
    /// The wire fault to apply while the reply is sent.
    pub(crate) wire: Option<WireFault>,
    /// `true` for a response to HEAD, which a wire fault sends without its body.
    pub(crate) is_head: bool,
}

impl PlannedReply {
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            code: reply.status,
            headers: reply.headers,
            body: reply.body.into(),
            ..Self::default()
        }
    }

    /// Returns the body, which a dialect may have compressed.
    pub(crate) fn body(&self) -> ReplyBody {
        match self.large {
            Some(bytes) => large_json(bytes),
            None => self.body.clone().chain(Filling(0)).chain(b""),
        }
    }

    /// Returns the status that the client receives, or `None` if the response is not sent.
    pub(crate) fn status(&self) -> Option<u16> {
        let has_head = self.wire.is_none_or(WireFault::sends_head);
        has_head.then_some(self.code)
    }

    /// Returns what becomes of a request whose response is sent on a connection.
    pub(crate) fn outcome(&self) -> RequestOutcome {
        match self.wire.is_some_and(WireFault::loses_response) {
            true => RequestOutcome::ConnectionFault,
            false => RequestOutcome::Responded,
        }
    }

    /// Adds a header unless a header with this name exists.
    pub(crate) fn set_default_header(&mut self, name: &'static str, value: String) {
        if self.headers.iter().all(|(given, _)| given != name) {
            self.headers.push((name.into(), value.into()));
        }
    }
}

fn fault_reply(status: u16) -> Reply {
    if is_bodiless(status) {
        return Reply::empty(status);
    }
    Reply::error(status, "fault", "this response comes from a fault rule")
}

fn json_reply(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    Reply::with_body("application/json", status, body)
}

fn set_header(reply: &mut Reply, name: &str, value: &str) {
    reply.headers.retain(|(given, _)| given != name);
    let (name, value) = (name.to_owned(), value.to_owned());
    reply.headers.push((name.into(), value.into()));
}

/// Start and end of a large body, which make it valid JSON.
const HEAD: &[u8] = b"{\"data\":\"";
const TAIL: &[u8] = b"\"}";

/// A gzip header without a name or time (RFC 1952, section 2.3).
const GZIP_HEAD: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff";

/// Decompressed size of a piece of a gzip body in bytes.
const PIECE: usize = 1024 * 1024;

/// A body in three parts: the second is sent from one block, so that it takes no memory of its own.
pub(crate) type ReplyBody = Chain<Chain<Bytes, Filling>, &'static [u8]>;

/// Returns a large JSON body of this length.
pub(crate) fn large_json(bytes: usize) -> ReplyBody {
    let filling = Filling(bytes - MIN_BODY_BYTES);
    Bytes::from_static(HEAD).chain(filling).chain(TAIL)
}

static BLOCK: [u8; 64 * 1024] = [b'x'; 64 * 1024];

/// This many `x`.
#[derive(Debug)]
pub(crate) struct Filling(usize);

impl Buf for Filling {
    fn remaining(&self) -> usize {
        self.0
    }

    fn chunk(&self) -> &[u8] {
        &BLOCK[..self.0.min(BLOCK.len())]
    }

    // By default it would return one piece, after which a chain would continue with the next part.
    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let starts = (0..self.0).step_by(BLOCK.len());
        let pieces = starts.map(|start| &BLOCK[..BLOCK.len().min(self.0 - start)]);
        let filled = slices.iter_mut().zip(pieces);
        filled
            .map(|(slice, piece)| *slice = IoSlice::new(piece))
            .count()
    }

    fn advance(&mut self, sent: usize) {
        self.0 -= sent;
    }
}

/// Returns the same body with gzip. Each piece is compressed independently of what precedes it, so that it
/// can be repeated.
pub(crate) fn large_gzip(bytes: usize) -> Vec<u8> {
    let filling = bytes - MIN_BODY_BYTES;
    let piece = vec![b'x'; PIECE];
    let tail = [&piece[..filling % PIECE], TAIL].concat();
    let (compressed, sum) = (deflate(&piece, FlushCompress::Full), checksum(&piece));
    let mut body = [GZIP_HEAD, &deflate(HEAD, FlushCompress::Full)].concat();
    let mut whole = checksum(HEAD);
    for _ in 0..filling / PIECE {
        body.extend_from_slice(&compressed);
        whole.combine(&sum);
    }
    whole.combine(&checksum(&tail));
    body.extend(deflate(&tail, FlushCompress::Finish));
    // The length is stated modulo 2^32 (RFC 1952, section 2.3.1).
    for number in [whole.sum(), bytes as u32] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    body
}

fn deflate(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    // Incompressible data grows by less than 0.1 % plus 64 bytes.
    let mut compressed = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 64);
    Compress::new(Compression::best(), false)
        .compress_vec(bytes, &mut compressed, flush)
        .expect("the buffer is large enough");
    compressed
}

fn checksum(bytes: &[u8]) -> Crc {
    let mut checksum = Crc::new();
    checksum.update(bytes);
    checksum
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read;

    use flate2::read::GzDecoder;
    use serde_json::Value;

    use super::*;
    use crate::faults::fault::MAX_BODY_BYTES;

    fn apply(fault: Fault, reply: Reply) -> PlannedReply {
        let fault = Some((Phase::Before, fault));
        let plan = FaultPlan {
            fault,
            ..FaultPlan::default()
        };
        plan.apply(reply)
    }

    #[test]
    fn headers_of_a_status_fault_replace_the_default_headers() {
        let headers = BTreeMap::from([("Content-Type".to_owned(), "text/html".to_owned())]);
        let fault = Fault::Status {
            status: 502,
            body: Some("<p>".to_owned()),
            headers,
        };
        let reply = apply(fault, Reply::empty(204));
        assert_eq!(reply.headers, [("content-type".into(), "text/html".into())]);
        assert_eq!((reply.code, &*reply.body), (502, &b"<p>"[..]));
    }

    #[test]
    fn a_fault_of_the_body_is_sent_with_a_status_that_has_one() {
        for status in [204, 205] {
            let fault = Fault::Wire(WireFault::BadChunk);
            assert_eq!(apply(fault, Reply::empty(status)).code, 200);
        }
    }

    #[test]
    fn malforms_json_even_without_a_body() {
        for reply in [Reply::empty(204), json_reply(200, "{\"data\":[]}")] {
            let reply = apply(Fault::MalformedJson, reply);
            assert!(serde_json::from_slice::<Value>(&reply.body).is_err());
            assert_eq!(reply.code, 200);
        }
    }

    #[test]
    fn large_bodies_are_json_of_their_length() {
        for length in [11, 12, 65_547, 1_048_587, 5_000_000] {
            let body = large_json(length).copy_to_bytes(length);
            assert_eq!(body.len(), length);
            let read = serde_json::from_slice::<Value>(&body);
            assert!(read.is_ok(), "{length}");
            let mut decompressed = Vec::new();
            let compressed = large_gzip(length);
            GzDecoder::new(&compressed[..])
                .read_to_end(&mut decompressed)
                .unwrap();
            assert!(decompressed == body, "{length}");
        }
    }

    #[test]
    fn a_gzip_body_is_about_a_thousandth_of_its_decompressed_size() {
        let sent = large_gzip(MAX_BODY_BYTES).len();
        assert!(sent < MAX_BODY_BYTES / 900, "{sent}");
    }
}
