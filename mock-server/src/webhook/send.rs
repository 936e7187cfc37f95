//! Sends deliveries over the network.

use std::error::Error;
use std::io;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::engine::webhook::{Delivery, DeliveryOutcome, PendingDelivery, ReceiverUrl};
use crate::mutants::Mutant;

/// Maximum number of bytes of a response to read. Only the status matters, but closing the connection
/// too early would cause errors in the receiver.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Sends once, without following redirects, and waits for the response no longer than the timeout.
pub(crate) async fn send(pending: PendingDelivery, mutant: Option<Mutant>) -> Delivery {
    let request = request(&pending, mutant);
    let posting = post(&pending.url, request);
    let outcome = match tokio::time::timeout(pending.timeout, posting).await {
        Ok(Ok(status)) => DeliveryOutcome::Responded { status },
        Ok(Err(error)) => DeliveryOutcome::ConnectionFailed {
            reason: error.to_string(),
        },
        Err(_) => DeliveryOutcome::timed_out(pending.timeout),
    };
    Delivery {
        sent: pending.delivery,
        outcome,
    }
}

async fn post(url: &ReceiverUrl, request: Request<Full<Bytes>>) -> Result<u16, SendError> {
    let connected = TcpStream::connect(url.host_and_port()).await;
    let stream = connected.map_err(SendError::Connect)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Dropping the set closes the connection, also after a timeout.
    let mut connections = JoinSet::new();
    connections.spawn(connection);
    let response = sender.send_request(request).await?;
    let status = response.status().as_u16();
    drain(response).await?;
    Ok(status)
}

fn request(pending: &PendingDelivery, mutant: Option<Mutant>) -> Request<Full<Bytes>> {
    let PendingDelivery { delivery, url, .. } = pending;
    let kind = HeaderValue::from_bytes(delivery.kind.as_str().as_bytes())
        .expect("an event kind is a name that a header can carry");
    let mut request = Request::post(url.target())
        .header(HOST, url.authority())
        .header(CONTENT_TYPE, &delivery.content_type)
        .header("x-service-event", kind)
        .header("x-service-signature", &delivery.signature)
        .body(Full::default())
        .expect("target and headers were checked when they were made");
    let mut body = delivery.body.clone();
    if let Some(mutant) = mutant {
        mutant.change_delivery(request.headers_mut(), &mut body);
    }
    // hyper omits it for an empty body, although RFC 9110, section 8.6, recommends it.
    let length = HeaderValue::from(body.len());
    request.headers_mut().insert(CONTENT_LENGTH, length);
    *request.body_mut() = Full::new(body.into());
    request
}

async fn drain(mut response: Response<Incoming>) -> Result<(), hyper::Error> {
    let mut read = 0;
    while read <= MAX_RESPONSE_BYTES
        && let Some(frame) = response.frame().await
    {
        read += frame?.data_ref().map_or(0, Bytes::len);
    }
    Ok(())
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("{0}")]
    Connect(io::Error),
    #[error("{0}{cause}", cause = cause(.0))]
    Http(#[from] hyper::Error),
}

/// Returns the cause of an error, which hyper's message does not include.
fn cause(error: &hyper::Error) -> String {
    match error.source() {
        Some(source) => format!(": {source}"),
        None => String::new(),
    }
}
