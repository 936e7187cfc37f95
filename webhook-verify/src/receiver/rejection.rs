//! Why a request is not taken, and the empty answer to it.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use http::{Response, StatusCode};

use crate::VerifyError;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// Why a [`Receiver`](crate::Receiver) did not take a request.
///
/// The text is for your log; the sender gets [`Rejection::response`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// The delivery is not authentic, or too large to tell.
    NotVerified(VerifyError),
    /// The connection failed before the body had ended.
    UnreadableBody(Box<dyn Error + Send + Sync>),
}

impl Rejection {
    /// The status to answer with: 413 when the body is too large, 400 when it
    /// broke off, and 401 for every other reason, so that a forger learns nothing.
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

    /// The answer: the status and nothing else.
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
            Self::UnreadableBody(reason) => write!(
                f,
                "the body could not be read to its end ({reason}); \
                 expect the connection to be the cause, and the service to count a failure"
            ),
        }
    }
}

impl Error for Rejection {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotVerified(_) => None,
            Self::UnreadableBody(reason) => Some(&**reason),
        }
    }
}
