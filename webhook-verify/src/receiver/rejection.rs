//! Rejections, and the responses to them.

use alloc::boxed::Box;
use core::error::Error;
use core::time::Duration;

use http::{Response, StatusCode};

use crate::VerifyError;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a [`Receiver`](crate::Receiver) rejected a request.
///
/// The message is for your log. The sender gets [`Rejection::response`].
///
/// # Examples
///
/// ```
/// use webhook_verify::{Rejection, VerifyError};
///
/// let rejection = Rejection::from(VerifyError::TooLarge { length: 9, limit: 8 });
/// assert_eq!(rejection.status(), 413);
/// assert_eq!(rejection.response::<String>().body(), "");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The delivery is not authentic, or the body is too large.
    #[error("{0}")]
    NotVerified(VerifyError),
    /// Reading the body failed, for example because the sender disconnected.
    #[error("failed to read the body: {0}")]
    UnreadableBody(Box<dyn Error + Send + Sync>),
    /// The body did not arrive within [`Receiver::time_limit`](crate::Receiver::time_limit).
    #[error("the body did not arrive within {0:?}")]
    TimedOut(Duration),
}

impl Rejection {
    /// Returns the status code of the response: 413 if the body is too large, 400 if it could not
    /// be read, 408 if it did not arrive in time, and 401 for all other reasons, so that forgers
    /// learn nothing.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotVerified(VerifyError::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotVerified(_) => StatusCode::UNAUTHORIZED,
            Self::UnreadableBody(_) => StatusCode::BAD_REQUEST,
            Self::TimedOut(_) => StatusCode::REQUEST_TIMEOUT,
        }
    }

    /// Creates a response with the status code and an empty body.
    #[must_use]
    pub fn response<B: Default>(&self) -> Response<B> {
        let mut response = Response::new(B::default());
        *response.status_mut() = self.status();
        response
    }
}

impl From<VerifyError> for Rejection {
    fn from(reason: VerifyError) -> Self {
        Self::NotVerified(reason)
    }
}
