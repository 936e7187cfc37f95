//! Passes requests from wiremock to a service.

use url::Position;
use wiremock::{Request, ResponseTemplate};

use super::messages::{headers, texts};
use crate::engine;
use crate::journal::RequestOutcome;
use crate::service::Service;

/// Returns the response to a request. wiremock waits for the delays, since a responder must not.
pub(crate) fn respond_on_wiremock(service: &Service, request: &Request) -> ResponseTemplate {
    let target = &request.url[Position::BeforePath..Position::AfterQuery];
    let mut received = engine::Request::new(request.method.as_str(), target);
    received.headers = texts(&request.headers);
    received.body = request.body.clone();
    let plan = service.plan(&received);
    let (planned, _) = service.answer(received, &plan, None, |_| RequestOutcome::HandedOver);
    if planned.wire.is_some() {
        let message = "a fault of the connection needs `MockServer`, not a responder of wiremock";
        return ResponseTemplate::new(500).set_body_string(message);
    }
    let response = ResponseTemplate::new(planned.code)
        .append_headers(headers(planned.headers))
        .set_body_bytes(planned.body);
    response.set_delay(plan.delay_before.saturating_add(plan.delay_after))
}
