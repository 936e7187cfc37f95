//! What a call that failed may have done all the same, and whether to make it again.

use crate::{Error, ErrorKind, Operation};

impl Error {
    /// Whether a write may have taken effect although it failed: the answer to one of its attempts
    /// was lost, the service failed while it worked, or its answer was larger than the client takes.
    ///
    /// A write that is answered with 2xx has succeeded, whatever the body is: it is no error if that
    /// cannot be read. Only of a [raw call](crate::Client::request), which says itself what its answer
    /// is, a body of another shape is an error, of which this holds too.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let lost = matches!(
            self.kind(),
            ErrorKind::Timeout
                | ErrorKind::Interrupted
                | ErrorKind::TooLarge
                | ErrorKind::Service
                | ErrorKind::Unreadable
        );
        let write = self
            .operation()
            .is_some_and(|operation| operation.method().is_write());
        write && (lost || self.is_uncertain())
    }

    /// Whether making the same call again later may help and does no harm: the failure may pass, and
    /// nothing is done twice that may only be done once. Wait [`retry_after`](Self::retry_after)
    /// where that is known; the client has made its own retries by then.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let client = profile_sdk::Client::builder().base_url("http://127.0.0.1:1").build()?;
    /// # let call = client.badges().retry(profile_sdk::RetryPolicy::none());
    /// let error = call.await.unwrap_err();
    /// assert!(error.is_retryable(), "nobody listens there now");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let harmless = self.operation().is_none_or(Operation::is_idempotent);
        match self.kind() {
            ErrorKind::Connection | ErrorKind::RateLimited => true,
            ErrorKind::Timeout | ErrorKind::Interrupted | ErrorKind::Service => harmless,
            ErrorKind::Refused => harmless && self.status() == Some(408),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, ErrorKind, Operation};

    #[test]
    fn what_would_be_done_twice_is_not_to_be_tried_again() {
        for (kind, of_an_edit, of_a_creation) in [
            (ErrorKind::Connection, true, true),
            (ErrorKind::RateLimited, true, true),
            (ErrorKind::Timeout, true, false),
            (ErrorKind::Interrupted, true, false),
            (ErrorKind::Service, true, false),
            (ErrorKind::Unreadable, false, false),
            (ErrorKind::Refused, false, false),
            (ErrorKind::Forbidden, false, false),
        ] {
            let during = |operation| Error::new(kind, "").during(&operation).is_retryable();
            assert_eq!(during(Operation::UPDATE_LINK), of_an_edit, "{kind:?}");
            assert_eq!(during(Operation::CREATE_LINK), of_a_creation, "{kind:?}");
        }
    }
}
