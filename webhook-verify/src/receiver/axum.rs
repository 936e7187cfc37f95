//! Extractors for axum: the verified body, and an event with its payload.

use axum_core::body::Body;
use axum_core::extract::{FromRef, FromRequest, Request};
use axum_core::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use serde::de::DeserializeOwned;

use super::{Receiver, Rejection};
use crate::{EventKind, EventKindError, KindError, PayloadError, Verified};

/// An authentic delivery, with its payload as JSON of type `T` if it fits.
///
/// The extractor finds the [`Receiver`] in the router's state, be it the state
/// or a part of it, and must come last among the handler's arguments, since it
/// takes the body. It replaces axum's own body limit by
/// [`Verifier::body_limit`](crate::Verifier::body_limit). A delivery that is
/// not authentic is answered with an empty 401 (413 when too large, 400 when
/// its body broke off) before the handler runs. To verify without JSON, extract
/// `Verified<Bytes>`.
///
/// A payload that does not fit `T` is no rejection: the handler runs, and
/// [`into_payload`](Self::into_payload) has the error, whose own answer is 204.
/// So `?` is safe: ten failed deliveries in a row would turn the webhook off.
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
///     println!("{}", payload.kind); // Hand it to a queue.
///     Ok(StatusCode::NO_CONTENT)
/// }
/// # let _: axum::Router<webhook_verify::Receiver> =
/// #     axum::Router::new().route("/", axum::routing::post(receive));
/// ```
///
/// In a state of your own, `FromRef` says where the receiver is; here also so
/// that the secrets can be changed while the server runs:
///
/// ```
/// use std::sync::{Arc, RwLock};
///
/// use axum::extract::{FromRef, State};
/// use axum::http::StatusCode;
/// use webhook_verify::{Receiver, VerifiedEvent, Verifier};
///
/// #[derive(Clone)]
/// struct App {
///     receiver: Arc<RwLock<Receiver>>,
///     // … and what else the handlers need.
/// }
///
/// impl FromRef<App> for Receiver {
///     fn from_ref(app: &App) -> Self {
///         app.receiver.read().expect("nothing panics while it is locked").clone()
///     }
/// }
///
/// impl App {
///     fn change_secrets(&self, verifier: Verifier) {
///         *self.receiver.write().expect("nothing panics while it is locked") = Receiver::new(verifier);
///     }
/// }
///
/// async fn receive(State(_app): State<App>, event: VerifiedEvent<serde_json::Value>) -> StatusCode {
///     let _payload = event.into_payload(); // Hand it to a queue.
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
    /// The payload, or why it does not fit `T`.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] when the body is no JSON or does not fit `T`. Answer
    /// 2xx all the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::VerifiedEvent;
    ///
    /// fn is_follow(event: &VerifiedEvent<String>) -> bool {
    ///     event.payload().is_ok_and(|payload| payload == "follow")
    /// }
    /// ```
    pub fn payload(&self) -> Result<&T, &PayloadError> {
        self.payload.as_ref()
    }

    /// The payload by value, or why it does not fit `T`.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] when the body is no JSON or does not fit `T`. As the
    /// answer of a handler it is an empty 204, so it may be passed on with `?`.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{PayloadError, VerifiedEvent};
    ///
    /// async fn receive(event: VerifiedEvent<String>) -> Result<(), PayloadError> {
    ///     let payload = event.into_payload()?;
    ///     Ok(())
    /// }
    /// ```
    pub fn into_payload(self) -> Result<T, PayloadError> {
        self.payload
    }

    /// The delivery, with the body as it was signed.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, KindError, VerifiedEvent};
    ///
    /// fn kind(event: &VerifiedEvent<String>) -> Result<EventKind, KindError> {
    ///     event.delivery().confirm_kind_in("type")
    /// }
    /// ```
    #[must_use]
    pub fn delivery(&self) -> &Verified<Bytes> {
        &self.delivery
    }

    /// The kind that the header claims: a hint, see [`Verified::event_kind`].
    ///
    /// # Errors
    ///
    /// [`EventKindError`] when the header names no kind.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, VerifiedEvent};
    ///
    /// fn claims_a_follower(event: &VerifiedEvent<String>) -> bool {
    ///     event.event_kind() == Ok(EventKind::FollowCreated)
    /// }
    /// ```
    pub fn event_kind(&self) -> Result<EventKind, EventKindError> {
        self.delivery.event_kind()
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
        if let Err(error) = &payload {
            receiver.report_invalid_payload(error);
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

/// An empty 204: the delivery is authentic, so it must not count as failed.
impl IntoResponse for PayloadError {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// An empty 204: the delivery is authentic, so it must not count as failed.
impl IntoResponse for KindError {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}
