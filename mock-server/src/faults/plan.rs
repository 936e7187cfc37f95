//! The faults of one response, and the response that results.

use std::time::Duration;

use bytes::Bytes;

use super::fault::{Fault, Phase, WireFault, is_bodiless};
use super::large_body;
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
    pub(crate) fn apply(&self, reply: Reply) -> PlannedReply {
        let planned = match &self.fault {
            Some((_, fault)) => apply_fault(fault, reply),
            None => PlannedReply::new(reply),
        };
        PlannedReply {
            fault: self.fault_name(),
            ..planned
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
    /// The name of the applied fault.
    pub(crate) fault: Option<&'static str>,
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

fn apply_fault(fault: &Fault, mut reply: Reply) -> PlannedReply {
    let (mut large, mut wire) = (None, None);
    match fault {
        Fault::Delay { .. } => {}
        Fault::Status {
            status,
            body,
            headers,
        } => {
            reply = match body {
                Some(body) => json_reply(*status, body.as_str()),
                None => fault_reply(*status),
            };
            for (name, value) in headers {
                set_header(&mut reply, &name.to_ascii_lowercase(), value);
            }
        }
        Fault::RateLimited { retry_after } => {
            reply = fault_reply(429);
            if let Some(text) = retry_after {
                set_header(&mut reply, "retry-after", text);
            }
        }
        Fault::Redirect { status, location } => {
            reply = fault_reply(*status);
            set_header(&mut reply, "location", location);
        }
        Fault::MalformedJson => {
            // Without its last byte.
            if reply.body.pop().is_none() {
                reply = json_reply(200, "{");
            }
        }
        Fault::WrongContentType { content_type } => {
            set_header(&mut reply, "content-type", content_type);
        }
        Fault::EmptyBody => reply.body.clear(),
        Fault::HugeBody { bytes } => {
            reply = json_reply(200, "");
            large = Some(*bytes);
        }
        Fault::GzipBomb { bytes } => {
            let body = large_body::gzip(*bytes);
            reply = json_reply(200, body).with_header("content-encoding", "gzip");
        }
        Fault::Wire(fault) => {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn headers_of_a_status_fault_replace_the_default_headers() {
        let headers = BTreeMap::from([("Content-Type".to_owned(), "text/html".to_owned())]);
        let fault = Fault::Status {
            status: 502,
            body: Some("<p>".to_owned()),
            headers,
        };
        let reply = apply_fault(&fault, Reply::empty(204));
        assert_eq!(reply.headers, [("content-type".into(), "text/html".into())]);
        assert_eq!((reply.code, &*reply.body), (502, &b"<p>"[..]));
    }

    #[test]
    fn a_fault_of_the_body_is_sent_with_a_status_that_has_one() {
        for status in [204, 205] {
            let fault = Fault::Wire(WireFault::BadChunk);
            assert_eq!(apply_fault(&fault, Reply::empty(status)).code, 200);
        }
    }

    #[test]
    fn malforms_json_even_without_a_body() {
        for reply in [Reply::empty(204), json_reply(200, "{\"data\":[]}")] {
            let reply = apply_fault(&Fault::MalformedJson, reply);
            assert!(serde_json::from_slice::<serde_json::Value>(&reply.body).is_err());
            assert_eq!(reply.code, 200);
        }
    }
}
