//! Passes requests from wiremock to a service.

use std::sync::Arc;

use bytes::Buf;
use url::Position;
use wiremock::{Request, ResponseTemplate};

use super::messages::{headers, texts};
use crate::engine;
use crate::faults::large_body;
use crate::service::{Exchange, Service};

/// Returns the response to a request. wiremock waits for the delays, since a responder must not.
pub(crate) fn respond_on_wiremock(service: Arc<Service>, request: &Request) -> ResponseTemplate {
    let target = &request.url[Position::BeforePath..Position::AfterQuery];
    let mut received = engine::Request::new(request.method.as_str(), target);
    received.headers = texts(&request.headers);
    received.body = request.body.clone();
    let exchange = Exchange::plan(service, &received);
    let (before, after) = (exchange.plan.delay_before, exchange.plan.delay_after);
    let planned = exchange.hand_over(received);
    if planned.wire.is_some() {
        let message = "a fault of the connection needs `MockServer`, not a responder of wiremock";
        return ResponseTemplate::new(500).set_body_string(message);
    }
    let response = ResponseTemplate::new(planned.code)
        .append_headers(headers(planned.headers))
        .set_body_bytes(match planned.large {
            Some(length) => large_body::json(length).copy_to_bytes(length),
            None => planned.body,
        });
    response.set_delay(before.saturating_add(after))
}
