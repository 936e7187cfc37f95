//! The errors of the control API, which do not depend on the dialects of worlds.

use crate::engine::Reply;
use crate::input::BAD_BODY;
use crate::webhook::{Error, NotSent};

/// An error of the control API.
#[derive(Debug)]
pub(super) struct ControlError(pub(super) Reply);

impl ControlError {
    pub(super) fn new(status: u16, code: &'static str, message: impl AsRef<str>) -> Self {
        let reply = Reply::error(status, code, message.as_ref());
        Self(match status {
            401 => reply.with_header("www-authenticate", "Bearer"),
            _ => reply,
        })
    }

    pub(super) fn method_not_allowed(method: &str, allowed: &[&str]) -> Self {
        let allowed = allowed.join(", ");
        let message = format!("method {method} is not allowed; expected {allowed}");
        let Self(reply) = Self::new(405, "method_not_allowed", message);
        Self(reply.with_header("allow", allowed))
    }

    pub(super) fn unknown_world(name: &str) -> Self {
        let message = format!("unknown world `{name}`; POST /_mock/v1/worlds creates one");
        Self::new(404, "unknown_world", message)
    }
}

impl<E: Into<Error>> From<E> for ControlError {
    fn from(error: E) -> Self {
        let error = error.into();
        let status = match &error {
            Error::Invalid(invalid) if invalid.code() == BAD_BODY => 400,
            Error::Invalid(_) => 422,
            Error::NotSent(NotSent::UnknownDelivery { .. }) => 404,
            Error::NotSent(NotSent::NoReceiver | NotSent::Off { .. }) => 409,
            Error::State(_) | Error::NotRecorded(_) => 500,
        };
        Self::new(status, error.code(), error.to_string())
    }
}
