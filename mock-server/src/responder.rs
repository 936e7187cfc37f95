//! The service as a responder of wiremock.

use bytes::Buf;
use url::Position;
use wiremock::{Request, Respond, ResponseTemplate};

use crate::engine;
use crate::mock_server::ServiceHandle;
use crate::service::Exchange;
use crate::transport::{headers, texts};

#[cfg_attr(docsrs, doc(cfg(feature = "wiremock")))]
impl Respond for ServiceHandle {
    /// Returns the response to a request. wiremock waits for the delays, since a responder must not.
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let target = &request.url[Position::BeforePath..Position::AfterQuery];
        let mut received = engine::Request::new(request.method.as_str(), target);
        received.headers = texts(&request.headers);
        received.body = request.body.clone();
        let exchange = Exchange::plan(self.service.clone(), &received);
        let (before, after) = (exchange.plan.delay_before, exchange.plan.delay_after);
        let planned = exchange.hand_over(received);
        if planned.wire.is_some() {
            let message =
                "a fault of the connection needs `MockServer`, not a responder of wiremock";
            return ResponseTemplate::new(500).set_body_string(message);
        }
        let mut body = planned.body();
        ResponseTemplate::new(planned.code)
            .append_headers(headers(planned.headers))
            .set_body_bytes(body.copy_to_bytes(body.remaining()))
            .set_delay(before.saturating_add(after))
    }
}
