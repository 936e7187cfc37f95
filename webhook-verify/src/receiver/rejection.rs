//! Rejections, and the responses to them.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use http::{Response, StatusCode};

use crate::VerifyError;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a [`Receiver`](crate::Receiver) rejected a request.
///
/// The message is for your log. The sender gets [`Rejection::response`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// The delivery is not authentic, or the body is too large.
    NotVerified(VerifyError),
    /// Reading the body failed, for example because the sender disconnected.
    UnreadableBody(Box<dyn Error + Send + Sync>),
}

impl Rejection {
    /// Returns the status code of the response: 413 if the body is too large, 400 if it could not
    /// be read, and 401 for all other reasons, so that forgers learn nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Rejection, VerifyError};
    ///
    /// assert_eq!(Rejection::from(VerifyError::SignatureMissing).status(), 401);
    /// assert_eq!(Rejection::from(VerifyError::TooLarge { length: 9, limit: 8 }).status(), 413);
    /// ```
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotVerified(VerifyError::TooLarge { .. }) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotVerified(_) => StatusCode::UNAUTHORIZED,
            Self::UnreadableBody(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// Creates a response with the status code and an empty body.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Rejection, VerifyError};
    ///
    /// let response = Rejection::from(VerifyError::BadPrefix).response::<String>();
    /// assert_eq!(response.status(), 401);
    /// assert_eq!(response.body(), "");
    /// ```
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

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotVerified(reason) => reason.fmt(f),
            Self::UnreadableBody(reason) => write!(f, "failed to read the body: {reason}"),
        }
    }
}

impl Error for Rejection {}
