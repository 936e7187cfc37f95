//! Extractors for axum.

use axum_core::body::Body;
use axum_core::extract::{FromRef, FromRequest, Request};
use axum_core::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use serde::de::DeserializeOwned;

use super::{Receiver, Rejection};
use crate::event::{EventKindError, KindError, PayloadError};
use crate::verifier::Verified;

/// An extractor for authentic deliveries whose payload is JSON of type `T`.
///
/// The router's state must be a [`Receiver`] or implement `FromRef` for it. The extractor consumes
/// the body, so it must be the handler's last argument. It ignores axum's own body limit and uses
/// [`Verifier::body_limit`](crate::Verifier::body_limit) instead. If a delivery is not authentic,
/// the handler is not called, and the response is [`Rejection::response`]: an empty 401, 413, 408
/// or 400. To verify without parsing JSON, extract `Verified<Bytes>`.
///
/// A payload that does not match `T` is not a rejection: the handler is called, and
/// [`into_payload`](Self::into_payload) returns the error. It converts to a 204 response, so using
/// `?` on it does not turn the webhook off.
///
/// axum cancels a handler whose sender disconnects, at any `.await`. Handle the delivery in a task of
/// its own, which is not cancelled: `tokio::spawn(handle(event).in_current_span()).await`.
///
/// # Examples
///
/// ```
/// use axum::http::StatusCode;
/// use webhook_verify::{PayloadError, VerifiedEvent};
///
/// #[derive(serde::Deserialize)]
/// struct Payload {
///     #[serde(rename = "type")]
///     kind: String,
/// }
///
/// async fn receive(event: VerifiedEvent<Payload>) -> Result<StatusCode, PayloadError> {
///     let payload = event.into_payload()?;
///     println!("{}", payload.kind); // Put it into a queue.
///     Ok(StatusCode::NO_CONTENT)
/// }
/// # let _: axum::Router<webhook_verify::Receiver> =
/// #     axum::Router::new().route("/", axum::routing::post(receive));
/// ```
///
/// With your own state, implement `FromRef`:
///
/// ```
/// use axum::extract::{FromRef, State};
/// use axum::http::StatusCode;
/// use webhook_verify::{Receiver, VerifiedEvent};
///
/// #[derive(Clone)]
/// struct App {
///     receiver: Receiver,
///     // Add other state here.
/// }
///
/// impl FromRef<App> for Receiver {
///     fn from_ref(app: &App) -> Self {
///         app.receiver.clone()
///     }
/// }
///
/// async fn receive(State(_app): State<App>, event: VerifiedEvent<serde_json::Value>) -> StatusCode {
///     let _payload = event.into_payload(); // Put it into a queue.
///     StatusCode::NO_CONTENT
/// }
/// # let _: axum::Router<App> = axum::Router::new().route("/", axum::routing::post(receive));
/// ```
#[derive(Debug)]
pub struct VerifiedEvent<T> {
    delivery: Verified<Bytes>,
    payload: Result<T, PayloadError>,
}

impl<T> VerifiedEvent<T> {
    /// Returns the payload.
    ///
    /// # Errors
    ///
    /// Returns a [`PayloadError`] if the body is not valid JSON or does not match `T`. Respond with
    /// 2xx nevertheless.
    pub fn payload(&self) -> Result<&T, &PayloadError> {
        self.payload.as_ref()
    }

    /// Returns the payload by value.
    ///
    /// # Errors
    ///
    /// Returns a [`PayloadError`] if the body is not valid JSON or does not match `T`. It converts
    /// to an empty 204 response, so handlers can return it with `?`.
    pub fn into_payload(self) -> Result<T, PayloadError> {
        self.payload
    }

    /// Returns the delivery, with the raw body, and the payload.
    pub fn into_parts(self) -> (Verified<Bytes>, Result<T, PayloadError>) {
        (self.delivery, self.payload)
    }

    /// Returns the delivery, with the raw body.
    #[must_use]
    pub fn delivery(&self) -> &Verified<Bytes> {
        &self.delivery
    }
}

impl<T, S> FromRequest<S> for VerifiedEvent<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
    Receiver: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        let receiver = Receiver::from_ref(state);
        let delivery = receive(&receiver, request).await?;
        let payload = delivery.json::<T>();
        if let (Err(error), Some(hook)) = (&payload, &receiver.on_invalid_payload) {
            hook(error);
        }
        Ok(Self { delivery, payload })
    }
}

impl<S> FromRequest<S> for Verified<Bytes>
where
    S: Send + Sync,
    Receiver: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        receive(&Receiver::from_ref(state), request).await
    }
}

async fn receive(receiver: &Receiver, request: Request) -> Result<Verified<Bytes>, Rejection> {
    let (parts, body) = request.into_parts();
    receiver.receive(&parts.headers, body).await
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        self.response::<Body>()
    }
}

/// Converts to an empty 204, because an authentic delivery must not count as failed.
impl IntoResponse for PayloadError {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// Converts to an empty 204, because an authentic delivery must not count as failed.
impl IntoResponse for EventKindError {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// Converts to an empty 204, because an authentic delivery must not count as failed.
impl IntoResponse for KindError {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}
