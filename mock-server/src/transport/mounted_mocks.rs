//! The mocks that a test mounts on wiremock in addition to the service.

use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::no_response::NoResponse;

/// wiremock's lowest precedence, so that the mocks of the test take precedence.
const LAST: u8 = u8::MAX;

/// Marks the response to a request that matches no mock of the test.
const UNMATCHED: &str = "x-mock-server-unmatched";

/// Starts wiremock. It has its own listener because pooled servers of wiremock never close their port,
/// and recording is disabled because wiremock would keep every request.
///
/// # Panics
///
/// Panics if wiremock cannot bind a port.
pub(crate) fn start_wiremock() -> MockServer {
    // wiremock starts asynchronously, and the caller may be in a runtime, which must not be blocked.
    let starting = thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be created");
        runtime.block_on(async {
            let builder = MockServer::builder().disable_request_recording();
            let server = builder.start().await;
            mount_last(&server).await;
            server
        })
    });
    starting.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Mounts the mock that matches the requests that no mock of the test matches.
pub(crate) async fn mount_last(server: &MockServer) {
    let response = ResponseTemplate::new(404).insert_header(UNMATCHED, "");
    let mock = Mock::given(any()).respond_with(response);
    server.register(mock.with_priority(LAST)).await;
}

/// Returns wiremock's response to a request, or `None` if no mock of the test matches.
pub(crate) async fn respond(
    wiremock: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Result<Option<Response<Incoming>>, NoResponse> {
    // This fails only while the server shuts down.
    let stream = TcpStream::connect(wiremock)
        .await
        .map_err(NoResponse::Upstream)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let response = sender.send_request(request).await?;
    let is_matched = !response.headers().contains_key(UNMATCHED);
    Ok(is_matched.then_some(response))
}

/// Drops a wiremock server, also inside a tokio task.
///
/// wiremock waits for its own lock inside `Drop`. In a tokio task, each wait consumes a part of the
/// task's cooperative budget, and `Drop` cannot yield to renew it: the 43rd server that one task drops
/// would hang. An unconstrained future has no budget.
pub(crate) fn drop_at_once(server: MockServer) {
    let dropping = tokio::task::coop::unconstrained(async move { drop(server) });
    let polled = pin!(dropping).poll(&mut Context::from_waker(Waker::noop()));
    debug_assert!(polled.is_ready(), "dropping does not wait");
}
