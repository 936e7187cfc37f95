//! Limits on what senders without the secret can hold: memory, and the time of other deliveries.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::channel::{Channel, Sender};
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Error, StatusCode};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use webhook_verify::{Receiver, Rejection, Verified};

use crate::commands::webhook::verify::verify_error_reason;

/// Maximum number of deliveries that are received at the same time.
pub(super) const MAX_DELIVERIES: usize = 1_024;

/// Maximum number of bodies longer than [`FREE_BYTES`] that are received at the same time.
const MAX_BODIES: usize = 64;

/// The part of a body that needs no permit, so that slow senders do not delay short deliveries.
const FREE_BYTES: usize = 16 << 10;

/// The timeout for reading a body, so that a slow sender cannot hold a connection.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout for a permit. The wait does not count as reading.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The status code of the response to a rejected delivery, and the reason.
pub(super) type Refusal = (StatusCode, String);

/// The limits that all connections share.
pub(super) struct Limits {
    deliveries: Semaphore,
    bodies: Semaphore,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            deliveries: Semaphore::new(MAX_DELIVERIES),
            bodies: Semaphore::new(MAX_BODIES),
        }
    }

    /// Reads and verifies a delivery.
    pub(super) async fn receive(
        &self,
        receiver: &Receiver,
        headers: &HeaderMap,
        body: Incoming,
    ) -> Result<Verified<Bytes>, Refusal> {
        let Ok(_permit) = self.deliveries.try_acquire() else {
            return Err(busy());
        };
        let (sender, limited) = Channel::new(1);
        tokio::select! {
            // First, because it may reject a delivery without reading the body.
            biased;
            received = receiver.receive(headers, limited) => received.map_err(refusal),
            refusal = self.read(body, sender) => Err(refusal),
        }
    }

    /// Passes the body on. Returns only if it is over a limit.
    async fn read(&self, mut body: Incoming, mut to: Sender<Bytes, Error>) -> Refusal {
        let mut deadline = Instant::now() + BODY_TIMEOUT;
        let mut length = 0;
        let mut permit = None;
        loop {
            match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    length += frame.data_ref().map_or(0, Bytes::len);
                    if length > FREE_BYTES && permit.is_none() {
                        let started = Instant::now();
                        let waiting = timeout(PERMIT_TIMEOUT, self.bodies.acquire());
                        let Ok(acquired) = waiting.await else {
                            return busy();
                        };
                        permit = acquired.ok();
                        deadline += started.elapsed();
                    }
                    // Fails once the delivery is rejected.
                    let _ = to.send(frame).await;
                }
                Ok(Some(Err(error))) => {
                    to.abort(error);
                    break;
                }
                Ok(None) => {
                    drop(to);
                    break;
                }
                Err(_) => return refusal(Rejection::TimedOut(BODY_TIMEOUT)),
            }
        }
        std::future::pending().await
    }
}

fn busy() -> Refusal {
    let reason = "too many other deliveries are being received";
    (StatusCode::SERVICE_UNAVAILABLE, reason.to_owned())
}

fn refusal(rejection: Rejection) -> Refusal {
    let reason = match &rejection {
        Rejection::NotVerified(error) => verify_error_reason(error),
        other => other.to_string(),
    };
    (rejection.status(), reason)
}
