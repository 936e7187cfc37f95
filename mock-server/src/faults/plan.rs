//! What is to go wrong with one answer, and the answer that comes out.

use std::collections::BTreeMap;
use std::time::Duration;

use super::condition::Phase;
use super::fault::{Fault, is_bodiless};
use super::large_body::LargeBody;
use super::wire::WireFault;
use crate::engine::Reply;

/// What the rules say of one request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    /// How long to wait before the request is carried out.
    pub(crate) delay_before: Duration,
    /// How long to wait before the answer is sent.
    pub(crate) delay_after: Duration,
    pub(crate) fault: Option<(Phase, Fault)>,
}

impl Plan {
    pub(super) fn add_delay(&mut self, phase: Phase, delay: Duration) {
        let sum = match phase {
            Phase::Before => &mut self.delay_before,
            Phase::After => &mut self.delay_after,
        };
        *sum = sum.saturating_add(delay);
    }

    /// Whether the request is answered without being carried out.
    pub(crate) fn prevents_write(&self) -> bool {
        matches!(self.fault, Some((Phase::Before, _)))
    }

    /// What the journal calls the fault; a delay is told only where there is no other.
    pub(crate) fn fault_name(&self) -> Option<&'static str> {
        match &self.fault {
            Some((_, fault)) => Some(fault.name()),
            None if self.delay_before.is_zero() && self.delay_after.is_zero() => None,
            None => Some("delay"),
        }
    }

    /// The right answer with its fault.
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

/// What a transport is to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlannedReply {
    pub(crate) reply: Reply,
    /// What to send in place of the reply's body.
    pub(crate) large_body: Option<LargeBody>,
    /// What goes wrong when the reply is sent.
    pub(crate) wire: Option<WireFault>,
    /// The name of the fault that was met.
    pub(crate) fault: Option<&'static str>,
}

impl PlannedReply {
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            reply,
            large_body: None,
            wire: None,
            fault: None,
        }
    }

    /// A client would take 204 for whole whatever follows it, so it becomes 200.
    fn on_the_wire(wire: WireFault, mut reply: Reply) -> Self {
        if wire.breaks_body() && reply.status == 204 {
            reply.status = 200;
        }
        Self {
            wire: Some(wire),
            ..Self::new(reply)
        }
    }

    /// The status that the client gets, if it gets an answer.
    pub(crate) fn status(&self) -> Option<u16> {
        let has_head = self.wire.is_none_or(WireFault::sends_head);
        has_head.then_some(self.reply.status)
    }

    fn with_large_body(large_body: LargeBody) -> Self {
        let mut planned = Self::new(json_reply(200, Vec::new()));
        if let LargeBody::Gzip(_) = large_body {
            set_header(&mut planned.reply, "content-encoding", "gzip");
        }
        planned.large_body = Some(large_body);
        planned
    }
}

fn apply_fault(fault: &Fault, mut reply: Reply) -> PlannedReply {
    match fault {
        Fault::Delay(_) => {}
        Fault::Status {
            status,
            body,
            headers,
        } => {
            reply = status_reply(*status, body.as_deref(), headers);
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
        Fault::MalformedJson => break_json(&mut reply),
        Fault::WrongContentType { content_type } => {
            set_header(&mut reply, "content-type", content_type);
        }
        Fault::EmptyBody => reply.body.clear(),
        Fault::HugeBody { bytes } => return PlannedReply::with_large_body(LargeBody::Json(*bytes)),
        Fault::GzipBomb { bytes } => return PlannedReply::with_large_body(LargeBody::Gzip(*bytes)),
        Fault::Wire(wire) => return PlannedReply::on_the_wire(*wire, reply),
    }
    PlannedReply::new(reply)
}

fn status_reply(status: u16, body: Option<&str>, headers: &BTreeMap<String, String>) -> Reply {
    let mut reply = match body {
        Some(body) => json_reply(status, body.into()),
        None => fault_reply(status),
    };
    for (name, value) in headers {
        set_header(&mut reply, &name.to_ascii_lowercase(), value);
    }
    reply
}

fn fault_reply(status: u16) -> Reply {
    if is_bodiless(status) {
        let (headers, body) = (Vec::new(), Vec::new());
        return Reply {
            status,
            headers,
            body,
        };
    }
    Reply::error(
        status,
        "fault",
        "this response comes from a fault rule",
        None,
    )
}

fn json_reply(status: u16, body: Vec<u8>) -> Reply {
    let headers = vec![("content-type".into(), "application/json".into())];
    Reply {
        status,
        headers,
        body,
    }
}

fn set_header(reply: &mut Reply, name: &str, value: &str) {
    reply.headers.retain(|(given, _)| given != name);
    let (name, value) = (name.to_owned(), value.to_owned());
    reply.headers.push((name.into(), value.into()));
}

/// An answer without a body gets the beginning of one.
fn break_json(reply: &mut Reply) {
    if reply.body.pop().is_none() {
        *reply = json_reply(200, b"{".to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_content() -> Reply {
        Reply {
            status: 204,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    #[test]
    fn headers_of_a_status_take_the_place_of_ours() {
        let headers = BTreeMap::from([("Content-Type".to_owned(), "text/html".to_owned())]);
        let fault = Fault::Status {
            status: 502,
            body: Some("<p>".to_owned()),
            headers,
        };
        let reply = apply_fault(&fault, no_content()).reply;
        assert_eq!(reply.headers, [("content-type".into(), "text/html".into())]);
        assert_eq!((reply.status, reply.body), (502, b"<p>".to_vec()));
    }

    #[test]
    fn json_is_malformed_even_where_there_was_none() {
        for reply in [no_content(), json_reply(200, b"{\"data\":[]}".to_vec())] {
            let reply = apply_fault(&Fault::MalformedJson, reply).reply;
            assert!(serde_json::from_slice::<serde_json::Value>(&reply.body).is_err());
            assert_eq!(reply.status, 200);
        }
    }
}
