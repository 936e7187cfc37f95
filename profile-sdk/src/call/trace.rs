//! Spans and events for the feature `tracing`. They never contain the key.

#[cfg(feature = "tracing")]
pub(crate) use on::{failed, in_attempt, in_call, waiting};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{failed, in_attempt, in_call, waiting};

#[cfg(feature = "tracing")]
mod on {
    use std::future::Future;
    use std::time::Duration;

    use tracing::Instrument as _;

    use crate::{Error, Request};

    const TARGET: &str = "profile_sdk";

    pub(crate) fn in_call<F: Future>(
        request: &Request,
        call: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let operation = request.operation();
        call.instrument(tracing::info_span!(
            target: TARGET,
            "call",
            %operation
        ))
    }

    pub(crate) fn in_attempt<F: Future>(
        number: u32,
        attempt: F,
    ) -> impl Future<Output = F::Output> {
        let begun = async move {
            tracing::debug!(target: TARGET, number, "attempt {number} begins");
            attempt.await
        };
        begun.instrument(tracing::debug_span!(target: TARGET, "attempt", number))
    }

    /// The key is already redacted in the error.
    pub(crate) fn failed(number: u32, error: &Error) {
        tracing::debug!(
            target: TARGET,
            number,
            kind = error.kind().as_str(),
            %error,
            "attempt {number} failed: {error}"
        );
    }

    pub(crate) fn waiting(wait: Duration) {
        let seconds = wait.as_secs_f64();
        tracing::debug!(
            target: TARGET,
            seconds,
            "waiting {seconds:.3} seconds before the next attempt"
        );
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use std::time::Duration;

    use crate::{Error, Request};

    pub(crate) fn in_call<F>(_: &Request, call: F) -> F {
        call
    }

    pub(crate) fn in_attempt<F>(_: u32, attempt: F) -> F {
        attempt
    }

    pub(crate) fn failed(_: u32, _: &Error) {}

    pub(crate) fn waiting(_: Duration) {}
}
