//! The way from wiremock to the engine and back. No other file knows how wiremock sees a request.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use wiremock::matchers::any;
use wiremock::{Mock, Respond, ResponseTemplate};

use crate::engine::{Reply, Request};
use crate::journal::Journal;
use crate::store::Store;

/// wiremock's lowest precedence: every mock that a test mounts comes before ours.
const LAST: u8 = u8::MAX;

/// The one mock that hands every request to the engine.
pub(crate) fn catch_all(store: Arc<Store>, journal: Arc<Journal>) -> Mock {
    Mock::given(any())
        .respond_with(Answer { store, journal })
        .with_priority(LAST)
        .named("the profile service")
}

/// Drops a server at any place in a program.
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
    store: Arc<Store>,
    journal: Arc<Journal>,
}

impl Respond for Answer {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        template(self.store.answer(&engine_request(request), &self.journal))
    }
}

fn engine_request(request: &wiremock::Request) -> Request {
    let mut read = Request::new(request.method.as_str(), request.url.path());
    read.query = request.url.query().map(str::to_owned);
    for (name, value) in &request.headers {
        read = read.header(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
    }
    read.body(request.body.as_slice())
}

fn template(reply: Reply) -> ResponseTemplate {
    ResponseTemplate::new(reply.status)
        .append_headers(reply.headers)
        .set_body_bytes(reply.body)
}
