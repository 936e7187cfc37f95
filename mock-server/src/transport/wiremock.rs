//! Connects a service to wiremock.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use wiremock::matchers::any;
use wiremock::{Mock, Respond, ResponseTemplate};

use super::handover::{HEADER, Handover};
use super::headers::headers;
use crate::engine::Request;
use crate::faults::PlannedReply;
use crate::service::Service;

/// wiremock's lowest precedence, so that mocks mounted by tests take precedence.
const LAST: u8 = u8::MAX;

/// The one mock that hands every request to the service. With a proxy, that sends what wiremock
/// cannot.
pub(crate) fn catch_all(service: Arc<Service>, proxy: Option<Arc<Handover>>) -> Mock {
    Mock::given(any())
        .respond_with(Answer { service, proxy })
        .with_priority(LAST)
}

/// Drops a wiremock server, also inside a tokio task.
///
/// wiremock waits for its own lock inside `Drop`. Within a tokio task each such wait uses up some
/// of what the task may do before it has to yield, and a `Drop` cannot yield: the 43rd server that
/// one task drops would hang for ever. An unconstrained future is free of that budget.
pub(crate) fn drop_at_once(server: wiremock::MockServer) {
    let dropping = tokio::task::coop::unconstrained(async move { drop(server) });
    let polled = pin!(dropping).poll(&mut Context::from_waker(Waker::noop()));
    debug_assert!(polled.is_ready(), "nothing in the future can wait");
}

struct Answer {
    service: Arc<Service>,
    proxy: Option<Arc<Handover>>,
}

impl Respond for Answer {
    /// Leaves delays to wiremock, since waiting here would block all other requests. So the request is
    /// carried out before a delay of either phase.
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        let request = read_request(request);
        let plan = self.service.plan(&request);
        let (planned, _) = self.service.answer(request, &plan);
        let delay = plan.delay_before.saturating_add(plan.delay_after);
        let template = template(planned, self.proxy.as_deref());
        match delay.is_zero() {
            true => template,
            false => template.set_delay(delay),
        }
    }
}

fn read_request(request: &wiremock::Request) -> Request {
    let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut read = Request::new(request.method.as_str(), target).body(&*request.body);
    read.headers = super::headers::texts(&request.headers);
    read
}

fn template(planned: PlannedReply, proxy: Option<&Handover>) -> ResponseTemplate {
    if let Some(proxy) = proxy
        && (planned.wire.is_some() || planned.large_body.is_some())
    {
        return ResponseTemplate::new(200).insert_header(HEADER, proxy.put(planned));
    }
    let PlannedReply {
        code,
        headers: lines,
        body,
        large_body,
        ..
    } = planned;
    let template = ResponseTemplate::new(code).append_headers(headers(lines));
    template.set_body_bytes(match large_body {
        Some(large_body) => large_body.chunks().into_bytes(),
        None => body.into(),
    })
}
